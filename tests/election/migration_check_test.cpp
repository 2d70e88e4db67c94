#include "election/migration_check.h"

#include <gmock/gmock.h>

#include "sim/virtual_time.h"
#include "tests/client/held_transport.h"
#include "tests/election/candidate.h"
#include "tests/memory_log.h"

namespace nlc::election::testing {
namespace {

/// Who contends for a pair of endpoints and leases looks at a ConfigMap, too.
struct Looking {
  /// Why it has to wait, by its kind, when the other lock is so.
  std::string finds(const LockRecord& record) {
    const LockPlace place{.carrier = Carrier::ConfigMap,
                          .namespace_ = "kube-system",
                          .name = "node-lifecycle-controller"};
    return answered(200, encode_lock(place, record, {}));
  }
  std::string answered(int status, std::string body = {}) {
    std::optional<std::string> kind;
    check.ask(own_holder, [&kind](const std::optional<MigrationCheck::Reason>& reason) {
      kind = reason ? reason->kind : "";
    });
    held.answer_last(status, std::move(body));
    EXPECT_TRUE(kind);
    return kind.value_or("unanswered");
  }

  sim::VirtualTime time{noon};
  client::HeldTransport held;
  tests::MemoryLog log;
  MigrationCheck check{{held, time, log}, {.identity = "baz", .lock = LockKind::EndpointsLeases}};
  std::string own_holder = "own";
};

LockRecord renewed(Duration later) {
  LockRecord record = lease("bing", "10");
  *record.renewed += std::chrono::floor<std::chrono::microseconds>(later);
  return record;
}

TEST(OtherLock, ThatIsHeldIsWaitedForAndThatIsRenewedIsAnothersLeadership) {
  Looking baz;
  EXPECT_EQ(baz.finds(renewed(0s)), "PerhapsAnotherLock");
  EXPECT_EQ(baz.finds(renewed(0s)), "PerhapsAnotherLock");
  EXPECT_EQ(baz.finds(renewed(2s)), "AnotherLock");
}

TEST(OtherLock, ThatIsNotRenewedIsDeadAfterTheLongerOfTheTwoLeases) {
  for (const auto& [seconds, lasts] :
       {std::pair<int, Duration>{3, 15s}, {60, 60s}, {1'000'000, 1'000'000s}}) {
    Looking baz;
    LockRecord record = lease("bing", "10");
    record.duration_seconds = seconds;
    baz.finds(record);
    baz.time.run_for(lasts);
    EXPECT_EQ(baz.finds(record), "PerhapsAnotherLock") << seconds;
    baz.time.run_for(1ns);
    EXPECT_EQ(baz.finds(record), "") << seconds;
  }
}

TEST(OtherLock, ThatNobodyHoldsOrWhoHoldsOursKeepsNobodyWaiting) {
  Looking baz;
  EXPECT_EQ(baz.finds(lease("", "10")), "");
  EXPECT_EQ(baz.finds(lease("own", "10")), "") << "half of a pair";
}

TEST(OtherLock, ThatIsHalfOfAPairIsDeadWithItsHolderUnlessItMoves) {
  Looking baz;
  baz.own_holder = "bing";
  EXPECT_EQ(baz.finds(renewed(0s)), "");
  baz.own_holder = "baz";
  EXPECT_EQ(baz.finds(renewed(0s)), "");
  EXPECT_EQ(baz.finds(renewed(2s)), "AnotherLock");
}

TEST(OtherLock, ThatWasGivenBackIsSeenForTheFirstTimeAgain) {
  Looking baz;
  baz.finds(renewed(0s));
  EXPECT_EQ(baz.finds(lease("", "11")), "");
  EXPECT_EQ(baz.finds(renewed(2s)), "PerhapsAnotherLock");
}

TEST(OtherLock, ThatIsErasedGoneOrForbiddenIsDeadWhenItsLeaseIsOver) {
  const std::vector<std::function<std::string(Looking&)>> ways = {
      [](Looking& baz) {
        LockRecord erased = renewed(0s);
        erased.holder.clear();
        return baz.finds(erased);
      },
      [](Looking& baz) { return baz.answered(404); },
      [](Looking& baz) { return baz.answered(403); },
  };
  for (const auto& way : ways) {
    Looking baz;
    baz.finds(renewed(0s));
    baz.time.run_for(15s);
    EXPECT_EQ(way(baz), "PerhapsAnotherLock");
    baz.time.run_for(1ns);
    EXPECT_EQ(way(baz), "");
    EXPECT_EQ(baz.finds(renewed(2s)), "PerhapsAnotherLock");
  }
}

TEST(OtherLock, ThatMayNotBeReadOrIsNoneIsTakenForDeadAndToldOnce) {
  for (const auto& [status, body] :
       {std::pair<int, std::string>{403, ""}, {200, R"({"kind":"Pod"})"}}) {
    Looking baz;
    EXPECT_EQ(baz.answered(status, body), "");
    EXPECT_EQ(baz.answered(status, body), "");
    EXPECT_EQ(baz.log.count("a lock of another kind could not be looked at"), 1U);
  }
}

TEST(OtherLock, ThatDoesNotExistIsNotWorthAWord) {
  Looking baz;
  EXPECT_EQ(baz.answered(404), "");
  EXPECT_EQ(baz.log.count("a lock of another kind"), 0U);
}

TEST(OtherLock, ThatCannotBeReadNowIsAReasonToWait) {
  Looking baz;
  EXPECT_EQ(baz.answered(500), std::string(name_of(Fault::Unavailable)));
}

}  // namespace
}  // namespace nlc::election::testing

#include "program/access_machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::program {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr Instant start{1h};

AccessRequest metrics_by(std::string token) {
  return {.token = std::move(token), .verb = "get", .path = "/metrics"};
}

const api::User scraper{.name = "scraper", .groups = {"system:authenticated"}};

class AccessMachineTest : public ::testing::Test {
 protected:
  /// What it puts out, sorted by kind.
  void take(const AccessMachine::Outputs& outputs) {
    for (const AccessMachine::Output& output : outputs) {
      if (const auto* ask = std::get_if<AccessMachine::Ask>(&output)) asked.push_back(*ask);
      if (const auto* tell = std::get_if<AccessMachine::Tell>(&output)) told.push_back(*tell);
    }
  }

  void call(AccessMachine::CallerId caller, const AccessRequest& request) {
    take(machine.called(caller, request, now));
  }
  void answer_token(std::optional<api::User> user) {
    take(machine.token_reviewed(asked.back().review, std::move(user), now));
  }
  void answer_access(bool granted) {
    take(machine.access_reviewed(asked.back().review, granted, now));
  }

  /// How a caller is told whom the server knows, and lets or does not.
  AccessMachine::Tell outcome_for(AccessMachine::CallerId caller, bool granted) {
    call(caller, metrics_by("t"));
    answer_token(scraper);
    answer_access(granted);
    return told.back();
  }

  Instant now = start;
  AccessMachine machine{start};
  std::vector<AccessMachine::Ask> asked;
  std::vector<AccessMachine::Tell> told;
};

TEST_F(AccessMachineTest, WithoutATokenNobodyIsAskedAnything) {
  call(1, metrics_by(""));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].access, Access::Unauthenticated);
  EXPECT_TRUE(asked.empty());
}

TEST_F(AccessMachineTest, FirstWhoseTokenItIsAndThenWhetherThatOneMay) {
  call(7, metrics_by("t"));
  ASSERT_EQ(asked.size(), 1U);
  EXPECT_EQ(std::get<AccessMachine::TokenQuestion>(asked[0].question).token, "t");
  answer_token(scraper);
  ASSERT_EQ(asked.size(), 2U);
  EXPECT_EQ(std::get<api::AccessQuestion>(asked[1].question),
            (api::AccessQuestion{.user = scraper, .verb = "get", .path = "/metrics"}));
  EXPECT_TRUE(told.empty());
  answer_access(true);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].caller, 7U);
  EXPECT_EQ(told[0].access, Access::Granted);
}

TEST_F(AccessMachineTest, WhoMayNotIsToldWhoHeIsAndWhatHeMayNot) {
  const AccessMachine::Tell outcome = outcome_for(1, false);
  EXPECT_EQ(outcome.access, Access::Forbidden);
  EXPECT_EQ(outcome.why, "scraper may not get /metrics");
}

TEST_F(AccessMachineTest, TokenThatTheServerDoesNotAcceptIsNotAskedForAccess) {
  call(1, metrics_by("forged"));
  answer_token(std::nullopt);
  EXPECT_EQ(asked.size(), 1U);
  EXPECT_EQ(told.back().access, Access::Unauthenticated);
}

TEST_F(AccessMachineTest, YesIsKeptForTenSecondsAndNotAMomentLonger) {
  outcome_for(1, true);
  now = start + 10s - 1ns;
  call(2, metrics_by("t"));
  EXPECT_EQ(asked.size(), 2U);
  EXPECT_EQ(told.back().caller, 2U);
  EXPECT_EQ(told.back().access, Access::Granted);
  now = start + 10s;
  call(3, metrics_by("t"));
  EXPECT_EQ(asked.size(), 3U);
  EXPECT_EQ(told.size(), 2U);
}

TEST_F(AccessMachineTest, NoIsKeptForTenSecondsToo) {
  outcome_for(1, false);
  call(2, metrics_by("t"));
  EXPECT_EQ(told.back().access, Access::Forbidden);
  EXPECT_EQ(asked.size(), 2U);
  call(3, metrics_by("forged"));
  answer_token(std::nullopt);
  call(4, metrics_by("forged"));
  EXPECT_EQ(told.back().caller, 4U);
  EXPECT_EQ(asked.size(), 3U);
}

TEST_F(AccessMachineTest, GrantIsOfThatUserVerbAndPathAlone) {
  outcome_for(1, true);
  AccessRequest other = metrics_by("t");
  other.verb = "post";
  call(2, other);
  other = metrics_by("t");
  other.path = "/secrets";
  call(3, other);
  EXPECT_EQ(asked.size(), 4U);
  call(4, metrics_by("somebody else's"));
  answer_token(api::User{.name = "scraper"});  // not in that group
  EXPECT_EQ(asked.size(), 6U);
  EXPECT_EQ(told.size(), 1U);
}

TEST_F(AccessMachineTest, FailureIsNoAnswerAndIsNotKept) {
  call(1, metrics_by("t"));
  take(machine.token_reviewed(asked[0].review,
                              Error{Fault::Unavailable, "POST …: connection refused"}, now));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].access, Access::Unknown);
  EXPECT_THAT(told[0].why, HasSubstr("connection refused"));
  call(2, metrics_by("t"));
  EXPECT_EQ(asked.size(), 2U);
}

TEST_F(AccessMachineTest, FailureOfTheSecondReviewOpensNothingEither) {
  call(1, metrics_by("t"));
  answer_token(scraper);
  take(machine.access_reviewed(asked[1].review, Error{Fault::Timeout, "no answer in time"}, now));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].access, Access::Unknown);
}

TEST_F(AccessMachineTest, CallersWithOneTokenWaitForOneReview) {
  call(1, metrics_by("t"));
  call(2, metrics_by("t"));
  EXPECT_EQ(asked.size(), 1U);
  answer_token(scraper);
  EXPECT_EQ(asked.size(), 2U);
  answer_access(true);
  EXPECT_EQ(told.size(), 2U);
}

TEST_F(AccessMachineTest, FourReviewsAreUnderWayAtOnceAndTheFifthWaits) {
  for (std::uint64_t caller = 1; caller <= 5; ++caller) {
    call(caller, metrics_by("t" + std::to_string(caller)));
  }
  EXPECT_EQ(asked.size(), 4U);
  take(machine.token_reviewed(asked[0].review, std::optional<api::User>(), now));
  ASSERT_EQ(asked.size(), 5U);
  EXPECT_EQ(std::get<AccessMachine::TokenQuestion>(asked[4].question).token, "t5");
}

TEST_F(AccessMachineTest, TwentyReviewsASecondBeginOnceTheBurstOfFortyIsSpent) {
  std::uint64_t caller = 0;
  std::size_t answered = 0;
  const auto flood_for = [&](Duration span) {
    const std::size_t before = asked.size();
    for (const Instant end = now + span; now < end; now += 1ms) {
      ++caller;
      call(caller, metrics_by("forged" + std::to_string(caller)));
      while (asked.size() > answered) {
        take(machine.token_reviewed(asked[answered++].review, std::optional<api::User>(), now));
      }
      machine.left(caller);
    }
    return asked.size() - before;
  };
  EXPECT_LE(flood_for(1s), 60U);
  EXPECT_LE(flood_for(10s), 201U);
}

TEST_F(AccessMachineTest, ThirtyTwoMayWaitAndTheNextIsToldAtOnce) {
  for (std::uint64_t caller = 1; caller <= 33; ++caller) call(caller, metrics_by("t"));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].caller, 33U);
  EXPECT_EQ(told[0].access, Access::Unknown);
  EXPECT_EQ(machine.callers(), 32U);
}

TEST_F(AccessMachineTest, CallerIsToldWhenHisTimeIsUpThoughNoReviewIsEverAnswered) {
  call(1, metrics_by("t"));
  ASSERT_EQ(machine.wakes(now), start + 9s);
  now = start + 9s - 1ns;
  take(machine.time_passed(now));
  EXPECT_TRUE(told.empty());
  now = start + 9s;
  take(machine.time_passed(now));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].access, Access::Unknown);
  EXPECT_EQ(machine.wakes(now), std::nullopt);
}

TEST_F(AccessMachineTest, ReviewsThatAreNeverAnsweredAreFourForEver) {
  for (std::uint64_t caller = 1; caller <= 200; ++caller) {
    call(caller, metrics_by("t" + std::to_string(caller)));
    now += 1s;
    take(machine.time_passed(now));
  }
  EXPECT_EQ(asked.size(), 4U);
  EXPECT_LE(machine.callers(), 9U);
}

TEST_F(AccessMachineTest, WhoLeftIsNotToldAndHisReviewIsOfUseToTheNext) {
  call(1, metrics_by("t"));
  machine.left(1);
  answer_token(scraper);
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(asked.size(), 1U);
  call(2, metrics_by("t"));
  EXPECT_TRUE(std::holds_alternative<api::AccessQuestion>(asked.back().question));
}

TEST(AnswerCache, ManyRefusalsDoNotPushAGrantOut) {
  AnswerCache<int, bool> cache(4, 10s);
  cache.keep(0, true, start);
  for (int refused = 1; refused <= 100; ++refused) cache.keep(refused, false, start + 1s);
  EXPECT_EQ(cache.size(), 4U);
  ASSERT_NE(cache.find(0, start + 1s), nullptr);
  EXPECT_TRUE(*cache.find(0, start + 1s));
  EXPECT_EQ(cache.find(1, start + 1s), nullptr);
  EXPECT_NE(cache.find(100, start + 1s), nullptr);
}

}  // namespace
}  // namespace nlc::program

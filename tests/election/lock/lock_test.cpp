#include "election/lock/lock.h"

#include "sim/virtual_time.h"
#include "tests/client/held_transport.h"
#include "tests/election/candidate.h"

/// One lock, asked for by hand: what is answered, and what a watch shows meanwhile.
namespace nlc::election::testing {
namespace {

std::string body_of(const LockPlace& place, const LockRecord& record,
                    const std::string& more = "{}") {
  const std::string text = R"({"kind":")" + std::string(kind_of(place.carrier)) +
                           R"(","metadata":{"name":"x","uid":")" + record.uid +
                           R"(","annotations":)" + more + "}}";
  return encode_lock(place, record, LockObject{.record = {}, .text = text});
}

struct Asked {
  explicit Asked(LockKind kind = LockKind::Leases)
      : options{.identity = "baz", .renew_deadline = 9s, .lock = kind},
        lock({held, time}, options) {}

  Lock::Done kept() {
    return [this](Result<LockRecord> answer) {
      ++answers;
      last.emplace(std::move(answer));
    };
  }
  void answers_with(std::size_t part, const LockRecord& record) {
    held.answer_last(200, body_of(lock.places()[part], record));
  }
  /// The lock as it is on the server, a pair with both of its halves.
  void knows(const std::vector<std::string>& versions) {
    lock.read(kept());
    for (std::size_t part = 0; part < versions.size(); ++part) {
      answers_with(part, lease("bing", versions[part]));
    }
  }
  LockChange change(std::size_t part, const std::string& version,
                    const std::string& more = "{}") const {
    const LockRecord seen = lease("bing", version);
    return {.object = {.record = seen, .text = body_of(lock.places()[part], seen, more)},
            .foreign = {}};
  }
  const client::Request& last_request() const { return held.sent.back().request; }

  sim::VirtualTime time{noon};
  client::HeldTransport held;
  ElectionOptions options;
  Lock lock;
  int answers = 0;
  std::optional<Result<LockRecord>> last;
};

TEST(Lock, AnotherOperationCancelsTheFormer) {
  Asked asked;
  asked.lock.read(asked.kept());
  asked.lock.read(asked.kept());
  asked.held.answer(0, Error{Fault::Timeout, "late"});
  EXPECT_EQ(asked.answers, 0);
  asked.answers_with(0, lease("bing", "10"));
  EXPECT_EQ(asked.answers, 1);
}

TEST(Lock, EachOperationHasTheWholeLimitForAllOfItsRequests) {
  Asked asked(LockKind::EndpointsLeases);
  asked.lock.read(asked.kept());
  EXPECT_EQ(asked.last_request().timeout, 3s);
  asked.time.run_for(1s);
  asked.answers_with(0, lease("bing", "10"));
  EXPECT_EQ(asked.last_request().timeout, 2s);

  asked.time.run_for(1s);
  asked.lock.create(lease("baz", ""), asked.kept());
  EXPECT_EQ(asked.last_request().timeout, 3s);
}

TEST(Lock, WhatAWatchShowsIsNewsIfItIsNewerThanWhatIsKnown) {
  Asked asked;
  const LockPlace place = asked.lock.places()[0];
  EXPECT_TRUE(asked.lock.is_news(place, asked.change(0, "1"))) << "nothing is known";
  asked.knows({"10"});
  EXPECT_FALSE(asked.lock.is_news(place, asked.change(0, "9")));
  EXPECT_FALSE(asked.lock.is_news(place, asked.change(0, "10")));
  EXPECT_TRUE(asked.lock.is_news(place, asked.change(0, "11")));
}

TEST(Lock, WhatTheServerHasLostIsNoNewsHoweverOftenAWatchShowsIt) {
  for (const bool missing : {false, true}) {
    Asked asked;
    const LockPlace place = asked.lock.places()[0];
    asked.knows({"100"});
    asked.lock.read(asked.kept());
    missing ? asked.held.answer_last(404, "") : asked.answers_with(0, lease("bing", "40"));
    EXPECT_FALSE(asked.lock.is_news(place, asked.change(0, "100")));
    EXPECT_TRUE(asked.lock.is_news(place, asked.change(0, "41"))) << "of the server that goes on";
    EXPECT_TRUE(asked.lock.is_news(place, asked.change(0, "101")));
    // A cache may stand before what was known last.
    asked.lock.note(place, asked.change(0, "90"));
    asked.knows({"90"});
    asked.knows({"40"});
    EXPECT_FALSE(asked.lock.is_news(place, asked.change(0, "90")));
    EXPECT_FALSE(asked.lock.is_news(place, asked.change(0, "100")));
  }
}

TEST(Lock, AWriteIsMadeFromTheNewestStateThatWasShown) {
  Asked asked;
  asked.knows({"10"});
  asked.lock.note(asked.lock.places()[0], asked.change(0, "11", R"({"note":"new"})"));
  asked.lock.note(asked.lock.places()[0], asked.change(0, "9", R"({"note":"old"})"));
  asked.lock.write(lease("baz", "11"), asked.kept());
  EXPECT_NE(asked.last_request().body.find(R"("note":"new")"), std::string::npos);
}

TEST(Lock, AnAnswerThatIsOlderThanWhatWasShownMeanwhileIsNotRemembered) {
  Asked asked;
  asked.knows({"10"});
  asked.lock.read(asked.kept());
  asked.lock.note(asked.lock.places()[0], asked.change(0, "12"));
  asked.answers_with(0, lease("bing", "11"));
  EXPECT_EQ(asked.lock.version_of(0), "12");

  asked.lock.read(asked.kept());
  asked.answers_with(0, lease("bing", "9"));
  EXPECT_EQ(asked.lock.version_of(0), "9") << "the server went back in time";
}

TEST(Lock, ThatIsGoneIsNotRemembered) {
  Asked asked;
  asked.knows({"10"});
  asked.lock.read(asked.kept());
  asked.held.answer_last(503, "");
  EXPECT_EQ(asked.lock.version_of(0), "10");
  asked.lock.read(asked.kept());
  asked.held.answer_last(404, "");
  EXPECT_EQ(asked.lock.version_of(0), "");
}

TEST(Lock, OfAPairTheVersionsAreJoinedWithThePrimarysFirst) {
  Asked asked(LockKind::EndpointsLeases);
  asked.knows({"10", "20"});
  const std::vector<LockPlace> places = asked.lock.places();
  EXPECT_EQ(asked.lock.pair_version_with(places[0], lease("bing", "11")), "11,20");
  EXPECT_EQ(asked.lock.pair_version_with(places[1], lease("bing", "21")), "10,21");
  EXPECT_EQ(asked.lock.lease_version(), "20");
}

TEST(Lock, OnlyALeaseHasALeasesVersion) {
  Asked lease_alone;
  lease_alone.knows({"10"});
  EXPECT_EQ(lease_alone.lock.lease_version(), "10");
  Asked endpoints(LockKind::Endpoints);
  endpoints.knows({"10"});
  EXPECT_EQ(endpoints.lock.lease_version(), "");
}

/// A pair that is known at 10 and 20 is being taken, and its first half is written.
struct HalfWritten : Asked {
  HalfWritten() : Asked(LockKind::EndpointsLeases) {
    knows({"10", "20"});
    answers = 0;
    lock.write(lease("baz", "10,20"), kept());
    answers_with(0, lease("baz", "11"));
    EXPECT_EQ(last_request().method, "GET") << "who took the second one meanwhile?";
  }
};

TEST(Lock, TheSecondHalfOfAPairIsNotTakenFromWhoTookItMeanwhile) {
  HalfWritten asked;
  asked.answers_with(1, lease("qux", "21"));
  ASSERT_EQ(asked.answers, 1);
  EXPECT_EQ(asked.last->error().fault, Fault::Conflict);
}

TEST(Lock, TheSecondHalfOfAPairIsWrittenOverWhatWasKnownNobodysAndOurOwn) {
  for (const LockRecord& found : {lease("bing", "20"), lease("", "21"), lease("baz", "21")}) {
    HalfWritten asked;
    asked.answers_with(1, found);
    EXPECT_EQ(asked.last_request().method, "PUT") << found.holder;
    asked.answers_with(1, lease("baz", "22"));
    ASSERT_EQ(asked.answers, 1);
    EXPECT_EQ((**asked.last).version, "11,22");
  }
}

TEST(Lock, TheSecondHalfOfAPairThatIsAsItWasBeforeIsToldAndNotWritten) {
  for (const char* holder : {"bing", "baz", "qux", ""}) {
    HalfWritten asked;
    asked.answers_with(1, lease(holder, "19"));
    ASSERT_EQ(asked.answers, 1) << "the server went back in time";
    EXPECT_EQ((**asked.last).version, "11,19") << holder;
  }
}

TEST(Lock, TheSecondHalfOfAPairThatIsMissingIsMade) {
  HalfWritten asked;
  asked.held.answer_last(404, "");
  EXPECT_EQ(asked.last_request().method, "POST");
}

}  // namespace
}  // namespace nlc::election::testing

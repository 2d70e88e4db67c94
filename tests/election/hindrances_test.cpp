#include "election/hindrances.h"

#include <gmock/gmock.h>

#include "tests/election/candidate.h"
#include "tests/memory_log.h"

namespace nlc::election::testing {
namespace {

using ::testing::HasSubstr;

struct Hindered {
  explicit Hindered(Duration lease = 15s) : options{.identity = "baz", .lease_duration = lease} {}

  void refused(Fault fault, const std::string& words) {
    hindrances.refused(Error{.fault = fault, .path = words}, start);
  }
  LeaderStatus shown() const {
    LeaderStatus status;
    hindrances.show(status);
    return status;
  }
  /// What is shown by who waits for a leadership of so many seconds.
  std::string waiting_for(std::int64_t seconds) {
    Candidate baz(options);
    LockRecord record = lease("bing", "10");
    record.duration_seconds = seconds;
    baz.reads(record);
    hindrances.waits(baz.machine, start);
    return shown().trouble;
  }

  ElectionOptions options;
  tests::MemoryLog log;
  Hindrances hindrances{log, options};
};

TEST(Hindrances, ARefusalIsWhatTheServerWillNotHaveAndNotWhatItCannotDoNow) {
  for (const Fault fault :
       {Fault::Forbidden, Fault::Unauthorized, Fault::Invalid, Fault::NotFound}) {
    Hindered baz;
    baz.refused(fault, "no");
    EXPECT_EQ(baz.shown().refusal, "no") << name_of(fault);
    EXPECT_EQ(baz.shown().trouble, "no") << name_of(fault);
  }
  for (const Fault fault : {Fault::Timeout, Fault::Unavailable, Fault::Throttled, Fault::Conflict,
                            Fault::AlreadyExists, Fault::Malformed}) {
    Hindered baz;
    baz.refused(fault, "no");
    EXPECT_EQ(baz.shown().refusal, "") << name_of(fault);
    EXPECT_EQ(baz.shown().trouble, "no") << name_of(fault);
  }
}

TEST(Hindrances, ARefusalStaysThroughErrorsThatPassUntilTheLockIsSeenOrWritten) {
  Hindered baz;
  baz.refused(Fault::Forbidden, "you may not");
  baz.refused(Fault::Timeout, "late");
  EXPECT_EQ(baz.shown().refusal, "you may not");
  EXPECT_EQ(baz.shown().able_until, Instant::min());
  baz.hindrances.able(start);
  EXPECT_EQ(baz.shown().refusal, "");
  EXPECT_EQ(baz.shown().able_until, start + 15s);
}

TEST(Hindrances, WritesThatTakeMoreThanAFifthOfTheDeadlineAreToldWhenTheyBegin) {
  Hindered baz;
  baz.hindrances.wrote_in(2s);
  EXPECT_EQ(baz.log.count("renewal was slow"), 0U);
  baz.hindrances.wrote_in(2s + 1ns);
  baz.hindrances.wrote_in(3s);
  EXPECT_EQ(baz.log.count("renewal was slow"), 1U);
  baz.hindrances.wrote_in(1s);
  baz.hindrances.wrote_in(3s);
  EXPECT_EQ(baz.log.count("renewal was slow"), 2U);
}

TEST(Hindrances, ALeadershipIsLongBeyondTenLeasesOrAnHour) {
  EXPECT_EQ(Hindered().waiting_for(150), "");
  EXPECT_THAT(Hindered().waiting_for(151), HasSubstr("bing is to be waited for 2m31s"));
  EXPECT_EQ(Hindered(10min).waiting_for(3600), "");
  EXPECT_THAT(Hindered(10min).waiting_for(3601), HasSubstr("bing is to be waited for 1h0m1s"));
}

TEST(Hindrances, AreOverWhenThereIsNothingUnusualToWaitFor) {
  Hindered baz;
  baz.refused(Fault::Timeout, "late");
  EXPECT_EQ(baz.waiting_for(15), "");
  EXPECT_EQ(baz.log.count("election is no longer hindered"), 1U);
}

}  // namespace
}  // namespace nlc::election::testing

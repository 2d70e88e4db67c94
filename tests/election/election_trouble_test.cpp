#include "election/election_trouble.h"

#include <gtest/gtest.h>

#include "tests/election/candidate.h"
#include "tests/memory_log.h"

namespace nlc::election::testing {
namespace {

struct Troubled {
  explicit Troubled(Duration lease = 15s) : options{.identity = "baz", .lease_duration = lease} {}

  void refused(Fault fault, const std::string& words) {
    trouble.refused(Error{.fault = fault, .path = words}, start);
  }
  LeaderStatus shown() const {
    LeaderStatus status;
    trouble.show(status);
    return status;
  }
  /// What is shown by who waits for a lease of so many seconds.
  LeaderStatus waiting_for(std::int64_t seconds) {
    Candidate baz(options);
    LockRecord record = lease("bing", "10");
    record.duration_seconds = seconds;
    baz.reads(record);
    trouble.waits(baz.machine, start);
    return shown();
  }

  ElectionOptions options;
  tests::MemoryLog log;
  ElectionTrouble trouble{log, options};
};

TEST(ElectionTrouble, ARefusalIsWhatTheServerWillNotHaveAndNotWhatItCannotDoNow) {
  for (const Fault fault :
       {Fault::Forbidden, Fault::Unauthorized, Fault::Invalid, Fault::NotFound}) {
    Troubled baz;
    baz.refused(fault, "no");
    EXPECT_EQ(baz.shown().refusal, "no") << name_of(fault);
    EXPECT_EQ(baz.shown().trouble, "no") << name_of(fault);
  }
  for (const Fault fault : {Fault::Timeout, Fault::Unavailable, Fault::Throttled, Fault::Conflict,
                            Fault::AlreadyExists, Fault::Malformed}) {
    Troubled baz;
    baz.refused(fault, "no");
    EXPECT_EQ(baz.shown().refusal, "") << name_of(fault);
    EXPECT_EQ(baz.shown().trouble, "no") << name_of(fault);
  }
}

TEST(ElectionTrouble, ARefusalStaysThroughErrorsThatPassUntilTheLockIsSeenOrWritten) {
  Troubled baz;
  baz.refused(Fault::Forbidden, "you may not");
  baz.refused(Fault::Timeout, "late");
  EXPECT_EQ(baz.shown().refusal, "you may not");
  EXPECT_EQ(baz.shown().able_until, Instant::min());
  baz.trouble.able(start);
  EXPECT_EQ(baz.shown().refusal, "");
  EXPECT_EQ(baz.shown().able_until, start + 15s);
}

TEST(ElectionTrouble, WritesThatTakeMoreThanAFifthOfTheDeadlineAreToldWhenTheyBegin) {
  Troubled baz;
  baz.trouble.wrote_in(2s);
  EXPECT_EQ(baz.log.count("renewal was slow"), 0U);
  baz.trouble.wrote_in(2s + 1ns);
  baz.trouble.wrote_in(3s);
  EXPECT_EQ(baz.log.count("renewal was slow"), 1U);
  baz.trouble.wrote_in(1s);
  baz.trouble.wrote_in(3s);
  EXPECT_EQ(baz.log.count("renewal was slow"), 2U);
}

TEST(ElectionTrouble, ALeaseIsLongBeyondTenOfOursOrAnHour) {
  EXPECT_EQ(Troubled().waiting_for(150).long_lease, std::nullopt);
  EXPECT_EQ(Troubled().waiting_for(151).long_lease, Duration(151s));
  EXPECT_EQ(Troubled(10min).waiting_for(3600).long_lease, std::nullopt);
  EXPECT_EQ(Troubled(10min).waiting_for(3601).long_lease, Duration(3601s));
}

TEST(ElectionTrouble, ALongLeaseIsNoneForItMayBeWantedAndIsToldByItsHolder) {
  Troubled baz;
  EXPECT_EQ(baz.waiting_for(7200).trouble, "");
  EXPECT_EQ(baz.log.count("trouble"), 0U);
  EXPECT_EQ(baz.log.count("holder=bing duration=2h0m0s"), 1U);
  EXPECT_EQ(baz.waiting_for(15).long_lease, std::nullopt) << "it is over";
}

TEST(ElectionTrouble, IsOverWhereALongLeaseIsSeen) {
  Troubled baz;
  baz.refused(Fault::Timeout, "late");
  EXPECT_EQ(baz.waiting_for(151).trouble, "");
}

TEST(ElectionTrouble, IsOverWhenThereIsNothingUnusualToWaitFor) {
  Troubled baz;
  baz.refused(Fault::Timeout, "late");
  EXPECT_EQ(baz.waiting_for(15).trouble, "");
  EXPECT_EQ(baz.log.count("election is no longer in trouble"), 1U);
}

}  // namespace
}  // namespace nlc::election::testing

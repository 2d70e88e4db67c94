#include "tests/controller/server/watched_server.h"

namespace nlc::controller {
namespace {

using namespace testing;

/// Whether the server takes writes is found by one, where nothing else shows it.
class ProbeScheduleTest : public WatchedServer {};

TEST_F(ProbeScheduleTest, WhileSomethingProvesThatTheServerTakesWritesNoProbeIsMade) {
  now += 4s;
  health.lease_written("51", now, now);
  EXPECT_EQ(health.next_probe(now), now + 5s);
}

/// Nothing else would show that its lists are of the past.
TEST_F(ProbeScheduleTest, BesideALockThatIsNoLeaseALeaseIsWrittenAllTheSame) {
  for (; now < start + 5s; now += 1s) health.lease_written("", now, now);
  EXPECT_EQ(health.next_probe(now), start + 5s);

  health.probe_sent();
  health.probe_answered(WriteProbe::Written{.version = "60", .sent = now}, now);
  health.lease_written("", now + 1s, now + 1s);
  EXPECT_EQ(health.next_probe(now), now + 5s);
  answer_question("59");
  EXPECT_EQ(health.doubts(now).paused, ApiServerHealth::lists_of_another_time);
}

/// One that is merely late would have refused it. Nodes of a restored one have yet to say that they
/// live.
TEST_F(ProbeScheduleTest, AProbeThatIsTakenOnWhatItWasBeforeIsOfARestoredServer) {
  const auto doubtful_once_listed = [this](bool borne_out) {
    health.probe_sent();
    health.probe_answered(
        WriteProbe::Written{.version = "60", .went_back = true, .borne_out = borne_out}, now);
    ++lists;
    ++leases_watch.lists;
    health.follow(now);
    return health.doubtful(now);
  };
  EXPECT_FALSE(doubtful_once_listed(false));
  EXPECT_TRUE(doubtful_once_listed(true));
}

TEST_F(ProbeScheduleTest, AProbeThatIsForbiddenIsRepeatedInTenSecondsAndToldAsTheReason) {
  heard_for(1min);
  EXPECT_LE(health.next_probe(now), now);
  EXPECT_EQ(health.doubts(now).paused, "nothing proved that the API server takes writes");
  health.probe_sent();
  EXPECT_EQ(health.next_probe(now), std::nullopt) << "one at a time";
  health.probe_answered(Error{.fault = Fault::Forbidden, .path = "PUT: 403"}, now);
  EXPECT_EQ(health.next_probe(now), now + 10s);
  EXPECT_EQ(health.doubts(now).paused, "nothing proved that the API server takes writes: PUT: 403");
  health.probe_sent();
  health.probe_answered(WriteProbe::Written{.version = "60"}, now);
  EXPECT_EQ(health.doubts(now).paused, "");
  EXPECT_FALSE(health.take_orders().monitor_pass) << "nobody waited for it";
}

/// Whoever wrote the probe's lease before a restore, and leads again long after it, finds it older.
TEST_F(ProbeScheduleTest, WhatWasWrittenBeforeARestoreThatWasDealtWithShowsNoOther) {
  const auto wrote_before = [this](Instant before) {
    health.probe_sent();
    health.probe_answered(
        WriteProbe::Written{
            .version = "60", .before = before, .went_back = true, .borne_out = true},
        now);
    return health.take_orders().list_anew;
  };
  const Instant written = now;
  EXPECT_TRUE(wrote_before(written));
  now += 1s;
  ++lists;
  ++leases_watch.lists;
  health.follow(now);
  health.take_orders();
  EXPECT_FALSE(wrote_before(written));
  EXPECT_TRUE(wrote_before(now));
}

TEST_F(ProbeScheduleTest, WhyAProbeWasRefusedBeforeTheLastProofIsNoReasonOfNow) {
  health.probe_sent();
  health.probe_answered(Error{.fault = Fault::Forbidden, .path = "PUT: 403"}, now);
  now += 1s;
  health.lease_written("51", now, now);
  heard_for(1min);
  EXPECT_EQ(health.doubts(now).paused, "nothing proved that the API server takes writes");
}

TEST_F(ProbeScheduleTest, AProbeThatIsOlderThanWhatWasWatchedShowsThatTheServerWentBack) {
  health.probe_sent();
  leases_watch.version = "70";
  health.probe_answered(WriteProbe::Written{.version = "60"}, now);
  EXPECT_FALSE(health.take_orders().list_anew) << "the watch came further since";
  health.probe_sent();
  health.probe_answered(WriteProbe::Written{.version = "69"}, now);
  EXPECT_TRUE(health.take_orders().list_anew);
}

TEST_F(ProbeScheduleTest, WhoJudgesNoNodesAsksNothingAndDoubtsNothingBeforeAProbeIsRefused) {
  ApiServerHealth other{
      {nodes, leases, pods, pods_by_node},
      *this,
      {.blind_after = 10s, .probe_after = 5s, .follows_leases = false, .probes = true},
      start};
  other.lead(true);
  now += 1min;
  EXPECT_EQ(other.next_question(now), std::nullopt);
  EXPECT_EQ(other.doubts(now).paused, "");
  other.probe_sent();
  other.probe_answered(Error{.fault = Fault::Forbidden, .path = "PUT: 403"}, now);
  EXPECT_NE(other.doubts(now).paused, "");
}

TEST_F(ProbeScheduleTest, AStandbyMakesNoProbe) {
  health.lead(false);
  now += 1min;
  EXPECT_EQ(health.next_probe(now), std::nullopt);
}

/// Its first lists would be as undated as the standby's.
TEST_F(ProbeScheduleTest, WhoBeginsToLeadBesideALockThatIsNoLeaseProbesBeforeItReads) {
  health.lead(false);
  heard_for(1min);
  health.lease_written("", now, now);
  EXPECT_FALSE(health.undated(now));
  health.lead(true);
  EXPECT_TRUE(health.undated(now));
  EXPECT_LE(health.next_probe(now), now);
  health.lead(false);
  EXPECT_FALSE(health.undated(now)) << "it reads nothing";
  health.lead(true);

  health.probe_sent();
  health.probe_answered(Error{.fault = Fault::Conflict, .path = "PUT"}, now);
  EXPECT_TRUE(health.undated(now)) << "what it had read a moment ago was of the past";
  health.probe_sent();
  health.probe_answered(Error{.fault = Fault::Forbidden, .path = "PUT"}, now);
  EXPECT_FALSE(health.undated(now)) << "it will not become wiser";
  EXPECT_TRUE(health.take_orders().monitor_pass);
}

TEST_F(ProbeScheduleTest, WhoBeginsToLeadBesideALeaseReadsAtOnce) {
  health.lead(false);
  health.lease_written("50", now, now);
  health.lead(true);
  EXPECT_FALSE(health.undated(now));
}

}  // namespace
}  // namespace nlc::controller

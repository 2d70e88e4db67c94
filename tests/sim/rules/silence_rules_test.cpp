#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

TEST_F(RulesTest, NodeMayBeMarkedWhenItsGraceHasPassed) {
  renew("a");
  time_.run_for(40s);
  EXPECT_EQ(broken_by_mark("a"), "");
}

TEST_F(RulesTest, NodeThatWasHeardWithinItsGraceIsNotToBeMarked) {
  renew("a");
  time_.run_for(39s);
  EXPECT_EQ(broken_by_mark("a"), "silent");
}

TEST_F(RulesTest, NodeWhoseLeaseWasDeletedWasHeardAllTheSame) {
  for (const Duration silent : {Duration(39s), Duration(40s)}) {
    begin_with_a_heartbeat({});
    time_.run_for(30s);
    delete_lease("a");
    time_.run_for(silent - 30s);
    EXPECT_EQ(broken_by_mark("a"), silent < 40s ? "silent" : "");
  }
}

TEST_F(RulesTest, NodeWhoseLeaseWasDeletedBehindAWatchThatStandsStillIsKnownToNobody) {
  RuleInputs inputs;
  inputs.lease_watch_held = {{.from = time_.now(), .until = time_.now() + 1min}};
  begin_with_a_heartbeat(inputs);
  delete_lease("a");
  time_.run_for(20s);
  EXPECT_EQ(broken_by_mark("a"), "");
}

TEST_F(RulesTest, LeaseThatCameAndWentWhileWatchesBeginAnewIsKnownToNobody) {
  for (const Duration stood : {exact_enough, exact_enough + 1ms}) {
    RuleInputs inputs;
    inputs.outages = {{.from = time_.now() + 15s, .until = time_.now() + 30s}};
    begin_with_a_heartbeat(inputs);
    time_.run_for(30s);
    renew("a");
    time_.run_for(stood);
    delete_lease("a");
    time_.run_for(15s);
    EXPECT_EQ(broken_by_mark("a"), stood > exact_enough ? "silent" : "");
  }
}

TEST_F(RulesTest, ARenewalWhoseLeaseIsGoneBeforeLeasesAreListedBehindACacheIsKnownToNobody) {
  for (const Duration unlisted : {Duration(5s), Duration(5s + 1ms)}) {
    put_node("a", "True");
    RuleInputs inputs;
    inputs.leases_unwatched = {{.from = time_.now(), .until = time_.now() + 1min}};
    begin(inputs);
    renew("a");
    time_.run_for(10s);
    renew("a");
    time_.run_for(unlisted);
    delete_lease("a");
    time_.run_for(30s - unlisted);
    EXPECT_EQ(broken_by_mark("a"), unlisted > 5s ? "silent" : "");
  }
}

TEST_F(RulesTest, NoRenewalOfATimeInWhichLeasesCannotBeListedIsKnownWhereTheLeaseIsGoneAfterIt) {
  for (const Duration unlisted : {Duration(15s), Duration(15s + 1ms)}) {
    put_node("a", "True");
    RuleInputs inputs;
    inputs.leases_unwatched = {{.from = time_.now(), .until = time_.now() + 1min}};
    inputs.leases_unlisted = {{.from = time_.now() + unlisted, .until = time_.now() + 1min}};
    begin(inputs);
    for (int i = 0; i < 4; ++i) {
      renew("a");
      time_.run_for(i < 3 ? 10s : 1s);
    }
    delete_lease("a");
    time_.run_for(9s);
    EXPECT_EQ(broken_by_mark("a"), unlisted > 15s ? "silent" : "");
  }
}

TEST_F(RulesTest, NodeThatCameBackAMomentAgoMayBeMarkedForWhatWasReadBefore) {
  for (const Duration ago : {under_way, under_way + 1ms}) {
    begin_with_a_heartbeat({});
    time_.run_for(40s);
    renew("a");
    time_.run_for(ago);
    EXPECT_EQ(broken_by_mark("a"), ago > under_way ? "silent" : "");
  }
}

class RulesOfARestoreTest : public RulesTest {
 protected:
  void mark_a_after_a_restore_took_its_heartbeat_back() {
    const Storage::Snapshot backup = storage_.snapshot();
    time_.run_for(10s);
    renew("a");
    restore(backup);
    time_.run_for(35s);
    put_node("a", "Unknown");
  }
};

TEST_F(RulesOfARestoreTest, NodeWhoseHeartbeatWasLostByARestoreMayBeMarkedIfNoneFollows) {
  mark_a_after_a_restore_took_its_heartbeat_back();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesOfARestoreTest, NodeThatIsHeardAgainAfterARestoreWasNotToBeMarked) {
  mark_a_after_a_restore_took_its_heartbeat_back();
  (void)by_controller();
  renew("a");
  EXPECT_EQ(by_others(), "silent");
}

/// Of a node with two heartbeats, the second of which a restore takes back.
class RulesOfALostHeartbeatTest : public RulesTest {
 protected:
  Instant after(Duration span) const { return time_.now() + span; }
  /// What breaks when it is marked a grace period after the first and heard again. The backup was
  /// made ten seconds after the first.
  std::string broken_by(RuleInputs inputs, Duration second, Duration restored) {
    begin_with_a_heartbeat(std::move(inputs));
    time_.run_for(10s);
    const Storage::Snapshot backup = storage_.snapshot();
    time_.run_for(second - 10s);
    renew("a");
    time_.run_for(restored - second);
    restore(backup);
    time_.run_for(40s - restored);
    EXPECT_EQ(broken_by_mark("a"), "");
    renew("a");
    return by_others();
  }
};

TEST_F(RulesOfALostHeartbeatTest, IsKnownToNobodyBeforeLeasesAreListedBehindACache) {
  for (const Duration unlisted : {Duration(5s), Duration(5s + 1ms)}) {
    RuleInputs inputs;
    inputs.leases_unwatched = {{.from = after(0s), .until = after(1min)}};
    EXPECT_EQ(broken_by(inputs, 10s, 10s + unlisted), unlisted > 5s ? "silent" : "");
  }
}

TEST_F(RulesOfALostHeartbeatTest, IsKnownToNobodyInTheMomentInWhichTheServerCameBackAnother) {
  for (const Duration before : {Duration(0s), Duration(3s + 1ms)}) {
    RuleInputs inputs;
    inputs.outages = {{after(17s), after(20s)}};
    EXPECT_EQ(broken_by(inputs, 20s - before, 20s), before > 0s ? "silent" : "");
  }
}

TEST_F(RulesOfALostHeartbeatTest, IsKnownToNobodyWhoWasCutOffButForFiveSeconds) {
  for (const Duration reachable : {Duration(5s), Duration(5s + 1ms)}) {
    RuleInputs inputs;
    inputs.leases_unwatched = {{.from = after(0s), .until = after(1min)}};
    inputs.leases_unlisted = {{.from = after(10s + reachable), .until = after(1min)}};
    EXPECT_EQ(broken_by(inputs, 10s, 30s), reachable > 5s ? "silent" : "");
  }
}

/// The first heartbeat after a silence, which comes a moment before the grace period ends.
class RulesOfLateReadsTest : public RulesTest {
 protected:
  using Spans = std::vector<RuleInputs::Span>;
  Spans from(Duration begin) const {
    return {{.from = time_.now() + begin, .until = time_.now() + 1min}};
  }
  /// What breaks when the node is marked so long after that heartbeat, and `silent` after the one
  /// before.
  std::string broken_by(const Spans& held, const Spans& read_late, Duration heard,
                        Duration silent = 40s) {
    begin_with_a_heartbeat({.lease_watch_held = held, .leases_read_late = read_late});
    time_.run_for(silent - heard);
    renew("a");
    time_.run_for(heard);
    return broken_by_mark("a");
  }
};

TEST_F(RulesOfLateReadsTest, AHeartbeatBehindAWatchThatStandsStillIsKnownToNobodyBeforeAList) {
  EXPECT_EQ(broken_by(from(30s), from(40s), 5s + exact_enough), "");
}

TEST_F(RulesOfLateReadsTest, AHeartbeatIsKnownWhenLeasesHaveBeenListed) {
  EXPECT_EQ(broken_by(from(30s), from(40s), 5s + exact_enough + 1ms), "silent");
}

TEST_F(RulesOfLateReadsTest, AHeartbeatThatAWatchHasShownIsKnown) {
  EXPECT_EQ(broken_by(from(35s + 1ms), from(35s), 5s), "silent");
  EXPECT_EQ(broken_by({}, from(35s), 5s), "silent");
}

TEST_F(RulesOfLateReadsTest, AHeartbeatThatAReadOfItsLeaseShowsIsKnown) {
  EXPECT_EQ(broken_by(from(30s), from(40s + 1ms), 5s), "silent");
  EXPECT_EQ(broken_by(from(30s), {}, 5s), "silent");
}

TEST_F(RulesOfLateReadsTest, TheHeartbeatBeforeCounts) {
  EXPECT_EQ(broken_by(from(30s), from(35s), 5s, 39s), "silent");
}

/// The only heartbeat between two restores, 11 s after the one before it.
class RulesOfTwoRestoresTest : public RulesTest {
 protected:
  /// What breaks when the node is marked that long after the heartbeat before, and heard again.
  std::string broken_by(Duration marked_after, Duration between, bool taken_back = true) {
    renew("a");
    time_.run_for(10s);
    const Storage::Snapshot backup = storage_.snapshot();
    restore(backup);
    time_.run_for(1s);
    renew("a");
    time_.run_for(between - 1s);
    restore(taken_back ? backup : storage_.snapshot());
    time_.run_for(marked_after - 10s - between);
    EXPECT_EQ(broken_by_mark("a"), "");
    renew("a");
    return by_others();
  }
};

TEST_F(RulesOfTwoRestoresTest, AHeartbeatThatTheSecondTookBackIsKnownToNobody) {
  EXPECT_EQ(broken_by(40s, 2s), "");
}

TEST_F(RulesOfTwoRestoresTest, TheHeartbeatBeforeTheFirstCounts) {
  EXPECT_EQ(broken_by(39s, 2s), "silent");
}

TEST_F(RulesOfTwoRestoresTest, AHeartbeatThatTheSecondBroughtBackCounts) {
  EXPECT_EQ(broken_by(40s, 2s, false), "silent");
}

TEST_F(RulesOfTwoRestoresTest, AHeartbeatCountsWhereWhoeverWasCutOffHadTheTimeToSeeIt) {
  EXPECT_EQ(broken_by(40s, 4s), "silent");
}

TEST_F(RulesTest, NodeThatCameBackAMomentAgoMayStillBeMarked) {
  renew("a");
  time_.run_for(41s);
  renew("a");
  time_.run_for(1s);
  EXPECT_EQ(broken_by_mark("a"), "");
}

TEST_F(RulesTest, NodeThatCameBackAMomentAgoMayBeMarkedThoughItWasSilentForLongerBefore) {
  begin({}, 30s);
  renew("a");
  for (const Duration silent : {50s, 31s}) {
    time_.run_for(silent);
    renew("a");
  }
  time_.run_for(5s);
  EXPECT_EQ(broken_by_mark("a"), "");
}

TEST_F(RulesTest, TimeInWhichTheServerTookNoHeartbeatIsNobodysSilence) {
  begin({.outages = {{time_.now() + 5s, time_.now() + 35s}}});
  time_.run_for(50s);
  EXPECT_EQ(broken_by_mark("a"), "silent");
}

/// How late a time is noticed in which the server takes no heartbeat.
class RulesOfTimesWithoutHeartbeatsTest : public RulesTest {
 protected:
  Instant after(Duration span) const { return time_.now() + span; }
  /// What breaks when a node that has twenty seconds is marked thirty seconds after its heartbeat.
  std::string broken_by(RuleInputs inputs) {
    begin_with_a_heartbeat(std::move(inputs), 20s);
    time_.run_for(30s);
    return broken_by_mark("a");
  }
};

TEST_F(RulesOfTimesWithoutHeartbeatsTest,
       AreNoticedFiveSecondsLaterWhereAWatchOfLeasesStandsStill) {
  for (const auto& [held, rule] : {std::pair(5s, ""), std::pair(6s, "silent")}) {
    EXPECT_EQ(broken_by({.outages = {{after(5s), after(1min)}},
                         .lease_watch_held = {{after(held), after(1min)}}}),
              rule);
  }
}

TEST_F(RulesOfTimesWithoutHeartbeatsTest, AreNoticedAsMuchLaterAsAnswersToWritesOfLeasesAreLate) {
  for (const auto& [late_until, rule] : {std::pair(5s, ""), std::pair(4s, "silent")}) {
    EXPECT_EQ(broken_by({.outages = {{after(5s), after(1min)}},
                         .answers_late = {{.during = {after(0s), after(late_until)}, .by = 5s}}}),
              rule);
  }
}

TEST_F(RulesOfTimesWithoutHeartbeatsTest,
       AreNoticedAfterAPauseInWhichTheyBeganForWhatWaitedIsTaken) {
  for (const auto& [paused_until, rule] : {std::pair(10s, ""), std::pair(9s, "silent")}) {
    EXPECT_EQ(broken_by({.outages = {{after(4s), after(paused_until)}, {after(5s), after(1min)}}}),
              rule);
  }
}

TEST_F(RulesTest, WhoBeganToWatchInTheLastTenSecondsOfSuchATimeCannotTellThemFromAPause) {
  for (const auto& [began, rule] : {std::pair(24s, "silent"), std::pair(25s, "")}) {
    put_node("a", "True");
    begin({.outages = {{time_.now(), time_.now() + 35s}}});
    time_.run_for(12s);
    renew("a");
    time_.run_for(began - 12s);
    rules_->leaders({{"a#1", "a_1", time_.now()}});
    time_.run_for(45s);
    EXPECT_EQ(broken_by_mark("a"), rule);
  }
}

class RulesOfRefusedHeartbeatsTest : public RulesTest {
 protected:
  using Refused = RuleInputs::Refused;

  void refuse_for_half_a_minute(Refused refused) {
    begin({.outages = {{time_.now() + 5s, time_.now() + 35s, refused}}});
  }
  std::string by_a_mark_after_fifty_seconds() {
    time_.run_for(50s);
    return broken_by_mark("a");
  }
};

TEST_F(RulesOfRefusedHeartbeatsTest, NodeWithoutALeaseIsSilentAlsoWhileLeasesAloneAreRefused) {
  refuse_for_half_a_minute(Refused::Leases);
  EXPECT_EQ(by_a_mark_after_fifty_seconds(), "");
}

TEST_F(RulesOfRefusedHeartbeatsTest, NodeWhoseLeaseIsGoneIsSilentAlsoWhileLeasesAloneAreRefused) {
  refuse_for_half_a_minute(Refused::Leases);
  renew("a");
  delete_lease("a");
  EXPECT_EQ(by_a_mark_after_fifty_seconds(), "");
}

TEST_F(RulesOfRefusedHeartbeatsTest, NodeWithALeaseIsNotSilentWhileLeasesAreRefused) {
  refuse_for_half_a_minute(Refused::Leases);
  renew("a");
  EXPECT_EQ(by_a_mark_after_fifty_seconds(), "silent");
}

TEST_F(RulesOfRefusedHeartbeatsTest, NodeWithALeaseIsSilentAlsoWhileStatusesAloneAreRefused) {
  refuse_for_half_a_minute(Refused::Statuses);
  renew("a");
  EXPECT_EQ(by_a_mark_after_fifty_seconds(), "");
}

TEST_F(RulesOfRefusedHeartbeatsTest, NodeWithoutALeaseIsNotSilentWhileStatusesAreRefused) {
  refuse_for_half_a_minute(Refused::Statuses);
  EXPECT_EQ(by_a_mark_after_fifty_seconds(), "silent");
}

}  // namespace
}  // namespace nlc::sim::rules

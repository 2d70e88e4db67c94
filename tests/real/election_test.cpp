#include <algorithm>
#include <csignal>
#include <iostream>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/replicas.h"
#include "tests/real/rig/timeline.h"
#include "tests/real/rig/waiting.h"

/// Replicas of the controller whose leader ends in every way, against a real server. What the
/// leaders wrote, and when, is read from the server's audit log.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

constexpr Duration lease = 4s;
constexpr Duration retry = 1s;

double milliseconds(Duration length) {
  return std::chrono::duration<double, std::milli>(length).count();
}

class Election : public Replicas {
 protected:
  void begin() {
    start_nodes({"--nodes", "40", "--pods-per-node", "0", "--zones", "1"});
    ASSERT_NO_FATAL_FAILURE(start_replicas(3, short_lease));
    ASSERT_TRUE(await(20s, [this] { return names_with_ready(nodes(), "True").size() == 40; }));
  }

  /// There has to be something for the next leader to write.
  void expect_handover(const std::string& what, WallTime moment, Duration limit) {
    const std::optional<Handover> seen = handover_since(moment, 30s);
    ASSERT_TRUE(seen) << what;
    std::cout << what << ": the lock is taken after " << milliseconds(seen->lock)
              << " ms, the first write comes after " << milliseconds(seen->write) << " ms"
              << std::endl;
    EXPECT_LE(seen->write, limit);
  }

  void kill_leaders(int times) {
    ASSERT_NO_FATAL_FAILURE(begin());
    for (int round = 1; round <= times; ++round) {
      Replica& killed = leader();
      const WallTime moment = wall_now();
      killed.process().kill();
      cordon_or_uncordon_nodes();  // after its end, so only the next one can act on it
      const std::string what = "kill -9 (" + std::to_string(round) + ")";
      ASSERT_NO_FATAL_FAILURE(expect_handover(what, moment, lease + 2 * retry));
      ASSERT_NO_FATAL_FAILURE(replace(killed));
    }
    expect_writes_of_leaders_only();
  }

  std::ptrdiff_t writes_to_nodes() {
    return std::ranges::count(controllers_writes(cluster_.audit_lines(), controller_lock), "nodes",
                              &AuditLine::what);
  }

  /// Sends the signal in the midst of the leader's writes, so that some are left for the next one.
  WallTime interrupt(const Replica& leader, int signal, const std::string& cordon) {
    const std::ptrdiff_t before = writes_to_nodes();
    cordoning_.emplace(cluster_.start_kubectl({cordon, "--selector=kubernetes.io/os"}));
    const auto writes = [&] { return writes_to_nodes() > before; };
    EXPECT_TRUE(await(20s, writes, 1ms));
    const WallTime moment = wall_now();
    leader.program->process().send_signal(signal);
    return moment;
  }

  /// For `length`; what it wanted to write is no more wanted when it goes on.
  void stop_leader_for(Duration length) {
    ASSERT_NO_FATAL_FAILURE(begin());
    const Replica& stopped = leader();
    const WallTime moment = interrupt(stopped, SIGSTOP, "cordon");
    ASSERT_NO_FATAL_FAILURE(expect_handover("SIGSTOP", moment, lease + 2 * retry));

    cluster_.must({"uncordon", "--selector=kubernetes.io/os"});
    await(length, [&] { return wall_now() - moment > length; });
    stopped.program->process().send_signal(SIGCONT);
    EXPECT_TRUE(await(5s, [&] { return stopped.program->said({"ceased to lead"}); }));
    EXPECT_TRUE(stays(3s, [this] { return leaders() == 1; }));
    EXPECT_FALSE(stopped.leads());
    expect_writes_of_leaders_only();
  }

  std::optional<Process> cordoning_;
};

TEST_F(Election, AKilledLeaderIsReplacedWithinLeaseAndRetry) { kill_leaders(5); }

TEST_F(Election, ALeaderThatIsAskedToEndHandsOverInMilliseconds) {
  ASSERT_NO_FATAL_FAILURE(begin());
  for (int round = 0; round < 3; ++round) {
    Replica& ended = leader();
    const WallTime moment = interrupt(ended, SIGTERM, round % 2 == 0 ? "cordon" : "uncordon");
    ASSERT_NO_FATAL_FAILURE(expect_handover("SIGTERM", moment, 500ms));
    EXPECT_EQ(ended.process().wait(5s), 0);
    ASSERT_NO_FATAL_FAILURE(replace(ended));
  }
  expect_writes_of_leaders_only();
}

TEST_F(Election, ALeaderThatWasStoppedAndGoesOnChangesNothingMore) { stop_leader_for(7s); }

class ElectionLong : public Election {};

TEST_F(ElectionLong, OfTwentyKilledLeadersEachIsReplacedWithinLeaseAndRetry) { kill_leaders(20); }

TEST_F(ElectionLong, ALeaderThatWasStoppedForHalfAMinuteChangesNothingMore) {
  stop_leader_for(30s);
}

/// The worst moment to lose a leader: its machine dies with others that it should have judged.
class CommonDeath : public Replicas {
 protected:
  struct Story {
    std::size_t nodes;
    std::size_t dying;
    std::string grace;
    std::string lease_seconds;  ///< of the nodes; they renew four times in it
    std::string after;          ///< from all nodes' being there to their death
    std::vector<std::string> election;
  };

  void play(const Story& story) {
    std::vector<std::string> flags = story.election;
    flags.insert(flags.end(), {"--node-monitor-grace-period=" + story.grace,
                               "--node-eviction-rate=10", "--secondary-node-eviction-rate=10"});
    start_nodes({"--nodes", std::to_string(story.nodes), "--pods-per-node", "1", "--zones", "3",
                 "--node-lease-duration-seconds", story.lease_seconds, "--kill",
                 std::to_string(story.dying), "--after", story.after});
    ASSERT_NO_FATAL_FAILURE(start_replicas(2, flags));
    ASSERT_NO_FATAL_FAILURE(kill_leader_with_nodes());
    const auto all_condemned = [&] {
      return unknown_nodes(cluster_.audit_lines()).size() >= story.dying;
    };
    EXPECT_TRUE(await(90s, all_condemned));
    EXPECT_EQ(unknown_nodes(cluster_.audit_lines()).size(), story.dying);
    expect_writes_of_leaders_only();
  }

  void kill_leader_with_nodes() {
    const auto died = [this] { return nodes_->output().find("killed ") != std::string::npos; };
    Replica& doomed = leader();
    ASSERT_TRUE(await(120s, died, 5ms));
    ASSERT_TRUE(doomed.leads());
    doomed.process().kill();
  }

  /// How long after its grace, or after the takeover if that came later, each was called Unknown.
  void expect_judged_within(Duration limit, Duration grace) {
    const std::vector<AuditLine>& lines = cluster_.audit_lines();
    const WallTime taken = leaderships_of(lines, controller_lock).back().taken;
    std::vector<Duration> late;
    for (const std::string& name : unknown_nodes(lines)) {
      const Timeline times = timeline_of(name, {}, lines);
      ASSERT_TRUE(times.last_renewal && times.unknown) << name;
      EXPECT_GE(*times.unknown - *times.last_renewal, grace - dated_to_within) << name;
      const Duration after_grace = *times.unknown - *times.last_renewal - grace;
      late.push_back(std::min<Duration>(after_grace, *times.unknown - taken));
    }
    ASSERT_FALSE(late.empty());
    std::ranges::sort(late);
    std::cout << "leader and " << late.size()
              << " nodes died together; past grace or takeover until Unknown: p50 "
              << milliseconds(late[late.size() / 2]) << " ms, max " << milliseconds(late.back())
              << " ms" << std::endl;
    EXPECT_LE(late.back(), limit);
  }
};

TEST_F(CommonDeath, OfALeaderAndTenOfAHundredNodesDelaysNoVerdict) {
  ASSERT_NO_FATAL_FAILURE(play({.nodes = 100,
                                .dying = 10,
                                .grace = "6s",
                                .lease_seconds = "6",
                                .after = "6s",
                                .election = short_lease}));
  expect_judged_within(1s, 6s);
}

class CommonDeathLong : public CommonDeath {};

TEST_F(CommonDeathLong, OfALeaderAndFiftyOfAThousandNodesDelaysNoVerdict) {
  ASSERT_NO_FATAL_FAILURE(play({.nodes = 1000,
                                .dying = 50,
                                .grace = "40s",
                                .lease_seconds = "40",
                                .after = "15s",
                                .election = {}}));
  expect_judged_within(1s, 40s);
}

/// The takeover comes after the grace of all of them has ended.
TEST_F(CommonDeathLong, OfALeaderWithALongLeaseLeavesTheVerdictToTheFirstMomentOfTheNext) {
  ASSERT_NO_FATAL_FAILURE(play({.nodes = 1000,
                                .dying = 50,
                                .grace = "12s",
                                .lease_seconds = "8",
                                .after = "10s",
                                .election = {"--leader-elect-lease-duration=20s"}}));
  expect_judged_within(1s, 12s);
}

}  // namespace
}  // namespace nlc::real

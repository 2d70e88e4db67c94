#include <algorithm>
#include <csignal>
#include <iostream>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/replicas.h"
#include "tests/real/rig/waiting.h"

/// An operator writes a pause while pods' time runs out, the leader is killed meanwhile, and the
/// pause is taken away again. When which pod was deleted is read from the server's audit log.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t dying_nodes = 20;
constexpr std::size_t pods_each = 10;
constexpr std::size_t timers = dying_nodes * pods_each;
constexpr Duration toleration = 8s;

/// What the ConfigMap allows, and the quarter of it that counts for a minute after a takeover.
constexpr int pods_per_second = 80;
constexpr double slow_pace = pods_per_second / 4.0;

const std::string policy = "node-lifecycle-controller-policy";

double seconds_of(Duration length) { return std::chrono::duration<double>(length).count(); }

class Pause : public Replicas {
 protected:
  /// They are marked, and tainted at that rate, by the replicas.
  void let_nodes_die(std::size_t replicas, const std::string& rate,
                     const std::vector<std::string>& more) {
    start_nodes({"--nodes", "40", "--pods-per-node", std::to_string(pods_each), "--zones", "1",
                 "--toleration-seconds", std::to_string(toleration / 1s),
                 "--node-lease-duration-seconds", "6", "--kill", std::to_string(dying_nodes),
                 "--after", "3s"});
    std::vector<std::string> flags = {"--node-monitor-grace-period=6s", "--node-monitor-period=1s",
                                      "--node-eviction-rate=" + rate};
    flags.insert(flags.end(), more.begin(), more.end());
    ASSERT_NO_FATAL_FAILURE(start_replicas(replicas, flags));
  }

  std::size_t tainted() {
    return static_cast<std::size_t>(std::ranges::count_if(nodes(), [](const nlohmann::json& node) {
      return std::ranges::count(taints_of(node), no_execute) > 0;
    }));
  }

  void pause() {
    cluster_.must({"create", "configmap", policy, "-n", "kube-system",
                   "--from-literal=pause=evictions",
                   "--from-literal=pod-evictions-per-second=" + std::to_string(pods_per_second)});
  }
  void end_pause() {
    cluster_.must({"patch", "configmap", policy, "-n", "kube-system", "--type=merge", "-p",
                   R"({"data":{"pause":"none"}})"});
  }

  /// When pods were deleted after `moment`.
  std::vector<WallTime> deletions_after(WallTime moment) {
    std::vector<WallTime> moments;
    for (const AuditLine& line : writes_of(cluster_.audit_lines(), controller_account)) {
      if (line.verb == "delete" && line.what == "pods" && line.at > moment) {
        moments.push_back(line.at);
      }
    }
    std::ranges::sort(moments);
    return moments;
  }

  bool nobody_goes_for(Duration length, WallTime since) {
    return stays(length, [&] { return deletions_after(since).empty(); });
  }
};

/// As many as fell into one second, whichever.
std::ptrdiff_t most_in_a_second(const std::vector<WallTime>& moments) {
  std::ptrdiff_t most = 0;
  for (auto begin = moments.begin(); begin != moments.end(); ++begin) {
    most = std::max(most, std::lower_bound(begin, moments.end(), *begin + 1s) - begin);
  }
  return most;
}

TEST_F(Pause, Of200PodsWhoseTimeRunsOutNoneGoesUnderTwoLeadersAndAllGoAtThePaceAfterIt) {
  ASSERT_NO_FATAL_FAILURE(let_nodes_die(2, "20", short_lease));
  ASSERT_TRUE(await(60s, [this] { return tainted() == dying_nodes; })) << "all timers run";
  pause();
  const WallTime in_force = wall_now() + 1s;
  EXPECT_TRUE(nobody_goes_for(toleration + 2s, in_force)) << "the leader that heard of it";
  leader().process().kill();
  ASSERT_TRUE(await(15s, [this] { return leaders() == 1; }));
  EXPECT_TRUE(nobody_goes_for(3s, in_force)) << "the leader after it";
  const std::size_t deleted_meanwhile = deletions_after(in_force).size();

  const WallTime over = wall_now();
  end_pause();
  EXPECT_TRUE(await(40s, [&] { return deletions_after(over).size() >= timers; }));
  const std::vector<WallTime> moments = deletions_after(over);
  ASSERT_EQ(moments.size(), timers);
  const double span = seconds_of(moments.back() - moments.front());
  std::cout << "paused, " << timers << " timers ran out, the leader was killed: deletions from 1 s "
            << "after the word: " << deleted_meanwhile << "\nthe pause is over: " << moments.size()
            << " deletions in " << span << " s, the first after "
            << seconds_of(moments.front() - over) << " s, at most " << most_in_a_second(moments)
            << " in one second; the pace: " << pods_per_second
            << " a second, a quarter of it for a minute after a takeover" << std::endl;
  // The server dates requests when it gets to them, so a few may come together.
  EXPECT_LE(most_in_a_second(moments), 1.25 * slow_pace + 1);
  EXPECT_GE(span, 0.9 * timers / slow_pace);
  EXPECT_LE(span, 2 * timers / slow_pace);
  expect_writes_of_leaders_only();
}

TEST_F(Pause, AControllerThatStoodStillTaintsNobodyBeforeItHasReadWhatWasWrittenMeanwhile) {
  ASSERT_NO_FATAL_FAILURE(let_nodes_die(1, "1", {}));
  ASSERT_TRUE(await(60s, [this] { return tainted() >= 3; }));
  Process& controller = leader().process();
  controller.send_signal(SIGSTOP);
  pause();
  const std::size_t before = tainted();
  ASSERT_LT(before, dying_nodes);
  const auto nobody_more = [&] { return tainted() == before; };
  EXPECT_TRUE(stays(4s, nobody_more)) << "it stands still";
  controller.send_signal(SIGCONT);
  EXPECT_TRUE(stays(4s, nobody_more)) << "it goes on";
}

}  // namespace
}  // namespace nlc::real

#include <algorithm>
#include <gmock/gmock.h>
#include <iostream>
#include <set>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/stage.h"
#include "tests/real/rig/timeline.h"
#include "tests/real/rig/waiting.h"

/// The story of the embedded cluster's demo, told by a real API server: nodes fall silent, are
/// Unknown, tainted and emptied, and healed when one of them comes back.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

constexpr double grace_seconds = 6;
constexpr std::size_t node_count = 30;

const std::string kept_taint = "example.com/kept:PreferNoSchedule";
const std::string no_schedule = "node.kubernetes.io/unreachable:NoSchedule";
const std::string unschedulable = "node.kubernetes.io/unschedulable:NoSchedule";

bool starts_with(const std::string& text, const std::string& start) {
  return text.rfind(start, 0) == 0;
}

class SilentNode : public Stage {
 protected:
  /// Thirty nodes that renew every 1.5 s; two die 12 s after all stand, and come back 25 s later.
  void let_nodes_come() {
    start_nodes({"--nodes", std::to_string(node_count), "--pods-per-node", "3", "--zones", "3",
                 "--schedulable", "--node-lease-duration-seconds", "6", "--kill", "2", "--after",
                 "12s", "--revive-after", "25s"});
    ASSERT_TRUE(
        await(20s, [this] { return names_with_ready(nodes(), "True").size() == node_count; }));
  }

  void deploy_pods_that_go_soon_and_pods_that_stay() {
    nlohmann::json list = {
        {"apiVersion", "v1"}, {"kind", "List"}, {"items", nlohmann::json::array()}};
    for (const std::string& node : names_with_ready(nodes(), "True")) {
      list["items"].push_back(pod_on(node, "brief", 2));
      list["items"].push_back(pod_on(node, "steadfast", -1));
    }
    cluster_.must({"create", "-f", "-"}, list.dump());
    cluster_.must({"taint", "nodes", "--all", "example.com/kept=yes:PreferNoSchedule"});
    ASSERT_TRUE(
        await(15s, [this] { return names_with_ready(pods(), "True").size() == node_count * 5; }))
        << "pods ready: " << names_with_ready(pods(), "True").size();
    at_first_ = pods();
    all_stand_ = wall_now();
  }

  nlohmann::json node_now(const std::string& name) { return cluster_.get({"node", name}); }

  void await_silence() {
    ASSERT_TRUE(await(45s, [this] { return names_with_ready(nodes(), "Unknown").size() == 2; }));
    silent_ = names_with_ready(nodes(), "Unknown");
  }

  bool is_silent(const std::string& node) const {
    return std::count(silent_.begin(), silent_.end(), node) > 0;
  }

  void expect_condemned(const std::string& name) {
    EXPECT_TRUE(await(5s, [&] {
      return taints_of(node_now(name)) ==
             std::vector<std::string>{kept_taint, no_execute, no_schedule};
    })) << in_short(node_now(name));
    const nlohmann::json node = node_now(name);
    for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
      const nlohmann::json seen = condition(node, type);
      EXPECT_EQ(seen.value("status", ""), "Unknown") << type;
      EXPECT_EQ(seen.value("reason", ""), "NodeStatusUnknown") << type;
      EXPECT_EQ(seen.value("message", ""), "Kubelet stopped posting node status.") << type;
    }
    EXPECT_THAT(cluster_.kubectl({"get", "node", name}).output, HasSubstr("NotReady"));
    EXPECT_THAT(cluster_.kubectl({"describe", "node", name}).output, HasSubstr(no_execute));
  }

  /// A kubelet that is silent cannot finish its pods: they stay, marked for deletion.
  void expect_evicted(const std::string& pod_name) {
    const auto evicted = [&] {
      const nlohmann::json pod = cluster_.get({"pod", pod_name});
      return !pod.empty() && is_leaving(pod) && has_condition(pod, "DisruptionTarget", "True");
    };
    EXPECT_TRUE(await(8s, evicted)) << in_short(cluster_.get({"pod", pod_name}));
  }

  void expect_other_pods_stayed() {
    for (const nlohmann::json& pod : pods()) {
      const bool on_silent = is_silent(node_of(pod));
      EXPECT_TRUE(has_condition(pod, "Ready", on_silent ? "False" : "True")) << in_short(pod);
      EXPECT_EQ(is_leaving(pod), on_silent && starts_with(name_of(pod), "brief")) << name_of(pod);
    }
  }

  void expect_told_in_events() {
    const std::string events = cluster_.must({"get", "events", "--all-namespaces"});
    EXPECT_THAT(events, HasSubstr("RegisteredNode"));
    EXPECT_THAT(events, HasSubstr("Node is not ready"));
    for (const std::string& name : silent_) {
      EXPECT_THAT(events, HasSubstr("Node " + name + " status is now: NodeNotReady"));
      EXPECT_THAT(events, HasSubstr("Marking for deletion Pod default/brief-" + name));
    }
  }

  void expect_healed(const std::string& name) {
    const auto healed = [&] {
      const nlohmann::json node = node_now(name);
      return has_condition(node, "Ready", "True") &&
             taints_of(node) == std::vector<std::string>{kept_taint};
    };
    EXPECT_TRUE(await(60s, healed)) << in_short(node_now(name));
  }

  void expect_others_untouched(const std::vector<AuditLine>& lines) const {
    EXPECT_EQ(unknown_nodes(lines), silent_);
    const std::set<std::string> theirs = pods_on(silent_);
    for (const AuditLine& line : writes_of(lines, controller_account)) {
      if (line.what == "pods" || line.what == "pods/status") {
        EXPECT_EQ(theirs.count(line.name), 1u) << listed({line});
      }
      // While it boots a node says that it is not ready, and may be tainted for that.
      if (line.at < all_stand_) continue;
      if (line.what == "nodes" && line.body.dump().find("NoExecute") != std::string::npos) {
        EXPECT_TRUE(is_silent(line.name)) << listed({line});
      }
    }
  }

  void expect_in_time_and_print(const std::vector<AuditLine>& lines) const {
    std::vector<Timeline> times;
    for (const std::string& name : silent_) {
      times.push_back(timeline_of(name, pods_on({name}), lines));
      const double waited =
          seconds_between(times.back().last_renewal, times.back().unknown).value_or(-1);
      EXPECT_GE(waited, grace_seconds - std::chrono::duration<double>(dated_to_within).count())
          << name;
      EXPECT_LE(waited, grace_seconds + 2) << name;
      EXPECT_TRUE(times.back().untainted) << name;
    }
    std::cout << delay_table(times) << std::flush;
  }

  std::set<std::string> pods_on(const std::vector<std::string>& names) const {
    std::set<std::string> found;
    for (const nlohmann::json& pod : at_first_) {
      if (std::count(names.begin(), names.end(), node_of(pod)) > 0) found.insert(name_of(pod));
    }
    return found;
  }

  std::vector<nlohmann::json> at_first_;  ///< the pods, all nodes alive
  WallTime all_stand_{};
  std::vector<std::string> silent_;
};

TEST_F(SilentNode, IsCondemnedTaintedEmptiedAndHealedWhileTheOthersAreLeftAlone) {
  start_controller(
      {"--node-monitor-grace-period=6s", "--node-monitor-period=1s", "--node-eviction-rate=1"});
  ASSERT_NO_FATAL_FAILURE(let_nodes_come());
  ASSERT_NO_FATAL_FAILURE(deploy_pods_that_go_soon_and_pods_that_stay());
  ASSERT_NO_FATAL_FAILURE(await_silence());

  for (const std::string& name : silent_) expect_condemned(name);
  for (const std::string& name : silent_) expect_evicted("brief-" + name);
  expect_other_pods_stayed();
  expect_told_in_events();

  for (const std::string& name : silent_) expect_healed(name);
  EXPECT_TRUE(await(20s, [this] { return names_with_ready(pods(), "False").empty(); }));
  EXPECT_EQ(cluster_.get({"pod", "brief-" + silent_[0]}), nlohmann::json::object());

  const std::vector<AuditLine> lines = cluster_.audit_lines();
  expect_only_rightful_requests(lines);
  expect_others_untouched(lines);
  expect_in_time_and_print(lines);
}

class Cordon : public Stage {};

TEST_F(Cordon, IsMirroredAsATaintAndTakenBackBesideAForeignTaint) {
  start_controller({"--leader-elect=false"});
  start_nodes({"--nodes", "2", "--pods-per-node", "0", "--zones", "1", "--schedulable"});
  ASSERT_TRUE(await(20s, [this] { return names_with_ready(nodes(), "True").size() == 2; }));
  const auto taints_become = [this](const std::vector<std::string>& wanted) {
    return await(10s, [&] { return taints_of(cluster_.get({"node", "hollow-1"})) == wanted; });
  };

  cluster_.must({"taint", "node", "hollow-1", "example.com/kept=yes:PreferNoSchedule"});
  cluster_.must({"cordon", "hollow-1"});
  EXPECT_TRUE(taints_become({kept_taint, unschedulable}));

  cluster_.must({"uncordon", "hollow-1"});
  EXPECT_TRUE(taints_become({kept_taint}));
  expect_only_rightful_requests(cluster_.audit_lines());
}

}  // namespace
}  // namespace nlc::real

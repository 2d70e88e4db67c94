#include <gmock/gmock.h>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// manifests/admission-policy.yaml, which an operator may apply: what it refuses of all that the
/// rights of the controller's account allow, and that it leaves the controller what it needs.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct Change {
  std::vector<std::string> of;  ///< what `kubectl patch` is told of the object
  std::string patch;
};

const std::vector<std::string> hollow_1 = {"node", "hollow-1"};
const std::vector<std::string> its_status = {"node", "hollow-1", "--subresource=status"};
const std::vector<std::string> status_of_its_pod = {"pod", "brief-hollow-1",
                                                    "--subresource=status"};

/// SECURITY.md tells of them.
const std::vector<Change> of_no_controller = {
    {hollow_1, R"({"metadata":{"labels":{"role":"other"}}})"},
    {hollow_1, R"({"metadata":{"annotations":{"note":"other"}}})"},
    {hollow_1, R"({"metadata":{"finalizers":["example.com/kept"]}})"},
    {hollow_1, R"({"spec":{"unschedulable":true}})"},
    {hollow_1, R"({"spec":{"taints":[{"key":"example.com/other","effect":"NoExecute"}]}})"},
    {its_status, R"({"status":{"addresses":[{"type":"InternalIP","address":"192.0.2.9"}]}})"},
    {its_status, R"({"status":{"daemonEndpoints":{"kubeletEndpoint":{"Port":9999}}}})"},
    {its_status, R"({"status":{"capacity":{"cpu":"999"}}})"},
    {its_status, R"({"metadata":{"labels":{"role":"other"}}})"},
    {status_of_its_pod, R"({"status":{"podIP":"192.0.2.9","podIPs":[{"ip":"192.0.2.9"}]}})"},
    {status_of_its_pod, R"({"status":{"phase":"Failed"}})"},
    {status_of_its_pod, R"({"metadata":{"labels":{"app":"other"}}})"},
    {status_of_its_pod, R"({"metadata":{"annotations":{"note":"other"}}})"},
};

class AdmissionPolicy : public Stage {
 protected:
  /// kubectl reads what it changes, which the controller does not.
  void let_the_account_read_status() {
    cluster_.must({"create", "clusterrole", "reads-status", "--verb=get",
                   "--resource=nodes/status,pods/status"});
    cluster_.must({"create", "clusterrolebinding", "reads-status", "--clusterrole=reads-status",
                   "--serviceaccount=kube-system:node-lifecycle-controller"});
  }

  void TearDown() override {
    cluster_.kubectl({"delete", "--ignore-not-found", "-f", policy_});
    cluster_.kubectl({"delete", "--ignore-not-found", "clusterrole/reads-status",
                      "clusterrolebinding/reads-status"});
    Stage::TearDown();
  }

  /// Three nodes, with a pod each.
  void let_nodes_and_pods_come(std::vector<std::string> flags = {}) {
    cluster_.controller_account_config();  // the account and its rights
    flags.insert(flags.end(), {"--nodes", "3", "--zones", "1", "--pods-per-node", "0",
                               "--schedulable", "--node-lease-duration-seconds", "6"});
    start_nodes(std::move(flags));
    ASSERT_TRUE(await(20s, [this] { return names_with_ready(nodes(), "True").size() == 3; }));
    for (const std::string& name : names_with_ready(nodes(), "True")) {
      cluster_.must({"create", "-f", "-"}, pod_on(name, "brief", 1).dump());
    }
  }

  void apply_policy() {
    cluster_.must({"apply", "-f", policy_});
    ASSERT_TRUE(await(20s, [this] { return !refusal(of_no_controller.front()).empty(); }));
  }

  /// What the server says to that change by the controller's account; nothing where it would take
  /// it.
  std::string refusal(const Change& change) {
    std::vector<std::string> words = {"patch"};
    words.insert(words.end(), change.of.begin(), change.of.end());
    words.insert(words.end(), {"--type=merge", "--dry-run=server", "-p", change.patch,
                               "--as=system:serviceaccount:kube-system:node-lifecycle-controller"});
    const KubectlAnswer answer = cluster_.kubectl(words);
    return answer.exit_code == 0 ? "" : answer.errors;
  }

  const std::string policy_ = manifests + "/admission-policy.yaml";
};

TEST_F(AdmissionPolicy, RefusesTheAccountWhatItsRightsAllowAndTheControllerNeverWrites) {
  ASSERT_NO_FATAL_FAILURE(let_nodes_and_pods_come());
  let_the_account_read_status();
  for (const Change& change : of_no_controller) {
    EXPECT_THAT(refusal(change), IsEmpty()) << change.patch;
  }
  ASSERT_NO_FATAL_FAILURE(apply_policy());
  for (const Change& change : of_no_controller) {
    EXPECT_THAT(refusal(change), HasSubstr("ValidatingAdmissionPolicy 'node-lifecycle-controller'"))
        << change.patch;
  }
  EXPECT_EQ(cluster_.must({"label", "node", "hollow-1", "role=other"}), "node/hollow-1 labeled\n")
      << "said by somebody else";
}

TEST_F(AdmissionPolicy, LetsTheControllerMarkTaintAndEmptyANodeAndTakeItBack) {
  ASSERT_NO_FATAL_FAILURE(
      let_nodes_and_pods_come({"--kill", "1", "--after", "6s", "--revive-after", "16s"}));
  ASSERT_NO_FATAL_FAILURE(apply_policy());
  start_controller(
      {"--node-monitor-grace-period=6s", "--node-monitor-period=1s", "--node-eviction-rate=1"});

  ASSERT_TRUE(await(30s, [this] { return names_with_ready(nodes(), "Unknown").size() == 1; }));
  const std::string silent = names_with_ready(nodes(), "Unknown").front();
  const auto emptied = [&] {
    const nlohmann::json pod = cluster_.get({"pod", "brief-" + silent});
    return !pod.empty() && is_leaving(pod) && has_condition(pod, "Ready", "False") &&
           has_condition(pod, "DisruptionTarget", "True");
  };
  EXPECT_TRUE(await(10s, emptied)) << in_short(cluster_.get({"pod", "brief-" + silent}));
  const auto healed = [&] {
    const nlohmann::json shown = cluster_.get({"node", silent});
    return has_condition(shown, "Ready", "True") && taints_of(shown).empty();
  };
  EXPECT_TRUE(await(30s, healed)) << in_short(cluster_.get({"node", silent}));
  EXPECT_FALSE(controller_->said({"denied request"})) << controller_->log();
}

}  // namespace
}  // namespace nlc::real

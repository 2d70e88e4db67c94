#include <csignal>
#include <gmock/gmock.h>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/pod_process.h"
#include "tests/real/rig/replicas.h"
#include "tests/real/rig/waiting.h"

/// manifests/ as an operator applies it, and the programs with the flags and the service accounts
/// that the Deployments state.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const nlohmann::json& template_of(const nlohmann::json& deployment) {
  return deployment.at("spec").at("template");
}
const nlohmann::json& container_of(const nlohmann::json& deployment) {
  return template_of(deployment).at("spec").at("containers").at(0);
}

std::vector<std::string> words_of(const nlohmann::json& container) {
  return container.value("args", std::vector<std::string>());
}

void replace_all(std::vector<std::string>& words, const std::string& from, const std::string& to) {
  for (std::string& word : words) {
    if (const std::size_t at = word.find(from); at != std::string::npos) {
      word.replace(at, from.size(), to);
    }
  }
}

bool is_part_of(const nlohmann::json& labels, const nlohmann::json& all) {
  const auto missing = [&all](const std::string& key, const nlohmann::json& value) {
    return !all.contains(key) || all.at(key) != value;
  };
  for (auto label = labels.begin(); label != labels.end(); ++label) {
    if (missing(label.key(), label.value())) return false;
  }
  return true;
}

class Manifests : public Replicas {
 protected:
  nlohmann::json applied(const std::string& kind, const std::string& name,
                         const std::string& space = "kube-system") {
    nlohmann::json object = cluster_.get({kind, name, "-n", space});
    EXPECT_FALSE(object.empty()) << kind << " " << name;
    return object;
  }

  void apply_all() {
    cluster_.must({"apply", "-k", manifests});
    cluster_.must({"apply", "-f", manifests + "/leader-elector.yaml"});
  }

  /// A pod of the Deployment, as its ReplicaSet would make it, in a namespace of that name.
  static nlohmann::json pod_of(const nlohmann::json& deployment, const std::string& space) {
    nlohmann::json pod = template_of(deployment);
    pod["apiVersion"] = "v1";
    pod["kind"] = "Pod";
    pod["metadata"]["name"] = "one";
    pod["metadata"]["namespace"] = space;
    return pod;
  }

  KubectlAnswer create_dry(const nlohmann::json& object) {
    return cluster_.kubectl({"create", "--dry-run=server", "-f", "-"}, object.dump());
  }

  /// As the Deployment states it, save that `port` is not always its own.
  Replica replica_as_stated(const nlohmann::json& deployment, int port) {
    const std::string stem = "replica-" + std::to_string(replicas_.size());
    std::vector<std::string> words = {controller_program().string()};
    for (const std::string& word : words_of(container_of(deployment))) words.push_back(word);
    replace_all(words, ":10290", ":" + std::to_string(port));
    const std::string account = template_of(deployment).at("spec").at("serviceAccountName");
    return {.program = std::make_unique<Controller>(
                run_as_in_pod(
                    {.words = words, .mount = folder_ / stem, .output = folder_ / (stem + ".log")},
                    cluster_.account_config("kube-system", account)),
                port)};
  }

  /// The status of a probe's page.
  int probe(const Replica& replica, const nlohmann::json& deployment, const std::string& name) {
    const nlohmann::json& get = container_of(deployment).at(name).at("httpGet");
    EXPECT_EQ(get.at("port"), "metrics");
    return replica.program->page(get.at("path")).status;
  }
};

TEST_F(Manifests, PassADryRunAndStandAsTheyAreWrittenOnceApplied) {
  const std::string dry =
      cluster_.must({"apply", "--server-side", "--dry-run=server", "-k", manifests});
  EXPECT_THAT(dry, HasSubstr("deployment.apps/node-lifecycle-controller"));
  cluster_.must(
      {"apply", "--server-side", "--dry-run=server", "-f", manifests + "/leader-elector.yaml"});
  apply_all();
  for (const std::vector<std::string>& what :
       {std::vector<std::string>{"-k", manifests},
        std::vector<std::string>{"-f", manifests + "/leader-elector.yaml"}}) {
    const KubectlAnswer difference = cluster_.kubectl({"diff", what[0], what[1]});
    EXPECT_EQ(difference.exit_code, 0) << difference.output << difference.errors;
  }
}

TEST_F(Manifests, ServiceBudgetAndMonitorFindThePodsOfTheDeployment) {
  apply_all();
  const std::string name = "node-lifecycle-controller";
  const nlohmann::json deployment = applied("deployment", name);
  const nlohmann::json labels = template_of(deployment).at("metadata").at("labels");
  const nlohmann::json service = applied("service", name);
  EXPECT_TRUE(is_part_of(service.at("spec").at("selector"), labels));
  EXPECT_EQ(service.at("spec").at("ports").at(0).at("targetPort"),
            container_of(deployment).at("ports").at(0).at("name"));
  const nlohmann::json budget = applied("poddisruptionbudget", name);
  EXPECT_TRUE(is_part_of(budget.at("spec").at("selector").at("matchLabels"), labels));

  cluster_.must({"apply", "-f", std::string(NLC_SOURCE_DIR) + "/tests/real/monitoring-crds.yaml"});
  cluster_.must({"wait", "--for=condition=Established", "crd", "--all", "--timeout=20s"});
  EXPECT_TRUE(await(10s, [this] {
    return cluster_.kubectl({"apply", "-k", manifests + "/monitoring"}).exit_code == 0;
  }));
  const nlohmann::json monitor = applied("servicemonitor", name).at("spec");
  EXPECT_TRUE(
      is_part_of(monitor.at("selector").at("matchLabels"), service.at("metadata").at("labels")));
  EXPECT_EQ(monitor.at("endpoints").at(0).at("port"),
            service.at("spec").at("ports").at(0).at("name"));
}

/// The server's own admission judges the pods that the Deployments would make.
TEST_F(Manifests, PodsAreAdmittedWhereOnlyRestrictedOnesAre) {
  apply_all();
  cluster_.kubectl({"create", "namespace", "restricted"});
  cluster_.must({"label", "--overwrite", "namespace", "restricted",
                 "pod-security.kubernetes.io/enforce=restricted"});
  for (const nlohmann::json& deployment : {applied("deployment", "node-lifecycle-controller"),
                                           applied("deployment", "leader-elector", "default")}) {
    nlohmann::json pod = pod_of(deployment, "restricted");
    EXPECT_EQ(create_dry(pod).errors, "");
    pod["spec"]["securityContext"].erase("runAsNonRoot");
    EXPECT_THAT(create_dry(pod).errors, HasSubstr("violates PodSecurity"));
  }
}

TEST_F(Manifests, ReplicasAsTheDeploymentStatesThemLeadAndHandOver) {
  apply_all();
  const nlohmann::json deployment = applied("deployment", "node-lifecycle-controller");
  EXPECT_EQ(deployment.at("spec").at("replicas"), 2);
  const int stated = container_of(deployment).at("ports").at(0).at("containerPort");
  ASSERT_THAT(words_of(container_of(deployment)),
              ::testing::Contains(HasSubstr(":" + std::to_string(stated))));
  start_nodes({"--nodes", "3", "--pods-per-node", "0", "--zones", "1"});
  for (const int port : {stated, free_port()}) {
    replicas_.push_back(replica_as_stated(deployment, port));
  }
  ASSERT_TRUE(await(30s, [this] { return leaders() == 1; })) << replicas_[0].program->log();
  for (const Replica& one : replicas_) {
    EXPECT_TRUE(await(10s, [&] { return probe(one, deployment, "readinessProbe") == 200; }));
    EXPECT_EQ(probe(one, deployment, "livenessProbe"), 200);
  }
  Replica& ended = leader();
  const WallTime moment = wall_now();
  ended.process().send_signal(SIGTERM);
  cordon_or_uncordon_nodes();
  const std::optional<Handover> seen = handover_since(moment, 20s);
  ASSERT_TRUE(seen);
  EXPECT_LE(seen->write, 500ms);
  EXPECT_EQ(ended.process().wait(5s), 0);
  expect_writes_of_leaders_only();
}

TEST_F(Manifests, TheSideCarLeadsWithTheFlagsAndTheAccountOfItsDeployment) {
  apply_all();
  const nlohmann::json deployment = applied("deployment", "leader-elector", "default");
  const nlohmann::json& container = container_of(deployment);
  std::vector<std::string> words = {sidecar_program().string()};
  for (const std::string& word : words_of(container)) words.push_back(word);
  replace_all(words, "$(POD_NAME)", "leader-elector-0");  // as a kubelet does
  const std::string account = template_of(deployment).at("spec").at("serviceAccountName");
  const Process sidecar = run_as_in_pod({.words = words,
                                         .mount = folder_ / "mount",
                                         .output = folder_ / "sidecar.log",
                                         .space = "default"},
                                        cluster_.account_config("default", account));

  const int port = container.at("ports").at(0).at("containerPort");
  const auto page = [port](const std::string& path) {
    return read_page(port, path).value_or(Page{});
  };
  EXPECT_TRUE(await(20s, [&] { return page("/").text == R"({"name":"leader-elector-0"})"; }))
      << sidecar.output();
  EXPECT_EQ(page(container.at("livenessProbe").at("httpGet").at("path")).status, 200);
  EXPECT_EQ(page(container.at("readinessProbe").at("httpGet").at("path")).status, 200);
  const std::string user = "system:serviceaccount:default:" + account;
  EXPECT_EQ(listed(refusals_of(cluster_.audit_lines(), user, 403)), "");
}

}  // namespace
}  // namespace nlc::real

#include <absl/strings/str_split.h>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/yaml_file.h"

/// What can be known of the manifests, of the image's recipe and of the guides without any cluster.
namespace nlc::manifests {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const std::filesystem::path root = NLC_SOURCE_DIR;

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_TRUE(file) << path;
  return text.str();
}

yaml::Value deployment() { return tests::yaml_file(root / "manifests/deployment.yaml"); }

yaml::Value pod_spec() {
  const yaml::Value object = deployment();
  return object["spec"]["template"]["spec"];
}

/// Guides and the help texts of the program.
std::vector<std::filesystem::path> whatever_operators_read() {
  std::vector<std::filesystem::path> files{root / "README.md", root / "program/flags.cpp"};
  for (const auto& page : std::filesystem::directory_iterator(root / "docs")) {
    if (page.path().extension() == ".md") files.push_back(page.path());
  }
  return files;
}

/// kubeadm starts kube-controller-manager with two controllers that are off by default: who names
/// the flag without them takes them away.
TEST(Takeover, FlagOfKubeControllerManagerIsNeverShownWithoutWhatKubeadmAsksFor) {
  for (const std::filesystem::path& path : whatever_operators_read()) {
    EXPECT_THAT(text_of(path), Not(HasSubstr("*,-node-lifecycle-controller"))) << path;
  }
}

TEST(Takeover, IsToldToKubeadmSoThatItsUpgradeDoesNotUndoIt) {
  const std::string guide = text_of(root / "docs/deploy.md");
  EXPECT_THAT(guide, HasSubstr("extraArgs"));
  EXPECT_THAT(guide, HasSubstr("kubeadm-config"));
}

/// Applied before kube-controller-manager lets go, it would act beside it: the lock is held first.
TEST(Takeover, GuideHoldsTheLockBeforeItAppliesTheManifestsAndReadmeAppliesNothing) {
  const std::string guide = text_of(root / "docs/deploy.md");
  EXPECT_LT(guide.find("holderIdentity"), guide.find("kubectl apply -k manifests`"));
  EXPECT_THAT(text_of(root / "README.md"), Not(HasSubstr("kubectl apply")));
}

/// Where the holder's name alone is erased nobody leads for a retry period (docs/decisions/0032).
TEST(Takeover, GuideLetsGoOfTheLockAsALeaderReleasesIt) {
  EXPECT_THAT(text_of(root / "docs/deploy.md"),
              HasSubstr(R"({"spec":{"holderIdentity":"","leaseDurationSeconds":1}})"));
}

/// A replica on a dead node is replaced in time, and none is placed on a node that is not ready.
TEST(Deployment, ToleratesNodesThatFailForBoundedSecondsAndOnlyNoExecute) {
  std::size_t seen = 0;
  const yaml::Value spec = pod_spec();
  for (const yaml::Value& toleration : spec["tolerations"].list) {
    const std::string& key = toleration["key"].text;
    if (!key.starts_with("node.kubernetes.io/")) continue;
    ++seen;
    EXPECT_EQ(toleration["effect"].text, "NoExecute") << key;
    EXPECT_GT(yaml::json_of(toleration["tolerationSeconds"]), 0) << key;
    EXPECT_LE(yaml::json_of(toleration["tolerationSeconds"]), 60) << key;
  }
  EXPECT_EQ(seen, 2u);
}

TEST(Deployment, SpreadsItsReplicasOverNodesAndZones) {
  const yaml::Value spec = pod_spec();
  EXPECT_EQ(spec["topologySpreadConstraints"].list.at(0)["topologyKey"].text,
            "topology.kubernetes.io/zone");
  const yaml::Value& apart =
      spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  EXPECT_EQ(apart.list.at(0)["topologyKey"].text, "kubernetes.io/hostname");
}

/// When the nodes of all replicas die together nobody is left to mark them, and the pods look well.
TEST(Deployment, PrefersControlPlaneNodesAndRunsOnOthersToo) {
  const yaml::Value spec = pod_spec();
  const yaml::Value& of_nodes = spec["affinity"]["nodeAffinity"];
  const yaml::Value& wish =
      of_nodes["preferredDuringSchedulingIgnoredDuringExecution"].list.at(0)["preference"];
  const yaml::Value& label = wish["matchExpressions"].list.at(0);
  EXPECT_EQ(label["key"].text, "node-role.kubernetes.io/control-plane");
  EXPECT_EQ(label["operator"].text, "Exists");
  EXPECT_FALSE(of_nodes["requiredDuringSchedulingIgnoredDuringExecution"].is_defined());
}

/// The probes' port, by name, and no other pod's.
TEST(NetworkPolicy, LetsWhoScrapesComeToTheDeploymentsPods) {
  const yaml::Value policy = tests::yaml_file(root / "manifests/network-policy.yaml");
  const yaml::Value object = deployment();
  const yaml::Value& pods = object["spec"]["template"];
  const yaml::Value& selected = policy["spec"]["podSelector"]["matchLabels"];
  ASSERT_EQ(selected.map.size(), 1u);
  EXPECT_EQ(pods["metadata"]["labels"][selected.map[0].key].text, selected.map[0].value.text);
  EXPECT_EQ(policy["spec"]["ingress"].list.at(0)["ports"].list.at(0)["port"].text,
            pods["spec"]["containers"].list.at(0)["ports"].list.at(0)["name"].text);
}

TEST(Chart, IsOfTheProgramsVersionAndItsImageToo) {
  const yaml::Value chart = tests::yaml_file(root / "manifests/chart/Chart.yaml");
  EXPECT_EQ(chart["appVersion"].text, NLC_VERSION);
  const yaml::Value spec = pod_spec();
  EXPECT_EQ(spec["containers"].list.at(0)["image"].text, "node-lifecycle-controller:" NLC_VERSION);
}

/// What a chart cannot give away: who it is to the server, its lock, which RBAC names, its port. An
/// observer has manifests and rights of its own.
TEST(Chart, TakesEveryFlagThatDoesNotStandInTheDeploymentOrInItsRights) {
  const std::string page = text_of(root / "docs/flags.md");
  const std::regex row("\n\\| `(?:-v`, `)?--([a-z-]+)`");
  const std::regex kept(
      "kubeconfig|context|observe|leader-elect|leader-elect-resource-.*|policy-configmap-.*|"
      "metrics-.*|"
      "secure-port|bind-address|tls-.*");
  std::set<std::string> told;
  for (std::sregex_iterator at(page.begin(), page.end(), row), end; at != end; ++at) {
    if (!std::regex_match((*at)[1].str(), kept)) told.insert((*at)[1]);
  }
  const auto schema = nlohmann::json::parse(text_of(root / "manifests/chart/values.schema.json"));
  const auto& flags = schema.at("properties").at("flags");
  EXPECT_FALSE(flags.at("additionalProperties").get<bool>());
  std::set<std::string> taken;
  for (const auto& [flag, kind] : flags.at("properties").items()) taken.insert(flag);
  EXPECT_EQ(taken, told);
}

TEST(Kustomization, LeavesTheImageAsTheDeploymentNamesIt) {
  const yaml::Value kustomization = tests::yaml_file(root / "manifests/kustomization.yaml");
  EXPECT_FALSE(kustomization["images"].is_defined());
}

std::vector<yaml::Value> alerts() {
  const yaml::Value rules = tests::yaml_file(root / "manifests/monitoring/rules.yaml");
  return rules["spec"]["groups"].list.at(0)["rules"].list;
}

std::set<std::string> names_of_alerts() {
  std::set<std::string> names;
  for (const yaml::Value& rule : alerts()) names.insert(rule["alert"].text);
  return names;
}

/// What it fires on is tried by promtool with a real server (tests/real/monitoring_test.cpp).
TEST(Alerts, AreEachTriedBeforeTheirTimeAndInIt) {
  const std::string tries = text_of(root / "tests/real/alerts_test.yaml");
  for (const std::string& name : names_of_alerts()) {
    EXPECT_THAT(tries, HasSubstr("alertname: " + name + ", exp_alerts: []"));
    EXPECT_THAT(tries, HasSubstr("alertname: " + name + "\n"));
  }
}

TEST(Alerts, HaveEachAPageAndEachPageAnAlert) {
  std::set<std::string> pages;
  for (const auto& page : std::filesystem::directory_iterator(root / "docs/runbooks")) {
    if (page.path().filename() != "README.md") pages.insert(page.path().stem());
  }
  EXPECT_EQ(pages, names_of_alerts());
  for (const yaml::Value& rule : alerts()) {
    const std::string& name = rule["alert"].text;
    const std::string& url = rule["annotations"]["runbook_url"].text;
    EXPECT_TRUE(url.ends_with("/docs/runbooks/" + name + ".md")) << url;
  }
}

TEST(Alerts, StandInTheListOfPagesWithTheirSeverity) {
  const std::string list = text_of(root / "docs/runbooks/README.md");
  for (const yaml::Value& rule : alerts()) {
    const std::string& name = rule["alert"].text;
    EXPECT_THAT(list, HasSubstr("| [" + name + "](" + name + ".md) | " +
                                rule["labels"]["severity"].text + " |"));
  }
}

TEST(Alerts, PagesSayWhatItMeansWhatToLookAtAndWhatToDo) {
  for (const std::string& name : names_of_alerts()) {
    const std::string page = text_of(root / "docs/runbooks" / (name + ".md"));
    EXPECT_TRUE(page.starts_with("# " + name + "\n\n## Meaning\n")) << name;
    EXPECT_LT(page.find("\n## Meaning\n"), page.find("\n## What to look at\n")) << name;
    EXPECT_LT(page.find("\n## What to look at\n"), page.find("\n## What to do\n")) << name;
    EXPECT_NE(page.find("\n## What to do\n"), page.npos) << name;
  }
}

/// It is put before `/docs/` of each runbook_url.
TEST(Alerts, AreToldInOnePlaceWhereTheirPagesAreToBeRead) {
  const yaml::Value pages = tests::yaml_file(root / "manifests/monitoring/pages.yaml");
  const std::string& url = pages["data"]["url"].text;
  EXPECT_TRUE(url.starts_with("https://")) << url;
  EXPECT_FALSE(url.ends_with('/')) << url;
}

std::set<std::string> metrics_in(const std::string& expressions) {
  std::set<std::string> names;
  const std::regex name(
      "\\b(nlc|node_collector|taint_eviction|leader_election|rest_client|workqueue|process)_[a-z_]"
      "+");
  for (std::sregex_iterator at(expressions.begin(), expressions.end(), name), end; at != end; ++at)
    names.insert(std::regex_replace(at->str(), std::regex("_bucket$"), ""));
  return names;
}

std::string queries_of_the_dashboard() {
  const auto dashboard =
      nlohmann::json::parse(text_of(root / "manifests/chart/files/dashboard.json"));
  std::string queries;
  for (const nlohmann::json& panel : dashboard.at("panels")) {
    for (const nlohmann::json& target : panel.value("targets", nlohmann::json::array())) {
      queries += target.at("expr").get<std::string>() + "\n";
    }
  }
  return queries;
}

/// Whoever was woken by an alert finds there what it is about.
TEST(Dashboard, ShowsEveryMetricThatAnAlertAsksFor) {
  std::string expressions;
  for (const yaml::Value& rule : alerts()) expressions += rule["expr"].text + "\n";
  const std::set<std::string> shown = metrics_in(queries_of_the_dashboard());
  for (const std::string& name : metrics_in(expressions)) {
    if (name == "nlc_build_info") continue;  // tells our replicas from other programs, as $job does
    EXPECT_EQ(shown.count(name), 1u) << name;
  }
}

TEST(Dashboard, AsksOnlyForMetricsThatTheirPageTells) {
  const std::string page = text_of(root / "docs/metrics.md");
  for (const std::string& name : metrics_in(queries_of_the_dashboard())) {
    const bool of_process = name.starts_with("process_");
    EXPECT_THAT(page, HasSubstr("`" + (of_process ? "process_*" : name) + "`"));
  }
}

/// One write may be all that is seen of another controller in a quarter of an hour.
TEST(Alerts, TellOfTwoMastersByASingleForeignWrite) {
  for (const yaml::Value& rule : alerts()) {
    if (rule["alert"].text != "NodeLifecycleTwoMasters") continue;
    EXPECT_EQ(rule["expr"].text, "sum(increase(nlc_foreign_writes_total[15m])) > 0");
    EXPECT_FALSE(rule["for"].is_defined());
    return;
  }
  FAIL() << "NodeLifecycleTwoMasters is not there";
}

/// Every rule of every role in manifests/observe that allows more than reading.
std::vector<yaml::Value> rules_that_write() {
  std::vector<yaml::Value> found;
  const std::string text = text_of(root / "manifests/observe/rbac.yaml");
  const std::vector<std::string> objects = absl::StrSplit(text, "\n---\n");
  for (const std::string& each : objects) {
    const yaml::Value object = yaml::read(each);
    for (const yaml::Value& rule : object["rules"].list) {
      for (const yaml::Value& verb : rule["verbs"].list) {
        const std::string& word = verb.text;
        if (word == "get" || word == "list" || word == "watch") continue;
        found.push_back(rule);
        break;
      }
    }
  }
  return found;
}

TEST(Observer, MayOnlyReadAndHoldALockOfItsOwn) {
  const std::vector<yaml::Value> rules = rules_that_write();
  ASSERT_EQ(rules.size(), 2U) << "create of leases, update of one";
  for (const yaml::Value& rule : rules) {
    EXPECT_EQ(rule["resources"].list.size(), 1U);
    EXPECT_EQ(rule["resources"].list.at(0).text, "leases");
  }
  EXPECT_EQ(rules[0]["verbs"].list.size(), 1U);
  EXPECT_EQ(rules[1]["resourceNames"].list.at(0).text, "node-lifecycle-controller-observe");
}

TEST(Observer, IsToldToObserveAndContendsForItsOwnLock) {
  const yaml::Value deployment = tests::yaml_file(root / "manifests/observe/deployment.yaml");
  const yaml::Value& pods = deployment["spec"]["template"]["spec"];
  std::set<std::string> words;
  for (const yaml::Value& word : pods["containers"].list.at(0)["args"].list)
    words.insert(word.text);
  EXPECT_TRUE(words.contains("--observe"));
  EXPECT_TRUE(words.contains("--leader-elect-resource-name=node-lifecycle-controller-observe"));
}

TEST(Takeover, BeginsWithAnObserver) {
  const std::string guide = text_of(root / "docs/deploy.md");
  EXPECT_LT(guide.find("kubectl apply -k manifests/observe"), guide.find("holderIdentity"));
}

/// Debian's image brings no make.
TEST(Containerfile, FirstStageInstallsMakeBeforeItRunsIt) {
  const std::string file = text_of(root / "Containerfile");
  const std::string stage = file.substr(0, file.rfind("\nFROM "));
  const std::size_t installed = stage.find("apt-get install");
  ASSERT_NE(installed, stage.npos);
  EXPECT_THAT(stage.substr(installed, stage.find('\n', installed) - installed), HasSubstr(" make"));
  EXPECT_LT(installed, stage.find("RUN make"));
}

}  // namespace
}  // namespace nlc::manifests

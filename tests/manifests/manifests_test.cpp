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
#include <yaml-cpp/yaml.h>

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

YAML::Node deployment() { return YAML::LoadFile(root / "manifests/deployment.yaml"); }
YAML::Node pod_spec() { return deployment()["spec"]["template"]["spec"]; }

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

/// A replica on a dead node is replaced in time, and none is placed on a node that is not ready.
TEST(Deployment, ToleratesNodesThatFailForBoundedSecondsAndOnlyNoExecute) {
  std::size_t seen = 0;
  for (const YAML::Node& toleration : pod_spec()["tolerations"]) {
    const auto key = toleration["key"].as<std::string>();
    if (!key.starts_with("node.kubernetes.io/")) continue;
    ++seen;
    EXPECT_EQ(toleration["effect"].as<std::string>(""), "NoExecute") << key;
    EXPECT_GT(toleration["tolerationSeconds"].as<int>(0), 0) << key;
    EXPECT_LE(toleration["tolerationSeconds"].as<int>(0), 60) << key;
  }
  EXPECT_EQ(seen, 2u);
}

TEST(Deployment, SpreadsItsReplicasOverNodesAndZones) {
  const YAML::Node spec = pod_spec();
  EXPECT_EQ(spec["topologySpreadConstraints"][0]["topologyKey"].as<std::string>(),
            "topology.kubernetes.io/zone");
  const YAML::Node apart =
      spec["affinity"]["podAntiAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"];
  EXPECT_EQ(apart[0]["topologyKey"].as<std::string>(), "kubernetes.io/hostname");
}

/// The probes' port, by name, and no other pod's.
TEST(NetworkPolicy, LetsWhoScrapesComeToTheDeploymentsPods) {
  const YAML::Node policy = YAML::LoadFile(root / "manifests/network-policy.yaml")["spec"];
  const YAML::Node labels = deployment()["spec"]["template"]["metadata"]["labels"];
  ASSERT_EQ(policy["podSelector"]["matchLabels"].size(), 1u);
  for (const auto& label : policy["podSelector"]["matchLabels"]) {
    EXPECT_EQ(labels[label.first.as<std::string>()].as<std::string>(""),
              label.second.as<std::string>());
  }
  EXPECT_EQ(policy["ingress"][0]["ports"][0]["port"].as<std::string>(""),
            pod_spec()["containers"][0]["ports"][0]["name"].as<std::string>());
}

TEST(Chart, IsOfTheProgramsVersionAndItsImageToo) {
  const YAML::Node chart = YAML::LoadFile(root / "manifests/chart/Chart.yaml");
  EXPECT_EQ(chart["appVersion"].as<std::string>(), NLC_VERSION);
  EXPECT_EQ(pod_spec()["containers"][0]["image"].as<std::string>(),
            "node-lifecycle-controller:" NLC_VERSION);
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
  EXPECT_FALSE(YAML::LoadFile(root / "manifests/kustomization.yaml")["images"].IsDefined());
}

YAML::Node alerts() {
  return YAML::LoadFile(root / "manifests/monitoring/rules.yaml")["spec"]["groups"][0]["rules"];
}

std::set<std::string> names_of_alerts() {
  std::set<std::string> names;
  for (const YAML::Node& rule : alerts()) names.insert(rule["alert"].as<std::string>());
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
  for (const YAML::Node& rule : alerts()) {
    const auto name = rule["alert"].as<std::string>();
    const auto url = rule["annotations"]["runbook_url"].as<std::string>("");
    EXPECT_TRUE(url.ends_with("/docs/runbooks/" + name + ".md")) << url;
  }
}

TEST(Alerts, StandInTheListOfPagesWithTheirSeverity) {
  const std::string list = text_of(root / "docs/runbooks/README.md");
  for (const YAML::Node& rule : alerts()) {
    const auto name = rule["alert"].as<std::string>();
    EXPECT_THAT(list, HasSubstr("| [" + name + "](" + name + ".md) | " +
                                rule["labels"]["severity"].as<std::string>() + " |"));
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
  const YAML::Node pages = YAML::LoadFile(root / "manifests/monitoring/pages.yaml");
  const auto url = pages["data"]["url"].as<std::string>("");
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
  for (const YAML::Node& rule : alerts()) expressions += rule["expr"].as<std::string>() + "\n";
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
  for (const YAML::Node& rule : alerts()) {
    if (rule["alert"].as<std::string>() != "NodeLifecycleTwoMasters") continue;
    EXPECT_EQ(rule["expr"].as<std::string>(), "sum(increase(nlc_foreign_writes_total[15m])) > 0");
    EXPECT_FALSE(rule["for"].IsDefined());
    return;
  }
  FAIL() << "NodeLifecycleTwoMasters is not there";
}

/// Every rule of every role in manifests/observe that allows more than reading.
std::vector<YAML::Node> rules_that_write() {
  std::vector<YAML::Node> found;
  for (const YAML::Node& object : YAML::LoadAllFromFile(root / "manifests/observe/rbac.yaml")) {
    for (const YAML::Node& rule : object["rules"]) {
      for (const YAML::Node& verb : rule["verbs"]) {
        const auto word = verb.as<std::string>();
        if (word == "get" || word == "list" || word == "watch") continue;
        found.push_back(rule);
        break;
      }
    }
  }
  return found;
}

TEST(Observer, MayOnlyReadAndHoldALockOfItsOwn) {
  const std::vector<YAML::Node> rules = rules_that_write();
  ASSERT_EQ(rules.size(), 2U) << "create of leases, update of one";
  for (const YAML::Node& rule : rules) {
    EXPECT_EQ(rule["resources"].size(), 1U);
    EXPECT_EQ(rule["resources"][0].as<std::string>(), "leases");
  }
  EXPECT_EQ(rules[0]["verbs"].size(), 1U);
  EXPECT_EQ(rules[1]["resourceNames"][0].as<std::string>(), "node-lifecycle-controller-observe");
}

TEST(Observer, IsToldToObserveAndContendsForItsOwnLock) {
  const YAML::Node deployment = YAML::LoadFile(root / "manifests/observe/deployment.yaml");
  const YAML::Node args = deployment["spec"]["template"]["spec"]["containers"][0]["args"];
  std::set<std::string> words;
  for (const YAML::Node& word : args) words.insert(word.as<std::string>());
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

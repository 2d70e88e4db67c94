#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
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
  EXPECT_LT(guide.find("holderIdentity"), guide.find("kubectl apply -k manifests"));
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

TEST(Kustomization, LeavesTheImageAsTheDeploymentNamesIt) {
  EXPECT_FALSE(YAML::LoadFile(root / "manifests/kustomization.yaml")["images"].IsDefined());
}

/// What it fires on is tried by promtool with a real server (tests/real/monitoring_test.cpp).
TEST(Alerts, AreEachToldInTheGuideAndTried) {
  const YAML::Node rules = YAML::LoadFile(root / "manifests/monitoring/rules.yaml");
  const std::string guide = text_of(root / "docs/deploy.md");
  const std::string tries = text_of(root / "tests/real/alerts_test.yaml");
  std::size_t seen = 0;
  for (const YAML::Node& rule : rules["spec"]["groups"][0]["rules"]) {
    const auto name = rule["alert"].as<std::string>();
    EXPECT_THAT(guide, HasSubstr("| `" + name + "` |"));
    EXPECT_THAT(tries, HasSubstr("alertname: " + name));
    ++seen;
  }
  EXPECT_EQ(seen, 7u);
}

/// One write may be all that is seen of another controller in a quarter of an hour.
TEST(Alerts, TellOfTwoMastersByASingleForeignWrite) {
  const YAML::Node rules = YAML::LoadFile(root / "manifests/monitoring/rules.yaml");
  for (const YAML::Node& rule : rules["spec"]["groups"][0]["rules"]) {
    if (rule["alert"].as<std::string>() != "NodeLifecycleTwoMasters") continue;
    EXPECT_EQ(rule["expr"].as<std::string>(), "sum(increase(nlc_foreign_writes_total[15m])) > 0");
    EXPECT_FALSE(rule["for"].IsDefined());
    return;
  }
  FAIL() << "NodeLifecycleTwoMasters is not there";
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

#include "net/config/in_cluster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "net/config/find_cluster.h"
#include "tests/net/certificates.h"
#include "tests/net/config/environment.h"
#include "tests/net/temporary_folder.h"

namespace nlc::tests {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class InCluster : public testing::Test {
 protected:
  Result<net::ClusterConfig> load(std::map<std::string, std::string> given) {
    return net::load_in_cluster(environment(std::move(given)), folder.path("mount"));
  }
  void mount() {
    folder.write("mount/token", "t\n");
    folder.write("mount/ca.crt", TestCa().certificate());
    folder.write("mount/namespace", "kube-system\n");
  }
  const std::map<std::string, std::string> variables{{"KUBERNETES_SERVICE_HOST", "10.96.0.1"},
                                                     {"KUBERNETES_SERVICE_PORT", "443"}};
  TemporaryFolder folder;
};

TEST_F(InCluster, PodReachesTheServerOfItsVariablesWithItsServiceAccount) {
  mount();
  const auto config = load(variables);
  ASSERT_TRUE(config) << config.error().path;
  EXPECT_EQ(config->host, "10.96.0.1");
  EXPECT_EQ(config->port, 443);
  EXPECT_EQ(config->token_file, folder.path("mount/token"));
  EXPECT_EQ(config->ca.file, folder.path("mount/ca.crt"));
  EXPECT_EQ(config->namespace_name, "kube-system");
}

TEST_F(InCluster, HostMayBeAnIpv6AddressWithOrWithoutBrackets) {
  mount();
  for (const std::string host : {"fd00::1", "[fd00::1]"}) {
    const auto config =
        load({{"KUBERNETES_SERVICE_HOST", host}, {"KUBERNETES_SERVICE_PORT", "443"}});
    ASSERT_TRUE(config);
    EXPECT_EQ(net::server_url(*config), "https://[fd00::1]:443");
  }
}

TEST_F(InCluster, NamespaceIsTheVariableThenTheMountThenDefault) {
  mount();
  auto named = variables;
  named["POD_NAMESPACE"] = "mine";
  EXPECT_EQ(load(named)->namespace_name, "mine");
  folder.write("mount/namespace", "");
  EXPECT_EQ(load(variables)->namespace_name, "default");
}

TEST_F(InCluster, KubeconfigThatIsNamedByFileOrContextGoesBeforeThePodsServiceAccount) {
  const std::string file =
      folder.write("config",
                   "apiVersion: v1\nkind: Config\ncurrent-context: dev\n"
                   "clusters: [{name: c, cluster: {server: 'https://10.0.0.1:6443'}}]\n"
                   "users: [{name: ada, user: {token: abc}}]\n"
                   "contexts: [{name: dev, context: {cluster: c, user: ada, namespace: web}}]\n");
  auto in_pod = variables;
  EXPECT_EQ(net::find_cluster({.file = file, .context = {}}, environment(in_pod))->context, "dev");
  in_pod["KUBECONFIG"] = file;
  EXPECT_EQ(net::find_cluster({.file = {}, .context = "dev"}, environment(in_pod))->context, "dev");
  const auto unnamed = net::find_cluster({}, environment(in_pod));
  ASSERT_FALSE(unnamed) << "this machine has no service account";
  EXPECT_THAT(unnamed.error().path, HasSubstr(net::service_account_mount));
}

TEST_F(InCluster, OutsideOfAPodTheErrorSaysWhatToGive) {
  for (const std::string missing : {"KUBERNETES_SERVICE_HOST", "KUBERNETES_SERVICE_PORT"}) {
    auto some = variables;
    some.erase(missing);
    const auto config = load(some);
    ASSERT_FALSE(config);
    EXPECT_THAT(config.error().path, AllOf(HasSubstr(missing), HasSubstr("--kubeconfig")));
  }
}

TEST_F(InCluster, MountThatIsMissingEmptyOrWithoutACertificateIsNamed) {
  EXPECT_THAT(load(variables).error().path,
              HasSubstr(folder.path("mount/token") + ": No such file"));
  mount();
  folder.write("mount/ca.crt", "");
  EXPECT_THAT(load(variables).error().path,
              HasSubstr(folder.path("mount/ca.crt") + ": it is empty"));
  folder.write("mount/ca.crt", "no certificate\n");
  EXPECT_THAT(load(variables).error().path,
              HasSubstr("in-cluster configuration: " + folder.path("mount/ca.crt") +
                        ": no certificate is in it; PEM is expected"));
  EXPECT_THAT(
      load({{"KUBERNETES_SERVICE_HOST", "x"}, {"KUBERNETES_SERVICE_PORT", "0"}}).error().path,
      HasSubstr("KUBERNETES_SERVICE_PORT is \"0\""));
}

}  // namespace
}  // namespace nlc::tests

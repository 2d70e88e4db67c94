#include "real_cluster.h"

#include <gtest/gtest.h>
#include <iostream>

#include "waiting.h"

/// What the other tests of this folder stand on, shown without any program of ours.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

TEST(RealCluster, StartsServesOverTlsAndRefusesWhatRbacDoesNotGrant) {
  RealCluster cluster;
  std::cout << "kube-apiserver " << cluster.server_version() << "\n";
  const Kubeconfig account = cluster.controller_account_config();
  const auto file = write_kubeconfig(cluster.folder() / "account.kubeconfig", account);

  EXPECT_EQ(cluster.kubectl_as(file, {"get", "nodes"}).exit_code, 0);
  EXPECT_TRUE(refusals_of(cluster.audit_lines(), controller_account, 403).empty());

  const KubectlAnswer refused = cluster.kubectl_as(file, {"get", "secrets", "-n", "kube-system"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.errors.find(controller_account), std::string::npos) << refused.errors;
  EXPECT_EQ(refusals_of(cluster.audit_lines(), controller_account, 403).size(), 1u)
      << listed(cluster.audit_lines());
}

TEST(RealCluster, RefusesAClientThatTrustsAnotherAuthorityOrBringsABadToken) {
  RealCluster cluster;
  const Authority stranger(cluster.folder(), "stranger-ca");
  Kubeconfig config = cluster.admin();

  config.authority = stranger.certificate();
  const auto wrong_ca = write_kubeconfig(cluster.folder() / "wrong-ca.kubeconfig", config);
  EXPECT_NE(cluster.kubectl_as(wrong_ca, {"get", "nodes"}).errors.find("certificate"),
            std::string::npos);

  config = cluster.admin();
  config.token = "nobody";
  const auto bad_token = write_kubeconfig(cluster.folder() / "bad-token.kubeconfig", config);
  EXPECT_NE(cluster.kubectl_as(bad_token, {"get", "nodes"}).exit_code, 0);
}

TEST(RealCluster, AcceptsClientCertificatesOfItsAuthorityAndTokensFromAFile) {
  RealCluster cluster;
  Kubeconfig config = cluster.controller_account_config();
  const auto token_file = cluster.folder() / "token";
  write_text(token_file, config.token);
  config.token_file = token_file;
  config.token.clear();
  const auto by_file = write_kubeconfig(cluster.folder() / "by-file.kubeconfig", config);
  EXPECT_EQ(cluster.kubectl_as(by_file, {"get", "nodes"}).exit_code, 0);

  const KeyPair pair =
      cluster.authority().issue({.file_stem = "client", .subject = "/CN=" + controller_account});
  config.token_file.clear();
  config.certificate = pair.certificate;
  config.key = pair.key;
  const auto by_certificate =
      write_kubeconfig(cluster.folder() / "by-certificate.kubeconfig", config);
  EXPECT_EQ(cluster.kubectl_as(by_certificate, {"get", "nodes"}).exit_code, 0);
}

TEST(RealCluster, ComesBackOnTheSamePortWithItsObjectsAfterACrash) {
  RealCluster cluster;
  cluster.must({"create", "namespace", "kept"});

  cluster.stop_server();
  EXPECT_NE(cluster.kubectl({"get", "namespace", "kept"}).exit_code, 0);

  cluster.start_server();
  EXPECT_EQ(cluster.kubectl({"get", "namespace", "kept"}).exit_code, 0);
}

TEST(RealCluster, AnswersNobodyWhilePausedAndEverybodyAfterwards) {
  RealCluster cluster;

  cluster.pause_server();
  EXPECT_NE(cluster.kubectl({"get", "nodes", "--request-timeout=2s"}).exit_code, 0);

  cluster.resume_server();
  EXPECT_TRUE(await(20s, [&] { return cluster.kubectl({"get", "nodes"}).exit_code == 0; }));
}

/// Each rule of manifests/rbac.yaml is one that the server knows how to grant, and the dangerous
/// neighbours of each stay closed.
TEST(RbacManifest, GrantsWhatTheControllerWritesAndNothingBesideIt) {
  RealCluster cluster;
  cluster.controller_account_config();
  const auto may = [&](std::vector<std::string> question) {
    question.insert(question.begin(), {"auth", "can-i", "-q"});
    question.insert(question.end(), {"--as", controller_account});
    return cluster.kubectl(question).exit_code == 0;
  };

  EXPECT_TRUE(may({"patch", "nodes"}));
  EXPECT_TRUE(may({"patch", "nodes", "--subresource=status"}));
  EXPECT_TRUE(may({"delete", "pods", "-n", "default"}));
  EXPECT_TRUE(may({"patch", "pods", "--subresource=status", "-n", "default"}));
  EXPECT_TRUE(may({"create", "events", "-n", "default"}));
  EXPECT_TRUE(may({"watch", "leases.coordination.k8s.io", "-n", "kube-node-lease"}));
  EXPECT_TRUE(may({"create", "leases.coordination.k8s.io", "-n", "kube-system"}));
  EXPECT_TRUE(
      may({"update", "leases.coordination.k8s.io/node-lifecycle-controller", "-n", "kube-system"}));

  EXPECT_FALSE(
      may({"update", "leases.coordination.k8s.io/kube-controller-manager", "-n", "kube-system"}));
  EXPECT_FALSE(may({"update", "leases.coordination.k8s.io", "-n", "kube-node-lease"}));
  EXPECT_FALSE(may({"list", "leases.coordination.k8s.io", "-n", "default"}));
  EXPECT_FALSE(may({"delete", "nodes"}));
  EXPECT_FALSE(may({"update", "nodes"}));
  EXPECT_FALSE(may({"patch", "pods", "-n", "default"}));
  EXPECT_FALSE(may({"create", "pods", "--subresource=eviction", "-n", "default"}));
  EXPECT_FALSE(may({"list", "secrets", "-n", "kube-system"}));
}

}  // namespace
}  // namespace nlc::real

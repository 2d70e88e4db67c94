#include <gtest/gtest.h>

#include "stage.h"
#include "waiting.h"

/// What the other tests of this folder stand on, shown without any program of ours.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

class ClusterOfTheStories : public Stage {};

TEST_F(ClusterOfTheStories, StartsServesOverTlsAndRefusesWhatRbacDoesNotGrant) {
  const Kubeconfig account = cluster_.controller_account_config();
  const auto file = write_kubeconfig(folder_ / "account.kubeconfig", account);

  EXPECT_EQ(cluster_.kubectl_as(file, {"get", "nodes"}).exit_code, 0);
  EXPECT_TRUE(refusals_of(cluster_.audit_lines(), controller_account, 403).empty());

  const KubectlAnswer refused = cluster_.kubectl_as(file, {"get", "secrets", "-n", "kube-system"});
  EXPECT_NE(refused.exit_code, 0);
  EXPECT_NE(refused.errors.find(controller_account), std::string::npos) << refused.errors;
  EXPECT_EQ(refusals_of(cluster_.audit_lines(), controller_account, 403).size(), 1u)
      << listed(cluster_.audit_lines());
}

TEST_F(ClusterOfTheStories, RefusesAClientThatTrustsAnotherAuthorityOrBringsABadToken) {
  const Authority stranger(folder_, "stranger-ca");
  Kubeconfig config = cluster_.admin();

  config.authority = stranger.certificate();
  const auto wrong_ca = write_kubeconfig(folder_ / "wrong-ca.kubeconfig", config);
  EXPECT_NE(cluster_.kubectl_as(wrong_ca, {"get", "nodes"}).errors.find("certificate"),
            std::string::npos);

  config = cluster_.admin();
  config.token = "nobody";
  const auto bad_token = write_kubeconfig(folder_ / "bad-token.kubeconfig", config);
  EXPECT_NE(cluster_.kubectl_as(bad_token, {"get", "nodes"}).exit_code, 0);
}

TEST_F(ClusterOfTheStories, AcceptsClientCertificatesOfItsAuthorityAndTokensFromAFile) {
  Kubeconfig config = cluster_.controller_account_config();
  const auto token_file = folder_ / "token";
  write_text(token_file, config.token);
  config.token_file = token_file;
  config.token.clear();
  const auto by_file = write_kubeconfig(folder_ / "by-file.kubeconfig", config);
  EXPECT_EQ(cluster_.kubectl_as(by_file, {"get", "nodes"}).exit_code, 0);

  const KeyPair pair =
      cluster_.authority().issue({.file_stem = "client", .subject = "/CN=" + controller_account});
  config.token_file.clear();
  config.certificate = pair.certificate;
  config.key = pair.key;
  const auto by_certificate = write_kubeconfig(folder_ / "by-certificate.kubeconfig", config);
  EXPECT_EQ(cluster_.kubectl_as(by_certificate, {"get", "nodes"}).exit_code, 0);
}

TEST_F(ClusterOfTheStories, ComesBackOnTheSamePortWithItsObjectsAfterACrash) {
  cluster_.must({"create", "namespace", "kept"});

  cluster_.stop_server();
  EXPECT_NE(cluster_.kubectl({"get", "namespace", "kept"}).exit_code, 0);

  cluster_.start_server();
  EXPECT_EQ(cluster_.kubectl({"get", "namespace", "kept"}).exit_code, 0);
}

TEST_F(ClusterOfTheStories, AnswersNobodyWhilePausedAndEverybodyAfterwards) {
  cluster_.pause_server();
  EXPECT_NE(cluster_.kubectl({"get", "nodes", "--request-timeout=1s"}).exit_code, 0);

  cluster_.resume_server();
  EXPECT_TRUE(await(20s, [&] { return cluster_.kubectl({"get", "nodes"}).exit_code == 0; }));
}

class RbacManifest : public Stage {};

/// Each rule of manifests/rbac.yaml is one that the server knows how to grant, and the dangerous
/// neighbours of each stay closed.
TEST_F(RbacManifest, GrantsWhatTheControllerWritesAndNothingBesideIt) {
  cluster_.controller_account_config();
  const auto may = [&](std::vector<std::string> question) {
    question.insert(question.begin(), {"auth", "can-i", "-q"});
    question.insert(question.end(), {"--as", controller_account});
    return cluster_.kubectl(question).exit_code == 0;
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

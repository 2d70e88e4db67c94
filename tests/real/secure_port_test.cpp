#include <algorithm>
#include <gmock/gmock.h>
#include <iostream>

#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// The secure port: a real API server says who calls and who may, the certificate is rotated under
/// a living program, and curl is the caller.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string component = std::string(NLC_SOURCE_DIR) + "/manifests/secure-port";

class SecurePort : public Stage {
 protected:
  /// The controller's own rights, that to have callers checked, and two accounts of which one may.
  void grant() {
    cluster_.controller_account_config();
    cluster_.must({"apply", "-f", component + "/auth-delegator.yaml"});
    cluster_.must({"apply", "-f", "-"}, R"({"apiVersion": "v1", "kind": "List", "items": [
        {"apiVersion": "v1", "kind": "ServiceAccount",
         "metadata": {"name": "scraper", "namespace": "default"}},
        {"apiVersion": "v1", "kind": "ServiceAccount",
         "metadata": {"name": "stranger", "namespace": "default"}},
        {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRoleBinding",
         "metadata": {"name": "scraper"},
         "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole",
                     "name": "system:monitoring"},
         "subjects": [{"kind": "ServiceAccount", "name": "scraper", "namespace": "default"}]}]})");
    may_ = cluster_.account_config("default", "scraper").token;
    may_not_ = cluster_.account_config("default", "stranger").token;
  }

  void serve(std::vector<std::string> flags) {
    port_ = free_port();
    flags.push_back("--secure-port=" + std::to_string(port_));
    flags.push_back("--bind-address=127.0.0.1");
    start_controller(std::move(flags));
    ASSERT_TRUE(await(20s, [this] { return curl("/readyz", "", {"-k"}).status == 200; }))
        << controller_->log();
  }

  /// Lines of the log leave behind the answers that they are about.
  bool comes_to_say(const std::vector<std::string>& words) {
    return await(5s, [&] { return controller_->said(words); }).has_value();
  }

  /// As `curl` prints it; status 0 where there was no answer.
  Page curl(const std::string& path, const std::string& token,
            const std::vector<std::string>& more) {
    const auto stem = (folder_ / ("curl-" + std::to_string(calls_++))).string();
    std::vector<std::string> words{"curl", "-sS",          "--max-time", "20",
                                   "-o",   stem + ".body", "-w",         "%{http_code}"};
    words.insert(words.end(), more.begin(), more.end());
    if (!token.empty()) words.insert(words.end(), {"-H", "Authorization: Bearer " + token});
    words.push_back("https://127.0.0.1:" + std::to_string(port_) + path);
    Process program({.words = words, .output = stem + ".status", .errors = stem + ".error"});
    if (program.wait(25s) != 0) return {.status = 0, .text = read_text(stem + ".error")};
    return {.status = std::stoi(read_text(stem + ".status")), .text = read_text(stem + ".body")};
  }

  /// Requests of the controller's account that were answered, by what they were.
  std::size_t reviews(const std::string& what) {
    return static_cast<std::size_t>(
        std::ranges::count_if(cluster_.audit_lines(), [&](const AuditLine& line) {
          return line.user == controller_account && line.what == what;
        }));
  }

  int port_ = 0;
  int calls_ = 0;
  std::string may_;
  std::string may_not_;
};

TEST_F(SecurePort, Is401WithoutATokenAnd403ForAWrongAccountAnd200ForTheRightOne) {
  grant();
  serve({});
  const std::vector<std::string> insecure{"-k"};
  const Page none = curl("/metrics", "", insecure);
  const Page forged = curl("/metrics", "forged", insecure);
  const Page wrong = curl("/metrics", may_not_, insecure);
  const Page right = curl("/metrics", may_, insecure);
  EXPECT_EQ(none.status, 401) << none.text;
  EXPECT_EQ(forged.status, 401) << forged.text;
  EXPECT_EQ(wrong.status, 403) << wrong.text;
  EXPECT_EQ(wrong.text, "system:serviceaccount:default:stranger may not get /metrics\n");
  EXPECT_EQ(right.status, 200) << right.text;
  EXPECT_THAT(right.text, HasSubstr("nlc_build_info"));
  for (const char* page : {"/healthz", "/livez", "/readyz?verbose"}) {
    EXPECT_EQ(curl(page, "", insecure).status, 200) << page;
  }
  for (const Page& page : {none, forged, wrong}) std::cout << page.status << " " << page.text;
  std::cout << right.status << " " << right.text.size() << " bytes" << std::endl;
}

TEST_F(SecurePort, AsksTheServerOnceInTenSecondsAndForNothingElse) {
  grant();
  serve({});
  for (int call = 0; call < 8; ++call) EXPECT_EQ(curl("/metrics", may_, {"-k"}).status, 200);
  ASSERT_TRUE(await(5s, [this] { return reviews("subjectaccessreviews") > 0; }));
  EXPECT_EQ(reviews("tokenreviews"), 1U);
  EXPECT_EQ(reviews("subjectaccessreviews"), 1U);
  ASSERT_TRUE(await(20s, [this] {
    return curl("/metrics", may_, {"-k"}).status == 200 && reviews("tokenreviews") == 2;
  }));
}

TEST_F(SecurePort, RotatedCertificateIsShownWithoutARestart) {
  grant();
  const auto put_in_place = [this](const Authority& authority, const std::string& name) {
    const KeyPair pair =
        authority.issue({.file_stem = name, .subject = "/CN=" + name, .names = "IP:127.0.0.1"});
    std::filesystem::copy_file(pair.certificate, folder_ / "new.crt",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::copy_file(pair.key, folder_ / "new.key",
                               std::filesystem::copy_options::overwrite_existing);
    std::filesystem::rename(folder_ / "new.key", folder_ / "tls.key");
    std::filesystem::rename(folder_ / "new.crt", folder_ / "tls.crt");
  };
  const Authority first(folder_, "first-ca");
  const Authority second(folder_, "second-ca");
  const std::vector<std::string> trusts_first{"--cacert", first.certificate().string()};
  const std::vector<std::string> trusts_second{"--cacert", second.certificate().string()};
  put_in_place(first, "first");
  serve({"--tls-cert-file=" + (folder_ / "tls.crt").string(),
         "--tls-private-key-file=" + (folder_ / "tls.key").string()});
  const pid_t before = controller_->process().pid();
  EXPECT_EQ(curl("/metrics", may_, trusts_first).status, 200);
  EXPECT_EQ(curl("/metrics", may_, trusts_second).status, 0);

  put_in_place(second, "second");
  EXPECT_EQ(curl("/metrics", may_, trusts_second).status, 200);
  EXPECT_EQ(curl("/metrics", may_, trusts_first).status, 0);
  EXPECT_EQ(controller_->process().pid(), before);
  EXPECT_TRUE(controller_->process().running());
  EXPECT_TRUE(comes_to_say({"serving certificate was replaced"}));
}

TEST_F(SecurePort, ServerThatIsAwayLetsNobodyInAndHealthPagesGoOn) {
  grant();
  serve({});
  cluster_.stop_server();
  const Page page = curl("/metrics", may_, {"-k"});
  EXPECT_EQ(page.status, 503);
  EXPECT_THAT(page.text, HasSubstr("callers cannot be checked: "));
  EXPECT_EQ(curl("/livez", "", {"-k"}).status, 200);
  std::cout << page.status << " " << page.text;

  cluster_.start_server();
  EXPECT_TRUE(await(30s, [this] { return curl("/metrics", may_, {"-k"}).status == 200; }));
  EXPECT_TRUE(comes_to_say({"callers of the secure port cannot be checked"}));
  EXPECT_TRUE(comes_to_say({"callers of the secure port can be checked again"}));
}

TEST_F(SecurePort, WithoutTheRightToReviewNobodyIsLetInAndTheLogSaysWhichRightIsMissing) {
  grant();
  cluster_.must({"delete", "-f", component + "/auth-delegator.yaml"});
  serve({});
  const auto page = [this] { return curl("/metrics", may_, {"-k"}); };
  ASSERT_TRUE(await(10s, [&] { return page().status == 503; })) << page().text;
  EXPECT_TRUE(comes_to_say({"cannot be checked", "403", controller_account, "tokenreviews"}));
}

TEST_F(SecurePort, PlainPortCanBeSwitchedOff) {
  grant();
  serve({"--metrics-bind-address="});
  EXPECT_EQ(curl("/metrics", may_, {"-k"}).status, 200);
  EXPECT_EQ(controller_->page("/metrics").status, 0);
  EXPECT_FALSE(controller_->said({"msg=\"serving metrics and health\""}));
}

/// As docs/secure-port.md says it, in a kustomization of one's own.
TEST_F(SecurePort, ComponentOfTheManifestsPutsItInThePlaceOfThePlainPort) {
  const auto up_to = [this](const std::string& path) {
    return std::filesystem::relative(path, std::filesystem::canonical(folder_)).string();
  };
  write_text(folder_ / "kustomization.yaml", "resources: [" + up_to(NLC_SOURCE_DIR "/manifests") +
                                                 "]\ncomponents: [" + up_to(component) + "]\n");
  const nlohmann::json all = nlohmann::json::parse(
      cluster_.must({"apply", "-k", folder_.string(), "--dry-run=server", "-o", "json"}));
  const auto named = [&all](const std::string& kind, const std::string& name) {
    for (const nlohmann::json& item : all.at("items")) {
      if (item.at("kind") == kind && item.at("metadata").at("name") == name) return item;
    }
    return nlohmann::json();
  };
  const nlohmann::json pod = named("Deployment", "node-lifecycle-controller")
                                 .at("spec")
                                 .at("template")
                                 .at("spec")
                                 .at("containers")
                                 .at(0);
  EXPECT_THAT(pod.at("args").dump(),
              HasSubstr("\"--metrics-bind-address=\",\"--secure-port=10292\""));
  for (const char* probe : {"livenessProbe", "readinessProbe"}) {
    EXPECT_EQ(pod.at(probe).at("httpGet").at("port"), "secure");
    EXPECT_EQ(pod.at(probe).at("httpGet").at("scheme"), "HTTPS");
  }
  EXPECT_EQ(
      named("Service", "node-lifecycle-controller").at("spec").at("ports").at(0).at("targetPort"),
      "secure");
  EXPECT_EQ(named("ClusterRoleBinding", "node-lifecycle-controller-auth-delegator")
                .at("roleRef")
                .at("name"),
            "system:auth-delegator");
}

}  // namespace
}  // namespace nlc::real

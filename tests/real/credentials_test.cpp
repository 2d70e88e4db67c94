#include <algorithm>
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// A controller that is not let in says so: the log names the file, the user and what is missing,
/// /readyz says why, and it goes on trying, so that whoever repairs the credentials need not
/// restart it.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;

class Credentials : public Stage {
 protected:
  std::filesystem::path file(const std::string& name) { return folder_ / name; }

  void start_with(const Kubeconfig& config) {
    start_controller(write_kubeconfig(file("under-test.kubeconfig"), config),
                     {"--leader-elect=false"});
  }

  /// Says all of `words` in one line of the log, and the last of them in /readyz too; lives on,
  /// unready.
  void expect_complaint(const std::vector<std::string>& words) {
    const auto page_says_why = [&] {
      const Page page = controller_->page("/readyz?verbose");
      return page.status == 503 && page.text.find(words.back()) != std::string::npos;
    };
    EXPECT_TRUE(await(15s, [&] { return controller_->said(words); }));
    EXPECT_TRUE(await(5s, page_says_why)) << controller_->page("/readyz?verbose").text;
    EXPECT_TRUE(controller_->said({"under-test.kubeconfig"}));
    EXPECT_TRUE(controller_->process().running());
  }

  void expect_ready_within(Duration limit) {
    EXPECT_TRUE(await(limit, [this] { return controller_->readiness() == 200; }))
        << controller_->page("/readyz?verbose").text;
  }
};

TEST_F(Credentials, OfAForeignAuthorityAreNamed) {
  const Authority stranger(folder_, "stranger-ca");
  Kubeconfig config = cluster_.controller_account_config();
  config.authority = stranger.certificate();
  start_with(config);
  expect_complaint({stranger.certificate().string(), "certificate"});
}

TEST_F(Credentials, ExpiredClientCertificateIsRefused) {
  Kubeconfig config = cluster_.controller_account_config();
  const KeyPair expired = cluster_.authority().issue(
      {.file_stem = "expired", .subject = "/CN=" + controller_account, .validity = Validity::Over});
  config.token.clear();
  config.certificate = expired.certificate;
  config.key = expired.key;
  start_with(config);
  expect_complaint({expired.certificate.string(), "401"});
}

TEST_F(Credentials, BadTokenIsNamedAndAGoodOneInItsFileIsTakenUp) {
  Kubeconfig config = cluster_.controller_account_config();
  const std::string good = config.token;
  write_text(file("token"), "expired-long-ago");
  config.token.clear();
  config.token_file = file("token");
  start_with(config);
  expect_complaint({config.token_file.string(), "401"});

  write_text(file("token"), good);
  expect_ready_within(70s);
}

TEST_F(Credentials, MissingRightIsNamedWithUserVerbAndResource) {
  const Kubeconfig config = cluster_.controller_account_config();
  nlohmann::json role = cluster_.get({"clusterrole", "node-lifecycle-controller"});
  nlohmann::json& rules = role.at("rules");
  const auto lists_pods = [](const nlohmann::json& rule) {
    return rule.at("resources").front() == "pods" && rule.at("verbs").size() > 1;
  };
  rules.erase(std::find_if(rules.begin(), rules.end(), lists_pods));
  cluster_.must({"replace", "-f", "-"}, role.dump());
  start_with(config);
  expect_complaint({controller_account, "watch", "pods"});

  cluster_.controller_account_config();  // grants everything again
  expect_ready_within(60s);
}

TEST_F(Credentials, ServerThatIsNotThereAtTheStartIsAwaited) {
  const Kubeconfig config = cluster_.controller_account_config();
  cluster_.stop_server();
  start_with(config);
  expect_complaint({config.server.substr(8)});

  cluster_.start_server();
  expect_ready_within(45s);
}

class CleanEnd : public Stage {};

TEST_F(CleanEnd, GivesTheLeaseBackAndExitsWithZeroWithinTwoSeconds) {
  start_controller({});
  const auto holder = [this] {
    return cluster_.get({"lease", "-n", "kube-system", "node-lifecycle-controller"})
        .value("spec", nlohmann::json::object())
        .value("holderIdentity", "");
  };
  ASSERT_TRUE(await(20s, [&] { return !holder().empty(); }));

  controller_->process().send_signal(SIGTERM);
  EXPECT_EQ(controller_->process().wait(2s), 0);
  EXPECT_EQ(holder(), "");
  expect_only_rightful_requests(cluster_.audit_lines());
}

}  // namespace
}  // namespace nlc::real

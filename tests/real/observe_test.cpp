#include <chrono>
#include <csignal>
#include <gmock/gmock.h>
#include <iostream>

#include "tests/real/rig/kubeconfig.h"
#include "tests/real/rig/objects.h"
#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// A controller with --observe, as the service account of manifests/observe, beside one that acts:
/// nodes die, the server is paused, the one that acts is killed. What the two agree on is printed,
/// and the audit log tells what the observer wrote.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

const std::string observer_name = "node-lifecycle-controller-observe";
const std::string observer_account = "system:serviceaccount:kube-system:" + observer_name;
const std::string brief_grace = "12s";

class Observer : public Stage {
 protected:
  void start_observer() {
    cluster_.must({"apply", "-k", std::string(NLC_SOURCE_DIR) + "/manifests/observe"});
    status_port_ = free_port();
    observer_.emplace(Controller::Options{
        .kubeconfig = write_kubeconfig(folder_ / "observer.kubeconfig",
                                       cluster_.account_config("kube-system", observer_name)),
        .log = folder_ / "observer.log",
        .flags = {"--observe", "--node-monitor-grace-period=" + brief_grace,
                  "--status-bind-address=127.0.0.1:" + std::to_string(status_port_)}});
    ASSERT_TRUE(await(30s, [this] { return observer_->readiness() == 200; }));
  }

  void let_nodes_come(std::size_t count, std::size_t die) {
    start_nodes({"--nodes", std::to_string(count), "--pods-per-node", "1", "--zones", "2",
                 "--node-lease-duration-seconds", "12", "--kill", std::to_string(die), "--after",
                 "20s"});
    ASSERT_TRUE(await(
        120s, [&] { return names_with_ready(nodes(), "True").size() == count; }, 1s));
  }

  nlohmann::json observed() const {
    const auto page = read_page(status_port_, "/v1/observe");
    return page && page->status == 200 ? nlohmann::json::parse(page->text) : nlohmann::json();
  }
  std::size_t count(const std::string& kind, const std::string& outcome) const {
    const nlohmann::json all = observed();
    return all.is_null() ? 0 : all["kinds"][kind].value(outcome, std::size_t{0});
  }

  void expect_only_its_lock_written() {
    std::size_t renewals = 0;
    for (const AuditLine& line : writes_of(cluster_.audit_lines(), observer_account)) {
      const bool is_lock = line.what == "leases" && line.space == "kube-system" &&
                           (line.verb == "create" || line.name == observer_name);
      EXPECT_TRUE(is_lock) << line.action();
      ++renewals;
    }
    EXPECT_GT(renewals, 0U) << "nothing of it was seen at all";
    std::cout << "writes by " << observer_account << ": " << renewals
              << ", all of them of its own lock" << std::endl;
  }

  void tell_table() {
    const auto page = read_page(status_port_, "/v1/observe?output=text");
    std::cout << (page ? page->text : "nobody answers\n") << std::flush;
  }

  /// `act` starts the one that acts, `kill` ends it without a word.
  void play(std::size_t count_of_nodes, std::size_t die, const std::function<void()>& act,
            const std::function<void()>& kill, Duration timeout) {
    act();
    ASSERT_NO_FATAL_FAILURE(start_observer());
    ASSERT_NO_FATAL_FAILURE(let_nodes_come(count_of_nodes, die));
    ASSERT_TRUE(await(
        timeout, [&] { return count("conditions_unknown", "agree") == die; }, 1s))
        << observed().dump(1);
    cluster_.pause_server();
    EXPECT_TRUE(stays(60s, [this] { return observer_->process().running(); }));
    cluster_.resume_server();
    kill();
    act();
    EXPECT_TRUE(stays(40s, [this] { return observer_->process().running(); }));
    tell_table();
    EXPECT_EQ(observed()["causes"]["unexplained"], 0) << observed().dump(1);
    expect_only_its_lock_written();
    observer_->process().send_signal(SIGTERM);
    EXPECT_EQ(observer_->process().wait(5s), 0);
    EXPECT_THAT(observer_->log(), HasSubstr("msg=observed"));
  }

  std::optional<Controller> observer_;
  int status_port_ = 0;
};

TEST_F(Observer, BesideOursAgreesAndWritesNothingButItsLock) {
  const auto act = [this] { start_controller({"--node-monitor-grace-period=" + brief_grace}); };
  play(
      60, 6, act, [this] { controller_->process().kill(); }, 60s);
}

/// Needs kube-controller-manager beside the servers, which takes long to build.
class ObserverBesideKcm : public Observer {};

TEST_F(ObserverBesideKcm, TwentyOf500DieAndTheServerIsPausedAndTheLeaderKilled) {
  std::optional<Process> acting;
  int life = 0;
  const auto act = [&] {
    ++life;
    acting.emplace(Command{
        .words = {asset("kube-controller-manager").string(),
                  "--kubeconfig=" + cluster_.admin_file().string(),
                  "--controllers=node-lifecycle-controller,taint-eviction-controller",
                  "--node-monitor-grace-period=" + brief_grace,
                  "--cert-dir=" + (folder_ / "kcm-certificates").string(),
                  "--bind-address=127.0.0.1", "--secure-port=" + std::to_string(free_port())},
        .output = folder_ / ("kcm-" + std::to_string(life) + ".log")});
  };
  play(
      500, 20, act, [&] { acting->kill(); }, 240s);
}

}  // namespace
}  // namespace nlc::real

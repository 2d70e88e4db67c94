#include "nlc/cluster/hollow.h"

#include <boost/asio/ip/address.hpp>
#include <csignal>
#include <iostream>
#include <memory>
#include <optional>
#include <unistd.h>
#include <utility>

#include "net/config/kubeconfig.h"
#include "net/credentials/credentials.h"
#include "net/http_client/server_link.h"
#include "net/http_client/socket_transport.h"
#include "net/loop/stop_signals.h"
#include "net/loop/system_clock.h"
#include "net/process/environment.h"
#include "nlc/console/console.h"
#include "sim/kubelet/hollow_entry.h"

namespace nlc::workbench {
namespace {

/// A renewal interval holds two hundred of them: renewals stay spread.
constexpr Duration tick = std::chrono::milliseconds(50);
/// A clean-up that removes nothing for so long is given up.
constexpr Duration clean_up_timeout = std::chrono::seconds(30);

/// One run against one cluster: first the play, then, once a signal came, the clean-up.
class HollowRun {
 public:
  HollowRun(net::AsioLoop& loop, sim::HollowCluster::Env env, const HollowFlags& flags,
            FleetReport& report)
      : loop_(loop), env_(env), flags_(flags), report_(report) {
    const bool with_pods = flags.fleet.pods_per_node > 0;
    entry_.emplace(env,
                   sim::EntryRequest{.name_prefix = flags.name_prefix,
                                     .nodes = flags.fleet.nodes,
                                     .namespace_ = with_pods ? flags.namespace_ : "",
                                     .say = say},
                   [this](const sim::EntryVerdict& verdict) { on_entry(verdict); });
  }

  void kill() {
    if (play_) play_->kill();
  }
  void revive() {
    if (play_) play_->revive();
  }

  void on_signal() {
    if (!cluster_) return finish(0);
    if (flags_.leave) close_report();
    if (ending_ || flags_.leave) return finish(ending_ ? 1 : 0);
    ending_ = true;
    play_.reset();
    close_report();
    say("removing what was made; a second signal ends at once");
    cluster_->clean_up([this](std::size_t removed) {
      say("removed " + std::to_string(removed) + " objects");
      finish(0);
    });
    watch_clean_up(0);
  }

  int exit_code() const { return exit_code_; }

 private:
  void on_entry(const sim::EntryVerdict& verdict) {
    for (const std::string& obstacle : verdict.obstacles) complain(obstacle);
    if (!verdict.obstacles.empty()) {
      complain("nothing was made");
      return finish(1);
    }
    if (!verdict.inherited.empty()) {
      say(std::to_string(verdict.inherited.size()) +
          " of the nodes were left by an earlier run: they are taken over, and removed at the end");
    }
    begin(verdict.inherited);
  }

  void begin(const std::vector<std::string>& inherited) {
    report_.begin(env_);
    constexpr Duration boot_interval = std::chrono::milliseconds(5);
    sim::HollowClusterOptions options = cluster_options(flags_.fleet, boot_interval);
    options.name_prefix = flags_.name_prefix;
    options.schedulable = flags_.schedulable;
    options.kubelet.tick = tick;
    options.workload.namespace_ = flags_.namespace_;
    options.workload.run = std::to_string(::getpid()) + "-" + rfc3339_micro(env_.clock.wall_now());
    options.pods_watcher = report_.pods_watcher();
    options.inherited = inherited;
    cluster_ = std::make_unique<sim::HollowCluster>(env_, std::move(options));
    play_.emplace(*cluster_, flags_.fleet, env_,
                  report_.with({.say = say, .show = show_progress, .on_complete = [] {
                                  say("SIGTERM or Ctrl-C ends the kubelets");
                                }}));
  }

  void close_report() {
    const std::string summary = report_.close();
    if (!summary.empty()) say(summary);
  }

  void watch_clean_up(std::size_t left_before) {
    clean_up_end_ = env_.executor.run_at(env_.clock.now() + clean_up_timeout, [this, left_before] {
      const std::size_t left = cluster_->left_to_remove();
      if (left != left_before) return watch_clean_up(left);
      complain("gave up: " + std::to_string(left) + " objects are left: " + cluster_->trouble());
      finish(1);
    });
  }

  void finish(int exit_code) {
    exit_code_ = exit_code;
    loop_.stop();
  }

  net::AsioLoop& loop_;
  sim::HollowCluster::Env env_;
  const HollowFlags& flags_;
  FleetReport& report_;
  std::optional<sim::HollowEntry> entry_;
  std::unique_ptr<sim::HollowCluster> cluster_;
  std::optional<FleetPlay> play_;
  bool ending_ = false;
  int exit_code_ = 0;
  Timer clean_up_end_;
};

bool is_loopback(const std::string& host) {
  boost::system::error_code wrong;
  const auto address = boost::asio::ip::make_address(host, wrong);
  return host == "localhost" || (!wrong && address.is_loopback());
}

/// Nodes that are not there may hurt a cluster that is meant seriously.
bool may_come_to(const net::ClusterConfig& server, const HollowFlags& flags) {
  if (flags.yes || is_loopback(server.host)) return true;
  const std::string url = net::server_url(server);
  if (::isatty(STDIN_FILENO) != 1) {
    complain(url + " is not on this machine, and nobody can be asked here: --yes says that " +
             std::to_string(flags.fleet.nodes) + " hollow nodes are wanted there");
    return false;
  }
  say(url + " is not on this machine. Make " + std::to_string(flags.fleet.nodes) +
      " hollow nodes there? Type yes:");
  std::string answer;
  std::getline(std::cin, answer);
  if (answer == "yes") return true;
  complain("nothing was made");
  return false;
}

}  // namespace

int run_hollow(const HollowFlags& flags) {
  Result<net::ClusterConfig> server = net::load_kubeconfig(
      {.file = flags.kubeconfig, .context = flags.context}, net::process_environment());
  if (!server) {
    complain(server.error().path);
    return 1;
  }
  if (!may_come_to(*server, flags)) return 1;
  FleetReport report(flags.report);
  if (!is_well(report.open())) return 1;
  const net::SystemClock clock;
  net::AsioLoop loop(clock);
  ConsoleLog log;
  client::Gate gate;  // a kubelet asks nobody for the right to speak
  gate.open_for_ever();
  say("server is " + net::server_url(*server));
  net::warn_of_no_credentials(*server, log);
  net::SocketTransport transport(*server, {clock, loop, gate, log, &loop},
                                 {.user_agent = net::user_agent("nlc-hollow-kubelet")});
  HollowRun run(loop, {transport, clock, loop, log}, flags, report);
  const net::StopSignals signals(loop, [&](int) { run.on_signal(); });
  const net::StopSignals cut(loop, [&](int) { run.kill(); }, {SIGUSR1});
  const net::StopSignals back(loop, [&](int) { run.revive(); }, {SIGUSR2});
  loop.run();
  return is_well(report.trouble()) ? run.exit_code() : 1;
}

}  // namespace nlc::workbench

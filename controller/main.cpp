#include <array>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "client/gate.h"
#include "client/observed_transport.h"
#include "controller/flags.h"
#include "controller/health.h"
#include "controller/loop.h"
#include "controller/operations_pages.h"
#include "controller/unsafe_timings.h"
#include "election/elector.h"
#include "metrics/metrics.h"
#include "net/asio_loop.h"
#include "net/environment.h"
#include "net/http_server.h"
#include "net/in_cluster.h"
#include "net/kubeconfig.h"
#include "net/listen_address.h"
#include "net/server_link.h"
#include "net/server_transport.h"
#include "net/spdlog_log.h"
#include "net/stop_signals.h"
#include "net/system_clock.h"

/// node-lifecycle-controller: joins the controller, the election and the real world. Exit codes: 0
/// clean end, 1 failure, 2 usage.
namespace nlc {
namespace {

/// A stop has to be over within 2 s, the release of the lease included.
constexpr Duration release_patience = std::chrono::milliseconds(1500);

int fail(const std::string& words, int code) {
  std::cerr << "node-lifecycle-controller: " << words << "\n";
  return code;
}

/// `--kubeconfig` or the environment's files if they are there, else the pod's service account.
Result<net::ClusterConfig> find_cluster(const controller::Flags& flags) {
  const net::Environment environment = net::process_environment();
  const bool in_pod = !environment("KUBERNETES_SERVICE_HOST").empty();
  if (flags.kubeconfig.empty() && in_pod) return net::load_in_cluster(environment);
  return net::load_kubeconfig({.file = flags.kubeconfig, .context = flags.context}, environment);
}

/// Host name and a random part, so that a restarted process is a new candidate.
std::string election_identity(Random random) {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::string identity = std::string(host.data()) + "_";
  constexpr std::string_view digits = "0123456789abcdef";
  for (int i = 0; i < 16; ++i) identity += digits[random.below(digits.size())];
  return identity;
}

election::ElectionOptions election_options(const controller::LeaderElectFlags& flags,
                                           Random random) {
  return {.identity = election_identity(random),
          .lease_namespace = flags.resource_namespace,
          .lease_name = flags.resource_name,
          .lease_duration = flags.lease_duration,
          .renew_deadline = flags.renew_deadline,
          .retry_period = flags.retry_period};
}

/// Everything that lives as long as the process, in the order in which it stands on one another.
class Program {
 public:
  Program(const controller::Flags& flags, const net::ClusterConfig& cluster)
      : log_(clock_, {.format = flags.log_json ? net::LogFormat::Json : net::LogFormat::Text,
                      .threshold = flags.log_level}),
        executor_(clock_),
        operations_loop_(clock_),
        transport_(net::server_transport(
            cluster, {.clock = clock_, .executor = executor_, .gate = gate_, .log = log_},
            net::user_agent("node-lifecycle-controller"))),
        observed_(*transport_, {.clock = clock_,
                                .metrics = metrics_,
                                .server_clock = server_clock_,
                                .host = cluster.host + ":" + std::to_string(cluster.port)}) {}

  Result<std::monostate> serve_operations(const net::ListenAddress& address) {
    auto server = net::HttpServer::listen(operations_loop_, pages_, address);
    if (!server) return std::move(server.error());
    operations_ = std::move(*server);
    log_.info("serving metrics and health", {{"address", operations_->address()}});
    operations_thread_.emplace(operations_loop_);
    return std::monostate{};
  }

  void run(const controller::Flags& flags) {
    const std::uint64_t seed = std::random_device{}();
    loop_.emplace(controller::LoopWorld{.transport = observed_,
                                        .clock = clock_,
                                        .executor = executor_,
                                        .log = log_,
                                        .metrics = metrics_,
                                        .gate = gate_,
                                        .health = health_,
                                        .server_clock = server_clock_,
                                        .seed = seed},
                  flags.loop);
    if (flags.leader_elect.enabled) {
      contest(flags.leader_elect, seed);
    } else {
      gate_.open_for_ever();
    }
    const net::StopSignals signals(executor_, [this](int) { stop(); });
    executor_.run();
    elector_.reset();
    loop_.reset();
    log_.info("stopped");
  }

  Log& log() { return log_; }

 private:
  void contest(const controller::LeaderElectFlags& flags, std::uint64_t seed) {
    const metrics::ElectionMetrics election = metrics_.election(flags.resource_name);
    elector_.emplace(election::ElectorWorld{.transport = observed_,
                                            .clock = clock_,
                                            .executor = executor_,
                                            .log = log_,
                                            .gate = gate_,
                                            .seed = seed},
                     election_options(flags, Random(seed)),
                     election::ElectorEvents{.on_change =
                                                 [this, election](bool leading) {
                                                   election.leading.set(leading ? 1 : 0);
                                                   loop_->leadership_changed();
                                                 },
                                             .on_new_leader = nullptr,
                                             .on_renewed = [this] { loop_->prove(); }});
  }

  void stop() {
    log_.info("stopping");
    if (!elector_) return executor_.stop();
    elector_->stop(release_patience, [this] { executor_.stop(); });
  }

  net::SystemClock clock_;
  net::SpdlogLog log_;
  net::AsioLoop executor_;
  net::AsioLoop operations_loop_;
  client::Gate gate_;
  metrics::Metrics metrics_{NLC_VERSION};
  controller::HealthBoard health_;
  controller::OperationsPages pages_{metrics_, health_, clock_};
  std::unique_ptr<net::HttpServer> operations_;
  std::optional<net::LoopThread> operations_thread_;
  client::ServerClock server_clock_;
  std::unique_ptr<client::Transport> transport_;
  client::ObservedTransport observed_;
  std::optional<controller::Loop> loop_;
  std::optional<election::Elector> elector_;
};

int run(const std::vector<std::string>& arguments) {
  controller::CommandLine line = controller::read_command_line(arguments);
  if (!line.flags) {
    (line.exit_code == 0 ? std::cout : std::cerr) << line.text;
    return line.exit_code;
  }
  const controller::Flags& flags = *line.flags;
  const Result<net::ListenAddress> address = net::parse_listen_address(flags.metrics_bind_address);
  if (!address) return fail("--metrics-bind-address: " + address.error().path, 2);
  Result<net::ClusterConfig> cluster = find_cluster(flags);
  if (!cluster) return fail(cluster.error().path, 1);

  Program program(flags, *cluster);
  program.log().info("starting", {{"version", NLC_VERSION},
                                  {"server", net::server_url(*cluster)},
                                  {"credentials", cluster->source},
                                  {"user", cluster->user}});
  for (const controller::Warning& warning : controller::unsafe_timings(flags.loop.policy)) {
    program.log().warning("unsafe timing",
                          {{"rule", std::string(warning.rule)}, {"why", warning.message}});
  }
  if (const auto serving = program.serve_operations(*address); !serving) {
    return fail("--metrics-bind-address: " + serving.error().path, 1);
  }
  program.run(flags);
  return 0;
}

}  // namespace
}  // namespace nlc

int main(int count, char** values) {
  return nlc::run(std::vector<std::string>(values + 1, values + count));
}

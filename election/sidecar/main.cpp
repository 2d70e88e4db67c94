#include <boost/asio/ip/host_name.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "client/limits/gate.h"
#include "election/elector.h"
#include "election/sidecar/flags.h"
#include "election/sidecar/pages.h"
#include "metrics/metrics.h"
#include "net/config/find_cluster.h"
#include "net/config/in_cluster.h"
#include "net/credentials/credentials.h"
#include "net/http/listen_address.h"
#include "net/http_client/server_link.h"
#include "net/http_server/http_server.h"
#include "net/log/line_queue.h"
#include "net/log/spdlog_log.h"
#include "net/loop/asio_loop.h"
#include "net/loop/stop_signals.h"
#include "net/loop/system_clock.h"
#include "net/process/environment.h"
#include "net/process/program.h"
#include "net/rest/server_transport.h"

/// leader-elector: joins the election and the real world. Exit codes: 0 clean end, 1 failure, 2
/// usage.
namespace nlc {
namespace {

constexpr Duration release_timeout = std::chrono::milliseconds(1500);

constexpr std::string_view program_name = "leader-elector";

Result<net::ClusterConfig> find_cluster(const election::SidecarFlags& flags) {
  const net::Environment environment = net::process_environment();
  if (flags.use_cluster_credentials) return net::load_in_cluster(environment);
  return net::find_cluster({.file = flags.kubeconfig}, environment);
}

/// Everything that lives as long as the process, in the order in which it stands on one another.
class Sidecar {
 public:
  Sidecar(const net::ClusterConfig& cluster, election::ElectionOptions options)
      : options_(std::move(options)),
        log_(clock_, {}),
        loop_(clock_),
        credentials_(cluster, clock_, log_),
        transport_(net::server_transport(
            credentials_, {.clock = clock_, .executor = loop_, .gate = gate_, .log = log_},
            net::user_agent(program_name))) {}

  Log& log() { return log_; }

  Result<std::monostate> answer_at(const net::ListenAddress& address) {
    auto server = net::HttpServer::listen(loop_, pages_, address, net::small_pages);
    if (!server) return std::move(server.error());
    server_ = std::move(*server);
    log_.info("answering who leads", {{"address", server_->address()}});
    return std::monostate{};
  }

  int run() {
    elector_.emplace(election::ElectorEnv{.transport = *transport_,
                                          .clock = clock_,
                                          .executor = loop_,
                                          .log = log_,
                                          .gate = gate_,
                                          .seed = std::random_device{}(),
                                          .metrics = metrics_.election(options_.lease_name),
                                          .board = &board_},
                     options_,
                     election::ElectorEvents{.on_new_leader = [this](const std::string& name) {
                       if (!name.empty()) leaders_.push(name + " is the leader\n");
                     }});
    const net::StopSignals signals(loop_, [this](int) { stop(); });
    loop_.run();
    elector_.reset();
    log_.info("stopped");
    return 0;
  }

 private:
  void stop() {
    if (std::exchange(stopping_, true)) return;
    log_.info("stopping");
    elector_->stop(release_timeout, [this] { loop_.stop(); });
  }

  const election::ElectionOptions options_;
  net::SystemClock clock_;
  net::SpdlogLog log_;
  net::LineQueue leaders_{STDOUT_FILENO, [](std::uint64_t) { return std::string(); }};
  net::AsioLoop loop_;
  net::Credentials credentials_;
  client::Gate gate_;
  metrics::Metrics metrics_{NLC_VERSION};
  election::LeaderStatusBoard board_;
  election::SidecarPages pages_{board_, metrics_, clock_};
  std::unique_ptr<client::Transport> transport_;
  std::unique_ptr<net::HttpServer> server_;
  std::optional<election::Elector> elector_;
  bool stopping_ = false;
};

void warn_of_watchers(Log& log, election::LockKind lock) {
  if (lock == election::LockKind::Leases) return;
  log.warning(
      "each renewal of this lock wakes everybody who watches such objects, kube-proxy first",
      {{"lock", std::string(name_of(lock))}, {"better", "leases"}});
}

int run(const std::vector<std::string>& arguments) {
  election::SidecarCommandLine line = election::read_sidecar_command_line(arguments);
  if (!line.flags) return tell_end(program_name, {line.exit_code, line.text});
  boost::system::error_code no_name;
  const election::ElectionOptions options =
      election_options(*line.flags, boost::asio::ip::host_name(no_name));
  std::optional<net::ListenAddress> address;
  if (!line.flags->http.empty()) {
    Result<net::ListenAddress> parsed = net::parse_listen_address(line.flags->http);
    if (!parsed) return net::fail(program_name, "--http: " + parsed.error().path, 2);
    address = *parsed;
  }
  const Result<net::ClusterConfig> cluster = find_cluster(*line.flags);
  if (!cluster) return net::fail(program_name, cluster.error().path, 1);

  Sidecar sidecar(*cluster, options);
  sidecar.log().info("starting", {{"version", NLC_VERSION},
                                  {"server", net::server_url(*cluster)},
                                  {"election", options.lease_namespace + "/" + options.lease_name},
                                  {"id", options.identity}});
  net::warn_of_no_credentials(*cluster, sidecar.log());
  warn_of_watchers(sidecar.log(), options.lock);
  if (address) {
    if (const auto serving = sidecar.answer_at(*address); !serving) {
      return net::fail(program_name, "--http: " + serving.error().path, 1);
    }
  }
  return sidecar.run();
}

}  // namespace
}  // namespace nlc

int main(int count, char** values) {
  nlc::net::ignore_broken_pipes();
  return nlc::net::run_program(nlc::program_name, [&] {
    return nlc::run(std::vector<std::string>(values + 1, values + count));
  });
}

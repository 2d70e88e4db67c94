#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include "client/draining_transport.h"
#include "client/gate.h"
#include "client/observed_transport.h"
#include "controller/flags.h"
#include "controller/health.h"
#include "controller/loop.h"
#include "controller/operations_pages.h"
#include "controller/process_memory.h"
#include "controller/unsafe_timings.h"
#include "election/elector.h"
#include "metrics/metrics.h"
#include "net/asio_loop.h"
#include "net/credentials.h"
#include "net/environment.h"
#include "net/find_cluster.h"
#include "net/http_server.h"
#include "net/listen_address.h"
#include "net/program.h"
#include "net/server_link.h"
#include "net/server_transport.h"
#include "net/spdlog_log.h"
#include "net/stop_signals.h"
#include "net/system_clock.h"
#include "runtime/go_duration.h"

/// node-lifecycle-controller: joins the controller, the election and the real world. Exit codes: 0
/// clean end, 1 failure, 2 usage.
namespace nlc {
namespace {

/// A stop has to be over within 2 s: first the writes that are under way, then the release of the
/// lock.
constexpr Duration drain_patience = std::chrono::milliseconds(800);
constexpr Duration release_patience = std::chrono::milliseconds(1000);

/// How often a cold standby, which has no loop, gives its sign of life.
constexpr Duration beat_period = std::chrono::seconds(1);

int fail(const std::string& words, int code) {
  std::cerr << "node-lifecycle-controller: " << words << "\n";
  return code;
}

/// Host name and a random UUID, so that a restarted process is a new candidate.
std::string election_identity() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host[0] = '\0';
  std::random_device random;
  std::array<std::uint32_t, 4> words{random(), random(), random(), random()};
  words[1] = (words[1] & 0xffff0fffU) | 0x4000U;      // version 4
  words[2] = (words[2] & 0x3fffffffU) | 0x80000000U;  // variant 1
  std::array<char, 40> uuid{};
  std::snprintf(uuid.data(), uuid.size(), "%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16U,
                words[1] & 0xffffU, words[2] >> 16U, words[2] & 0xffffU, words[3]);
  return std::string(host.data()) + "_" + uuid.data();
}

election::ElectionOptions election_options(const controller::LeaderElectFlags& flags) {
  return {.identity = election_identity(),
          .lease_namespace = flags.resource_namespace,
          .lease_name = flags.resource_name,
          .lease_duration = flags.lease_duration,
          .renew_deadline = flags.renew_deadline,
          .retry_period = flags.retry_period,
          .lock = *election::lock_kind(flags.resource_lock),
          .event_component = "node-lifecycle-controller"};
}

/// For the health pages: fails while the work is stuck, and says since when (pains.md A4). An API
/// server that is away fails nothing: ending the process would cost what it knows of heartbeats.
controller::HealthCheck election_check(const election::StandingBoard& board, Instant now) {
  const auto standing = board.read();
  controller::HealthCheck check{.name = "leaderElection", .ok = true, .detail = {}};
  if (standing->stuck_since) {
    check.ok = false;
    check.detail =
        "not renewed, the work has not moved for " + go_duration(now - *standing->stuck_since);
  } else if (standing->leads(now)) {
    const auto left = std::chrono::floor<std::chrono::milliseconds>(standing->valid_until - now);
    check.detail = "leading for at least " + go_duration(left) + " more";
  } else if (const std::string leader = standing->leader_at(now); !leader.empty()) {
    check.detail = "standing by for " + leader;
  }
  if (!standing->trouble.empty()) {
    check.detail += (check.detail.empty() ? "hindered: " : ", hindered: ") + standing->trouble;
  }
  return check;
}

/// What cannot be read of our credentials fails no page, for the old ones are in use, but it stands
/// beside what it will end.
controller::HealthCheck with_trouble(controller::HealthCheck check,
                                     const std::optional<std::string>& trouble) {
  if (!trouble) return check;
  check.detail += (check.detail.empty() ? "" : "; ") + std::string("warning: ") + *trouble;
  return check;
}

/// Everything that lives as long as the process, in the order in which it stands on one another.
class Program {
 public:
  Program(const controller::Flags& flags, const net::ClusterConfig& cluster)
      : log_(clock_, {.format = flags.log_json ? net::LogFormat::Json : net::LogFormat::Text,
                      .threshold = flags.log_level}),
        executor_(clock_),
        operations_loop_(clock_),
        credentials_(cluster, clock_, log_),
        transport_(net::server_transport(credentials_,
                                         {.clock = clock_,
                                          .executor = executor_,
                                          .gate = gate_,
                                          .log = log_,
                                          .loop = &executor_},
                                         net::user_agent("node-lifecycle-controller"))),
        observed_(*transport_, {.clock = clock_,
                                .metrics = metrics_,
                                .server_clock = server_clock_,
                                .host = cluster.host + ":" + std::to_string(cluster.port)}),
        draining_(observed_, executor_) {}

  Result<std::monostate> serve_operations(const net::ListenAddress& address) {
    auto server = net::HttpServer::listen(operations_loop_, pages_, address, net::small_pages);
    if (!server) return std::move(server.error());
    operations_ = std::move(*server);
    log_.info("serving metrics and health", {{"address", operations_->address()}});
    operations_thread_.emplace(operations_loop_);
    return std::monostate{};
  }

  /// The exit code.
  int run(const controller::Flags& flags) {
    flags_ = flags;
    const bool contests = flags.leader_elect.enabled;
    if (!contests) gate_.open_for_ever();
    if (contests && is_cold()) beat();
    if (!contests || !is_cold()) start_loop();
    if (contests) contest(election_options(flags.leader_elect));
    const net::StopSignals signals(executor_, [this](int) { stop(); });
    executor_.run();
    elector_.reset();
    loop_.reset();
    log_.info("stopped");
    return exit_code_;
  }

  Log& log() { return log_; }

 private:
  bool is_cold() const { return flags_.leader_elect.standby == controller::Standby::Cold; }

  void start_loop() {
    loop_started_ = clock_.now();
    loop_.emplace(controller::LoopWorld{.transport = draining_,
                                        .clock = clock_,
                                        .executor = executor_,
                                        .log = log_,
                                        .metrics = metrics_,
                                        .gate = gate_,
                                        .health = health_,
                                        .server_clock = server_clock_,
                                        .seed = seed_,
                                        .give_back_memory = &controller::give_back_memory},
                  flags_.loop);
  }

  /// A cold standby is alive, too, and ready for what it is there for.
  void beat() {
    if (!loop_) health_.publish({{.name = "cold-standby", .ok = true, .detail = {}}}, clock_.now());
    beat_ = executor_.run_at(clock_.now() + beat_period, [this] { beat(); });
  }

  void contest(const election::ElectionOptions& options) {
    elector_.emplace(election::ElectorWorld{.transport = observed_,
                                            .clock = clock_,
                                            .executor = executor_,
                                            .log = log_,
                                            .gate = gate_,
                                            .seed = seed_,
                                            .metrics = metrics_.election(options.lease_name),
                                            .board = &standing_,
                                            .last_worked = [this] { return last_worked(); }},
                     options,
                     election::ElectorEvents{.on_change = [this](bool leading) { turn(leading); },
                                             .on_new_leader = nullptr,
                                             .on_lock_written =
                                                 [this] {
                                                   if (loop_) loop_->prove();
                                                 }});
  }

  /// A loop that has just been built has not had its first turn.
  Instant last_worked() const {
    return loop_ ? std::max(health_.last_beat(), loop_started_) : clock_.now();
  }

  void turn(bool leading) {
    const bool lost = !leading && !stopping_;
    if (lost && flags_.leader_elect.on_lost == controller::OnLost::Exit) {
      log_.error("lost leadership", {{"on_lost", "exit"}});
      return end(1);
    }
    if (is_cold() && leading) start_loop();
    if (is_cold() && lost) loop_.reset();
    if (loop_) loop_->leadership_changed();
  }

  /// Writes under way are awaited first, for a successor may begin in the moment of the release.
  /// Where they do not end in time nothing is released: the lease runs out by itself.
  void stop() {
    if (std::exchange(stopping_, true)) return end(exit_code_);
    log_.info("stopping");
    if (!elector_) return end(0);
    patience_ = executor_.run_at(clock_.now() + drain_patience, [this] {
      log_.warning("not all writes were answered, the lease is left to run out",
                   {{"writes", std::to_string(draining_.under_way())}});
      end(0);
    });
    draining_.drain([this] {
      patience_.end();
      elector_->stop(release_patience, [this] { end(0); });
    });
  }

  void end(int code) {
    exit_code_ = code;
    executor_.stop();
  }

  net::SystemClock clock_;
  net::SpdlogLog log_;
  net::AsioLoop executor_;
  net::AsioLoop operations_loop_;
  net::Credentials credentials_;
  client::Gate gate_;
  metrics::Metrics metrics_{NLC_VERSION};
  controller::HealthBoard health_;
  election::StandingBoard standing_;
  controller::OperationsPages pages_{metrics_, health_, clock_, [this](Instant now) {
                                       return with_trouble(election_check(standing_, now),
                                                           credentials_.trouble());
                                     }};
  std::unique_ptr<net::HttpServer> operations_;
  std::optional<net::LoopThread> operations_thread_;
  client::ServerClock server_clock_;
  std::unique_ptr<client::Transport> transport_;
  client::ObservedTransport observed_;
  client::DrainingTransport draining_;
  controller::Flags flags_;
  const std::uint64_t seed_ = std::random_device{}();
  std::optional<controller::Loop> loop_;
  Instant loop_started_;
  std::optional<election::Elector> elector_;
  Timer beat_;
  Timer patience_;
  bool stopping_ = false;
  int exit_code_ = 0;
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
  const Result<net::ClusterConfig> cluster = net::find_cluster(
      {.file = flags.kubeconfig, .context = flags.context}, net::process_environment());
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
  return program.run(flags);
}

}  // namespace
}  // namespace nlc

int main(int count, char** values) {
  nlc::controller::keep_one_heap();
  nlc::net::outlive_readers();
  return nlc::net::run_program("node-lifecycle-controller", [&] {
    return nlc::run(std::vector<std::string>(values + 1, values + count));
  });
}

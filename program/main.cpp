#include <array>
#include <boost/asio/ip/host_name.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "client/limits/gate.h"
#include "net/config/find_cluster.h"
#include "net/credentials/credentials.h"
#include "net/credentials/serving_certificate.h"
#include "net/http/listen_address.h"
#include "net/http_client/server_link.h"
#include "net/http_server/http_server.h"
#include "net/log/spdlog_log.h"
#include "net/loop/asio_loop.h"
#include "net/loop/stop_signals.h"
#include "net/loop/system_clock.h"
#include "net/process/environment.h"
#include "net/process/program.h"
#include "net/rest/server_transport.h"
#include "program/flags.h"
#include "program/process_memory.h"
#include "program/replica.h"

/// node-lifecycle-controller: one replica in the real world. Exit codes: 0 clean end, 1 failure, 2
/// usage.
namespace nlc {
namespace {

constexpr std::string_view program_name = "node-lifecycle-controller";

/// Host name and a random UUID, so that a restarted process is a new candidate.
std::string election_identity() {
  boost::system::error_code no_name;
  const std::string host = boost::asio::ip::host_name(no_name);
  std::random_device random;
  std::array<std::uint32_t, 4> words{random(), random(), random(), random()};
  words[1] = (words[1] & 0xffff0fffU) | 0x4000U;      // version 4
  words[2] = (words[2] & 0x3fffffffU) | 0x80000000U;  // variant 1
  std::array<char, 40> uuid{};
  std::snprintf(uuid.data(), uuid.size(), "%08x-%04x-%04x-%04x-%04x%08x", words[0], words[1] >> 16U,
                words[1] & 0xffffU, words[2] >> 16U, words[2] & 0xffffU, words[3]);
  return host + "_" + uuid.data();
}

/// Where pages are served; nothing: not there.
struct Ports {
  std::optional<net::ListenAddress> metrics;
  std::optional<net::ListenAddress> secure;
  std::optional<net::ListenAddress> status;
};

/// Everything that lives as long as the process, in the order in which it stands on one another.
class Process {
 public:
  Process(const program::Flags& flags, const net::ClusterConfig& cluster)
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
                                         net::user_agent(program_name))),
        replica_({.transport = *transport_,
                  .gate = gate_,
                  .clock = clock_,
                  .executor = executor_,
                  .log = log_,
                  .server = cluster.host + ":" + std::to_string(cluster.port),
                  .identity = election_identity(),
                  .seed = std::random_device{}(),
                  .credentials_trouble = [this] { return credentials_.trouble(); },
                  .ports_executor = &operations_loop_,
                  .give_back_memory = &program::give_back_memory},
                 flags, [this](int exit_code) { end(exit_code); }) {}

  /// An error names the flag.
  Result<std::monostate> serve_pages(const Ports& ports, const net::ServingFiles& files) {
    if (ports.metrics) {
      if (auto error = serve_metrics(*ports.metrics))
        return std::move(*error).while_doing("--metrics-bind-address");
    }
    if (ports.secure) {
      if (auto error = read_certificate(files))
        return std::move(*error).while_doing("--tls-cert-file");
      if (auto error = serve_guarded(*ports.secure))
        return std::move(*error).while_doing("--secure-port");
    }
    if (ports.status) serve_status(*ports.status);
    operations_thread_.emplace(operations_loop_);
    return std::monostate{};
  }

  /// The exit code.
  int run() {
    replica_.start();
    const net::StopSignals signals(executor_, [this](int) { replica_.stop(); });
    executor_.run();
    log_.info("stopped");
    return exit_code_;
  }

  Log& log() { return log_; }

 private:
  std::optional<Error> serve_metrics(const net::ListenAddress& address) {
    auto server =
        net::HttpServer::listen(operations_loop_, replica_.pages(), address, net::small_pages);
    if (!server) return std::move(server.error());
    operations_ = std::move(*server);
    log_.info("serving metrics and health", {{"address", operations_->address()}});
    return std::nullopt;
  }

  std::optional<Error> read_certificate(const net::ServingFiles& files) {
    auto certificate = net::ServingCertificate::read(files, clock_, log_);
    if (!certificate) return std::move(certificate.error());
    certificate_ = *std::move(certificate);
    return std::nullopt;
  }

  std::optional<Error> serve_guarded(const net::ListenAddress& address) {
    auto server = net::HttpServer::listen(operations_loop_, replica_.guarded_pages(), address,
                                          net::small_pages, certificate_.get());
    if (!server) return std::move(server.error());
    secure_ = std::move(*server);
    log_.info("serving metrics and health over TLS",
              {{"address", secure_->address()}, {"certificate", certificate_->in_words()}});
    return std::nullopt;
  }

  /// Nobody's pods wait for a page: where its port is taken the controller works without it.
  void serve_status(const net::ListenAddress& address) {
    auto server = net::HttpServer::listen(operations_loop_, replica_.status(), address,
                                          net::pages_for_browsers);
    if (!server) {
      log_.warning("no status port, nobody can ask why",
                   {{"flag", "--status-bind-address"}, {"error", server.error().path}});
      return;
    }
    status_ = std::move(*server);
    log_.info("serving status", {{"address", status_->address()}});
  }

  void end(int exit_code) {
    exit_code_ = exit_code;
    executor_.stop();
  }

  net::SystemClock clock_;
  net::SpdlogLog log_;
  net::AsioLoop executor_;
  net::AsioLoop operations_loop_;
  net::Credentials credentials_;
  client::Gate gate_;
  std::unique_ptr<client::Transport> transport_;
  program::Replica replica_;
  std::unique_ptr<net::ServingCertificate> certificate_;
  std::unique_ptr<net::HttpServer> operations_;
  std::unique_ptr<net::HttpServer> secure_;
  std::unique_ptr<net::HttpServer> status_;
  std::optional<net::LoopThread> operations_thread_;
  int exit_code_ = 0;
};

/// Nothing for an empty address: that port is switched off.
Result<std::optional<net::ListenAddress>> address_of(std::string_view flag,
                                                     const std::string& text) {
  if (text.empty()) return std::optional<net::ListenAddress>();
  Result<net::ListenAddress> address = net::parse_listen_address(text);
  if (!address) return std::move(address.error()).while_doing(flag);
  return std::optional(*std::move(address));
}

Result<Ports> ports_of(const program::Flags& flags) {
  const auto metrics = address_of("--metrics-bind-address", flags.metrics_bind_address);
  if (!metrics) return metrics.error();
  const auto status = address_of("--status-bind-address", flags.status_bind_address);
  if (!status) return status.error();
  const program::SecureServingFlags& serving = flags.secure_serving;
  const auto secure = net::listen_address_of(serving.bind_address, serving.port);
  if (!secure) {
    return bad_input("invalid value \"" + serving.bind_address +
                     "\" for --bind-address: " + secure.error().path);
  }
  return Ports{.metrics = *metrics,
               .secure = serving.port == 0 ? std::nullopt : std::optional(*secure),
               .status = *status};
}

int run(const std::vector<std::string>& arguments) {
  program::CommandLine line = program::read_command_line(arguments);
  if (!line.flags) return tell_end(program_name, {line.exit_code, line.text});
  const program::Flags& flags = *line.flags;
  const Result<Ports> ports = ports_of(flags);
  if (!ports) return net::fail(program_name, ports.error().path, 2);
  const Result<net::ClusterConfig> cluster = net::find_cluster(
      {.file = flags.kubeconfig, .context = flags.context}, net::process_environment());
  if (!cluster) return net::fail(program_name, cluster.error().path, 1);

  Process process(flags, *cluster);
  process.log().info("starting", {{"version", NLC_VERSION},
                                  {"server", net::server_url(*cluster)},
                                  {"credentials", cluster->source},
                                  {"user", cluster->user}});
  net::warn_of_no_credentials(*cluster, process.log());
  const program::SecureServingFlags& serving = flags.secure_serving;
  const auto served = process.serve_pages(
      *ports, {.certificate = serving.certificate_file, .key = serving.key_file});
  if (!served) return net::fail(program_name, served.error().path, 1);
  return process.run();
}

}  // namespace
}  // namespace nlc

int main(int count, char** values) {
  nlc::program::keep_one_heap();
  nlc::net::ignore_broken_pipes();
  return nlc::net::run_program(nlc::program_name, [&] {
    return nlc::run(std::vector<std::string>(values + 1, values + count));
  });
}

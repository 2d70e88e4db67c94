#include "election/asio/asio_election.h"

#include <optional>
#include <random>
#include <utility>

#include "net/config/find_cluster.h"
#include "net/credentials/credentials.h"
#include "net/http_client/server_link.h"
#include "net/http_client/socket_transport.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "net/process/environment.h"

namespace nlc::election {

struct AsioElection::Parts {
  Parts(boost::asio::io_context& context, const net::ClusterConfig& cluster,
        const AsioElectionOptions& options)
      : log(options.log != nullptr ? *options.log : silent),
        loop(clock, context),
        transport(cluster, {.clock = clock, .executor = loop, .gate = gate, .log = log},
                  {.user_agent = net::user_agent(options.user_agent)}) {}

  SilentLog silent;
  Log& log;
  net::SystemClock clock;
  net::AsioLoop loop;
  client::Gate gate;
  net::SocketTransport transport;
  std::optional<Elector> elector;
};

Result<std::unique_ptr<AsioElection>> AsioElection::begin(boost::asio::io_context& context,
                                                          AsioElectionOptions options,
                                                          ElectorEvents events) {
  if (const auto bad = check(options.election)) {
    return Error{Fault::Invalid, bad->option + ": " + bad->message};
  }
  Result<net::ClusterConfig> cluster =
      net::find_cluster({.file = options.kubeconfig}, net::process_environment());
  if (!cluster) return std::move(cluster.error());
  auto parts = std::make_unique<Parts>(context, *cluster, options);
  net::warn_of_no_credentials(*cluster, parts->log);
  parts->elector.emplace(ElectorEnv{.transport = parts->transport,
                                    .clock = parts->clock,
                                    .executor = parts->loop,
                                    .log = parts->log,
                                    .gate = parts->gate,
                                    .seed = std::random_device{}(),
                                    .board = options.board},
                         std::move(options.election), std::move(events));
  return std::unique_ptr<AsioElection>(new AsioElection(std::move(parts)));
}

AsioElection::AsioElection(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

AsioElection::~AsioElection() = default;

void AsioElection::stop(Duration timeout, std::function<void()> done) {
  parts_->elector->stop(timeout, std::move(done));
}

bool AsioElection::leading() const { return parts_->elector->leading(); }

bool AsioElection::may_write() const { return parts_->gate.is_open(parts_->clock.now()); }

}  // namespace nlc::election

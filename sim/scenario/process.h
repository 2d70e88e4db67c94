#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "client/draining_transport.h"
#include "client/endpoint.h"
#include "client/gate.h"
#include "client/observed_transport.h"
#include "client/server_clock.h"
#include "controller/flags.h"
#include "controller/health.h"
#include "controller/loop.h"
#include "election/elector.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "sim/loopback_transport.h"

namespace nlc::sim::scenario {

/// One life of the controller program: what its main puts together, over the loopback instead of
/// sockets. When it is destroyed it ends as a killed process does: without a word.
class Process {
 public:
  struct World {
    const Clock& clock;
    Executor& executor;
    client::Endpoint& endpoint;
    Log& log;
    std::string identity;  ///< in the election
    Link link = Link::Up;  ///< at the start
  };
  Process(World world, const controller::Flags& flags, std::uint64_t seed);

  /// As on SIGTERM: awaits the writes that are under way, gives the lease back and calls `ended`.
  /// Where the writes are not answered in time nothing is given back. At most once.
  void stop(std::function<void()> ended);

  void set_link(Link link) { transport_.set_link(link); }

  const metrics::Metrics& metrics() const { return metrics_; }
  const controller::HealthBoard& health() const { return health_; }
  bool leads(Instant now) const { return gate_.is_open(now); }

 private:
  void contest(const controller::LeaderElectFlags& flags, std::uint64_t seed);

  const World world_;
  metrics::Metrics metrics_{"scenario"};
  client::Gate gate_;
  controller::HealthBoard health_;
  client::ServerClock server_clock_;
  LoopbackTransport transport_;
  client::ObservedTransport observed_;
  client::DrainingTransport draining_;
  std::optional<controller::Loop> loop_;
  std::optional<election::Elector> elector_;
  Timer patience_;
};

}  // namespace nlc::sim::scenario

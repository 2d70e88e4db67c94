#pragma once

#include <cstdint>
#include <optional>

#include "client/endpoint.h"
#include "client/gate.h"
#include "client/observed_transport.h"
#include "client/server_clock.h"
#include "controller/flags.h"
#include "controller/health.h"
#include "controller/loop.h"
#include "election/elector.h"
#include "metrics/metrics.h"
#include "sim/loopback_transport.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

/// One life of the controller program: what its main puts together, over the loopback instead of
/// sockets. It ends as a killed process does: without a word.
class Process {
 public:
  struct World {
    VirtualTime& time;
    client::Endpoint& endpoint;
    Log& log;
  };
  Process(World world, const controller::Flags& flags, std::uint64_t seed);

  const metrics::Metrics& metrics() const { return metrics_; }

 private:
  void contest(const World& world, const controller::LeaderElectFlags& flags, std::uint64_t seed);

  metrics::Metrics metrics_{"scenario"};
  client::Gate gate_;
  controller::HealthBoard health_;
  client::ServerClock server_clock_;
  LoopbackTransport transport_;
  client::ObservedTransport observed_;
  std::optional<controller::Loop> loop_;
  std::optional<election::Elector> elector_;
};

}  // namespace nlc::sim::scenario

#pragma once

#include <functional>
#include <string>

#include "client/endpoint.h"
#include "client/limits/gate.h"
#include "controller/why/answer.h"
#include "program/replica.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "sim/loopback_transport.h"

namespace nlc::sim::scenario {

/// One life of the controller program, over the loopback instead of sockets.
class Process {
 public:
  struct Env {
    const Clock& clock;
    Executor& executor;
    Executor* wire = nullptr;  ///< of the transport
    client::Endpoint& endpoint;
    Log& log;
    std::string identity;  ///< in the election
    Link link = Link::Up;  ///< at the start
    /// It stopped, or ended by itself, with this code.
    std::function<void(int exit_code)> ended;
  };
  Process(const Env& env, const program::Flags& flags, std::uint64_t seed)
      : transport_({env.executor, env.clock, env.endpoint, gate_, env.wire},
                   {.user_agent = "node-lifecycle-controller"}),
        replica_({.transport = transport_,
                  .gate = gate_,
                  .clock = env.clock,
                  .executor = env.executor,
                  .log = env.log,
                  .server = "embedded",
                  .identity = env.identity,
                  .seed = seed},
                 flags, env.ended) {
    set_link(env.link);
    replica_.start();
  }

  /// As on SIGTERM.
  void stop() { replica_.stop(); }

  void set_link(Link link) { transport_.set_link(link); }

  const metrics::Metrics& metrics() const { return replica_.metrics(); }
  std::vector<controller::HealthCheck> readiness() const { return replica_.readiness(); }
  controller::why::Answer why(const controller::why::Question& question) const {
    return replica_.why(question);
  }
  controller::live::Change look(controller::live::Tracker& tracker, WallTime now) const {
    return replica_.look(tracker, now);
  }
  bool leads(Instant now) const { return replica_.leads(now); }

 private:
  client::Gate gate_;
  LoopbackTransport transport_;
  program::Replica replica_;
};

}  // namespace nlc::sim::scenario

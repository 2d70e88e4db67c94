#include "sim/scenario/process.h"

namespace nlc::sim::scenario {

Process::Process(World world, const controller::Flags& flags, std::uint64_t seed)
    : transport_({world.time, world.time, world.endpoint, gate_},
                 {.user_agent = "node-lifecycle-controller"}),
      observed_(transport_, {.clock = world.time,
                             .metrics = metrics_,
                             .server_clock = server_clock_,
                             .host = "embedded"}) {
  loop_.emplace(controller::LoopWorld{.transport = observed_,
                                      .clock = world.time,
                                      .executor = world.time,
                                      .log = world.log,
                                      .metrics = metrics_,
                                      .gate = gate_,
                                      .health = health_,
                                      .server_clock = server_clock_,
                                      .seed = seed},
                flags.loop);
  if (flags.leader_elect.enabled) {
    contest(world, flags.leader_elect, seed);
  } else {
    gate_.open_for_ever();
    loop_->leadership_changed();
  }
}

void Process::contest(const World& world, const controller::LeaderElectFlags& flags,
                      std::uint64_t seed) {
  elector_.emplace(
      election::ElectorWorld{.transport = observed_,
                             .clock = world.time,
                             .executor = world.time,
                             .log = world.log,
                             .gate = gate_,
                             .seed = seed},
      election::ElectionOptions{.identity = "scenario_" + std::to_string(seed),
                                .lease_namespace = flags.resource_namespace,
                                .lease_name = flags.resource_name,
                                .lease_duration = flags.lease_duration,
                                .renew_deadline = flags.renew_deadline,
                                .retry_period = flags.retry_period},
      election::ElectorEvents{.on_change = [this](bool) { loop_->leadership_changed(); },
                              .on_new_leader = nullptr,
                              .on_renewed = [this] { loop_->prove(); }});
}

}  // namespace nlc::sim::scenario

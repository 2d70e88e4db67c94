#include "sim/scenario/process.h"

#include <utility>

namespace nlc::sim::scenario {
namespace {

/// As in the program's main.
constexpr Duration drain_patience = std::chrono::milliseconds(800);
constexpr Duration release_patience = std::chrono::milliseconds(1000);

}  // namespace

Process::Process(World world, const controller::Flags& flags, std::uint64_t seed)
    : world_(std::move(world)),
      transport_({world_.executor, world_.clock, world_.endpoint, gate_},
                 {.user_agent = "node-lifecycle-controller"}),
      observed_(transport_, {.clock = world_.clock,
                             .metrics = metrics_,
                             .server_clock = server_clock_,
                             .host = "embedded"}),
      draining_(observed_, world_.executor) {
  set_link(world_.link);
  loop_.emplace(controller::LoopWorld{.transport = draining_,
                                      .clock = world_.clock,
                                      .executor = world_.executor,
                                      .log = world_.log,
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
    loop_->leadership_changed();
  }
}

void Process::contest(const controller::LeaderElectFlags& flags, std::uint64_t seed) {
  elector_.emplace(
      election::ElectorWorld{.transport = observed_,
                             .clock = world_.clock,
                             .executor = world_.executor,
                             .log = world_.log,
                             .gate = gate_,
                             .seed = seed},
      election::ElectionOptions{.identity = world_.identity,
                                .lease_namespace = flags.resource_namespace,
                                .lease_name = flags.resource_name,
                                .lease_duration = flags.lease_duration,
                                .renew_deadline = flags.renew_deadline,
                                .retry_period = flags.retry_period},
      election::ElectorEvents{.on_change = [this](bool) { loop_->leadership_changed(); },
                              .on_new_leader = nullptr,
                              .on_lock_written = [this] { loop_->prove(); }});
}

void Process::stop(std::function<void()> ended) {
  if (!elector_) return ended();
  patience_ = world_.executor.run_at(world_.clock.now() + drain_patience, ended);
  draining_.drain([this, ended = std::move(ended)] {
    patience_.end();
    elector_->stop(release_patience, ended);
  });
}

}  // namespace nlc::sim::scenario

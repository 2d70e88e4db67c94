#include "nlc/cluster/fleet.h"

#include <algorithm>
#include <utility>

#include "runtime/go_duration.h"

namespace nlc::workbench {

namespace {

constexpr Duration pulse_period = std::chrono::seconds(1);

bool cuts_power(const FleetFlags& flags) { return flags.kill > 0 || !flags.kill_zone.empty(); }

}  // namespace

bool names_a_zone(const FleetFlags& flags, const std::string& zone) {
  for (std::uint32_t index = 0; index < std::min(flags.zones, flags.nodes); ++index) {
    if (sim::zone_name(index) == zone) return true;
  }
  return false;
}

sim::HollowClusterOptions cluster_options(const FleetFlags& flags, Duration per_node) {
  sim::HollowClusterOptions options;
  options.nodes = flags.nodes;
  options.zones = flags.zones;
  options.workload.pods_per_node = flags.pods_per_node;
  if (flags.toleration_seconds) {
    options.workload.toleration = std::chrono::seconds(*flags.toleration_seconds);
  }
  options.kubelet.lease_duration = std::chrono::seconds(flags.node_lease_duration_seconds);
  options.kubelet.status.update_frequency = flags.node_status_update_frequency;
  options.kubelet.status.report_frequency = flags.node_status_report_frequency;
  options.boot_span = per_node * flags.nodes;
  return options;
}

FleetPlay::FleetPlay(sim::HollowCluster& cluster, const FleetFlags& flags,
                     sim::HollowCluster::Env env, Audience audience)
    : cluster_(cluster),
      flags_(flags),
      env_(env),
      audience_(std::move(audience)),
      started_(env.clock.now()) {
  look();
}

void FleetPlay::look() {
  const sim::HollowCluster::Progress progress = cluster_.progress();
  tell_progress(progress);
  const Instant now = env_.clock.now();
  if (!progress.complete) {
    next_ = env_.executor.run_at(now + std::chrono::seconds(1), [this] { look(); });
    return;
  }
  complete_ = true;
  audience_.say("all nodes and pods run after " +
                go_duration(std::chrono::round<std::chrono::milliseconds>(now - started_)));
  if (audience_.on_complete) audience_.on_complete();
  heartbeats_ = cluster_.heartbeats();
  feel_pulse();
  changes_.emplace(cluster_, env_, flags_.pod_changes_per_second);
  if (!cuts_power(flags_)) return;
  next_ = env_.executor.run_at(now + flags_.after, [this] { kill(); });
}

void FleetPlay::tell_progress(const sim::HollowCluster::Progress& progress) {
  const std::uint64_t pods = std::uint64_t{flags_.nodes} * flags_.pods_per_node;
  std::string line = "registered " + std::to_string(progress.registered) + "/" +
                     std::to_string(flags_.nodes) + " nodes, running " +
                     std::to_string(progress.pods_running) + "/" + std::to_string(pods) + " pods";
  if (progress.pods_deleted > 0) {
    line += " (" + std::to_string(progress.pods_deleted) + " deleted, and not waited for)";
  }
  if (!cluster_.trouble().empty()) line += " (refused: " + cluster_.trouble() + ")";
  if (std::exchange(told_, line) != line) audience_.say(line);
}

/// Told when it changes; shown every second.
void FleetPlay::feel_pulse() {
  const sim::HollowCluster::Heartbeats before = std::exchange(heartbeats_, cluster_.heartbeats());
  const std::uint64_t taken = heartbeats_.taken - before.taken;
  const std::uint64_t failed = heartbeats_.failed - before.failed;
  if (failed > 0 && !std::exchange(renewals_fail_, true)) {
    audience_.say("renewals fail: " + heartbeats_.failure);
  }
  if (failed == 0 && taken > 0 && std::exchange(renewals_fail_, false)) {
    audience_.say("the server takes renewals again");
  }
  if (audience_.show) {
    audience_.show(std::to_string(cluster_.size()) + " nodes, " + std::to_string(taken) +
                   " renewals/s" +
                   (failed > 0 ? ", " + std::to_string(failed) + " failed" : std::string()));
  }
  pulse_ = env_.executor.run_at(env_.clock.now() + pulse_period, [this] { feel_pulse(); });
}

void FleetPlay::kill() {
  if (!cuts_power(flags_)) return;
  if (!complete_) return audience_.say("no power is cut before all nodes and pods run");
  if (std::exchange(power_is_cut_, true)) return;
  each_victim([this](sim::HollowKubelet& kubelet) {
    if (audience_.on_killed) audience_.on_killed(kubelet);
    kubelet.die();
  });
  audience_.say("killed " + victims());
  if (!flags_.revive_after) return;
  next_ = env_.executor.run_at(env_.clock.now() + *flags_.revive_after, [this] { revive(); });
}

void FleetPlay::revive() {
  if (!std::exchange(power_is_cut_, false)) return;
  next_.end();
  each_victim([this](sim::HollowKubelet& kubelet) {
    kubelet.revive();
    if (audience_.on_revived) audience_.on_revived(kubelet);
  });
  audience_.say("revived " + victims());
}

template <typename Visit>
void FleetPlay::each_victim(Visit visit) {
  for (std::uint32_t index = 0; index < cluster_.size(); ++index) {
    sim::HollowKubelet& kubelet = cluster_.kubelet(index);
    const sim::NodeIdentity& identity = kubelet.identity();
    if (index < flags_.kill || identity.zone == flags_.kill_zone) visit(kubelet);
  }
}

std::string FleetPlay::victims() {
  std::uint32_t count = 0;
  std::string first;
  std::string last;
  each_victim([&](const sim::HollowKubelet& kubelet) {
    if (count++ == 0) first = kubelet.identity().name;
    last = kubelet.identity().name;
  });
  if (count <= 1) return first;
  return first + " … " + last + " (" + std::to_string(count) + " nodes)";
}

}  // namespace nlc::workbench

#include "sim/nlc_fleet.h"

#include <algorithm>
#include <utility>

#include "runtime/go_duration.h"

namespace nlc::sim {

HollowClusterOptions cluster_options(const FleetFlags& flags, Duration per_node) {
  HollowClusterOptions options;
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

FleetPlay::FleetPlay(HollowCluster& cluster, const FleetFlags& flags, HollowCluster::World world,
                     Say say, std::function<void()> on_complete)
    : cluster_(cluster),
      flags_(flags),
      world_(world),
      say_(std::move(say)),
      on_complete_(std::move(on_complete)),
      started_(world.clock.now()) {
  look();
}

void FleetPlay::look() {
  const HollowCluster::Progress progress = cluster_.progress();
  tell_progress(progress);
  const Instant now = world_.clock.now();
  if (!progress.complete) {
    next_ = world_.executor.run_at(now + std::chrono::seconds(1), [this] { look(); });
    return;
  }
  say_("all nodes and pods run after " +
       go_duration(std::chrono::round<std::chrono::milliseconds>(now - started_)));
  if (on_complete_) on_complete_();
  if (flags_.kill == 0) return;
  next_ = world_.executor.run_at(now + flags_.after, [this] { kill(); });
}

void FleetPlay::tell_progress(const HollowCluster::Progress& progress) {
  const std::uint64_t pods = std::uint64_t{flags_.nodes} * flags_.pods_per_node;
  std::string line = "registered " + std::to_string(progress.registered) + "/" +
                     std::to_string(flags_.nodes) + " nodes, running " +
                     std::to_string(progress.pods_running) + "/" + std::to_string(pods) + " pods";
  if (!cluster_.trouble().empty()) line += " (refused: " + cluster_.trouble() + ")";
  if (std::exchange(told_, line) != line) say_(line);
}

void FleetPlay::kill() {
  cluster_.kill(flags_.kill);
  say_("killed " + victims());
  if (!flags_.revive_after) return;
  next_ = world_.executor.run_at(world_.clock.now() + *flags_.revive_after, [this] { revive(); });
}

void FleetPlay::revive() {
  cluster_.revive(flags_.kill);
  say_("revived " + victims());
}

std::string FleetPlay::victims() const {
  const std::uint32_t count = std::min(flags_.kill, cluster_.size());
  const std::string first = cluster_.kubelet(0).identity().name;
  if (count <= 1) return first;
  return first + " … " + cluster_.kubelet(count - 1).identity().name + " (" +
         std::to_string(count) + " nodes)";
}

}  // namespace nlc::sim

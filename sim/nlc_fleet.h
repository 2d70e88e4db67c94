#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/hollow_cluster.h"

namespace nlc::sim {

/// The flags that `nlc cluster` and `nlc hollow` share.
struct FleetFlags {
  std::uint32_t nodes = 10;
  std::uint32_t pods_per_node = 3;
  std::uint32_t zones = 3;
  std::uint32_t node_lease_duration_seconds = 40;
  Duration node_status_update_frequency = std::chrono::seconds(10);
  Duration node_status_report_frequency = std::chrono::minutes(5);
  std::optional<std::uint32_t> toleration_seconds;
  std::uint32_t kill = 0;
  Duration after = std::chrono::minutes(1);
  std::optional<Duration> revive_after;
};

/// `per_node`: how far apart the machines boot.
HollowClusterOptions cluster_options(const FleetFlags& flags, Duration per_node);

/// Tells how far a cluster has come, then plays what the flags ask for: after everything runs,
/// `kill` machines lose their power, and get it back later. On the executor's thread.
class FleetPlay {
 public:
  using Say = std::function<void(const std::string&)>;

  /// `on_complete` is called once, when all runs for the first time.
  FleetPlay(HollowCluster& cluster, const FleetFlags& flags, HollowCluster::World world, Say say,
            std::function<void()> on_complete);
  FleetPlay(const FleetPlay&) = delete;
  FleetPlay& operator=(const FleetPlay&) = delete;

 private:
  void look();
  void tell_progress(const HollowCluster::Progress& progress);
  void kill();
  void revive();
  std::string victims() const;

  HollowCluster& cluster_;
  const FleetFlags flags_;
  HollowCluster::World world_;
  Say say_;
  std::function<void()> on_complete_;
  Instant started_;
  std::string told_;
  Timer next_;
};

}  // namespace nlc::sim

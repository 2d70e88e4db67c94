#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "sim/kubelet/hollow_changes.h"
#include "sim/kubelet/hollow_cluster.h"

namespace nlc::workbench {

/// The flags that `nlc cluster` and `nlc hollow` share.
struct FleetFlags {
  std::uint32_t nodes = 10;
  std::uint32_t pods_per_node = 3;
  std::uint32_t zones = 3;
  std::uint32_t node_lease_duration_seconds = 40;
  Duration node_status_update_frequency = std::chrono::seconds(10);
  Duration node_status_report_frequency = std::chrono::minutes(5);
  std::optional<std::uint32_t> toleration_seconds;
  std::uint32_t kill = 0;   ///< the first so many …
  std::string kill_zone{};  ///< … and all of this zone
  std::uint32_t pod_changes_per_second = 0;
  Duration after = std::chrono::minutes(1);
  std::optional<Duration> revive_after;
};

/// `per_node`: how far apart the machines boot.
sim::HollowClusterOptions cluster_options(const FleetFlags& flags, Duration per_node);

/// Whether the flags name a zone that there is.
bool names_a_zone(const FleetFlags& flags, const std::string& zone);

/// Tells how far a cluster has come, then plays what the flags ask for: after everything runs,
/// pods change, and some machines lose their power and get it back later. On the executor's thread.
class FleetPlay {
 public:
  /// Who hears of it; nobody hears of what is empty.
  struct Audience {
    std::function<void(const std::string&)> say;
    std::function<void(const std::string&)> show = nullptr;  ///< a line that replaces the last one
    std::function<void()> on_complete = nullptr;  ///< once, when all runs for the first time
    std::function<void(const sim::HollowKubelet&)> on_killed = nullptr;  ///< right before it dies
    std::function<void(const sim::HollowKubelet&)> on_revived = nullptr;
  };

  FleetPlay(sim::HollowCluster& cluster, const FleetFlags& flags, sim::HollowCluster::Env env,
            Audience audience);
  FleetPlay(const FleetPlay&) = delete;
  FleetPlay& operator=(const FleetPlay&) = delete;

  /// What the flags ask for, at once; nothing when it is so already, or while not all runs yet.
  void kill();
  void revive();

 private:
  void look();
  void feel_pulse();
  void tell_progress(const sim::HollowCluster::Progress& progress);
  template <typename Visit>
  void each_victim(Visit visit);
  std::string victims();

  sim::HollowCluster& cluster_;
  const FleetFlags flags_;
  sim::HollowCluster::Env env_;
  Audience audience_;
  Instant started_;
  bool complete_ = false;
  bool power_is_cut_ = false;
  std::optional<sim::HollowChanges> changes_;
  sim::HollowCluster::Heartbeats heartbeats_;  ///< as they were a second ago
  bool renewals_fail_ = false;
  std::string told_;
  Timer next_;
  Timer pulse_;
};

}  // namespace nlc::workbench

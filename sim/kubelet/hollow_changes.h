#pragma once

#include <cstdint>

#include "sim/kubelet/hollow_cluster.h"

namespace nlc::sim {

/// Life in the pods of a cluster: so many of them change their status each second, those of one
/// node after those of the other; dead nodes are passed over. What changes is `status.message`,
/// which nobody acts on. A change that the server refuses is not made again.
///
/// Begins at once and goes on until it ends. On the executor's thread; the cluster outlives it.
class HollowChanges {
 public:
  HollowChanges(HollowCluster& cluster, HollowCluster::Env env, std::uint32_t per_second);
  HollowChanges(const HollowChanges&) = delete;
  HollowChanges& operator=(const HollowChanges&) = delete;

 private:
  void step();
  void change_next();

  HollowCluster& cluster_;
  const HollowCluster::Env env_;
  const std::uint32_t per_second_;
  const Instant begun_;
  std::uint64_t done_ = 0;
  std::uint32_t node_ = 0;
  std::size_t round_ = 0;
  Timer next_;
};

}  // namespace nlc::sim

#pragma once

#include <cstdint>
#include <string>

#include "sim/kubelet/hollow_machine.h"
#include "sim/kubelet/hollow_pods.h"

namespace nlc::sim {

/// Does at the server what becomes of the pods of one node: they start, finish, are repaired and
/// leave. On the executor's thread.
class HollowPodRunner {
 public:
  HollowPodRunner(HollowMachine& machine, std::uint32_t node_index)
      : machine_(machine), node_index_(node_index), pods_(machine.options().pods) {}

  /// What a watch shows, whether anybody works or not.
  void observe(const api::Pod& pod) { pods_.observe(pod, machine_.now()); }
  void forget(std::string_view key) { pods_.forget(key); }
  const HollowPods& pods() const { return pods_; }

  void begin();
  void end() { timer_.end(); }
  /// What is due is done then, from now on.
  void arm();

 private:
  void perform(const PodJob& job);
  void on_pod_read(const PodJob& job, const Result<std::string>& body);
  void patch_pod(const PodJob& job, std::string body);
  void end_job(const PodJob& job, const Error* refused);

  HollowMachine& machine_;
  const std::uint32_t node_index_;
  HollowPods pods_;
  Timer timer_;
};

}  // namespace nlc::sim

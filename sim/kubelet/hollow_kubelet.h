#pragma once

#include <string_view>

#include "api/lease.h"
#include "api/objects.h"
#include "runtime/random.h"
#include "sim/kubelet/hollow_lease.h"
#include "sim/kubelet/hollow_machine.h"
#include "sim/kubelet/hollow_node.h"
#include "sim/kubelet/hollow_pod_runner.h"
#include "sim/kubelet/hollow_registration.h"
#include "sim/kubelet/hollow_status.h"

namespace nlc::sim {

/// A kubelet without a machine: to the API server it is a node like any other. It registers its
/// Node (or adopts the one that is there), renews its Lease, posts its status, and runs the pods
/// bound to it; all that with the timing and the words of the real one. It speaks through the seam
/// only, so the same code runs in virtual time and against any cluster.
///
/// It has no thread, no connection and no watch of its own: whoever has many of them watches pods
/// once and tells each what concerns it (`on_pod`), dead or not, as a kubelet that comes back would
/// list. Everything on the executor's thread.
class HollowKubelet {
 public:
  /// `phase`, in [0, 1): where in the renewal interval its renewals fall.
  HollowKubelet(const KubeletEnv& env, NodeIdentity identity, double phase, Random random);
  HollowKubelet(const HollowKubelet&) = delete;
  HollowKubelet& operator=(const HollowKubelet&) = delete;

  /// Power off: it is silent from this moment, and hears no answer any more.
  void die();
  /// Power on, where it is off, as it is at first: it registers and begins to work.
  void revive();

  /// What it will find wrong at its next look at the machine.
  void report(NodeHealth health) { health_ = health; }

  void on_pod(const api::Pod& pod);
  void on_pod_gone(std::string_view key) { pods_.forget(key); }

  const NodeIdentity& identity() const { return identity_; }
  const HollowPods& pods() const { return pods_.pods(); }
  const HollowRegistration& registration() const { return registration_; }
  bool is_running() const { return running_; }
  bool is_registered() const { return registration_.is_done(); }
  /// Its Node is there, and an earlier run's kubelet made it.
  void inherit_node() { registration_.inherit_node(); }
  bool made_lease() const { return made_lease_; }
  /// A create is under way, whose outcome `made_…` will tell even if the kubelet has died.
  bool is_creating() const { return machine_.is_creating(); }

 private:
  void begin_work();

  void perform(const LeaseStep& step);
  void create_lease();
  api::Lease lease_to_write() const;

  void perform(const StatusStep& step);
  void on_node_read(const Result<api::Node>& node);

  Duration request_timeout() const;

  const KubeletEnv& env_;
  const NodeIdentity identity_;
  Random random_;
  HollowMachine machine_;
  HollowRegistration registration_;
  LeaseKeeper lease_;
  StatusRounds status_;
  HollowPodRunner pods_;
  NodeHealth health_;
  Duration first_rest_;
  bool running_ = false;
  bool made_lease_ = false;
  Timer lease_timer_;
  Timer status_timer_;
};

}  // namespace nlc::sim

#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "api/lease.h"
#include "api/objects.h"
#include "client/verbs.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/random.h"
#include "sim/kubelet/faulty_link.h"
#include "sim/kubelet/hollow_lease.h"
#include "sim/kubelet/hollow_node.h"
#include "sim/kubelet/hollow_pods.h"
#include "sim/kubelet/hollow_status.h"

namespace nlc::sim {

class HollowKubelet;

struct KubeletOptions {
  Duration lease_duration = std::chrono::seconds(40);  ///< --node-lease-duration-seconds
  StatusTiming status;
  PodTiming pods;
  /// Waits end at its multiples, so that many kubelets of one process are woken together: being
  /// woken costs a process more than a renewal does. Zero: each at its own moment.
  Duration tick{0};
};

/// What all kubelets of one process share; it must outlive them.
struct KubeletWorld {
  client::Transport& transport;
  Executor& executor;
  const Clock& clock;
  KubeletOptions options;
  std::function<void(HollowKubelet&)> on_registered;  ///< each time one begins to work
  /// Each answer to a renewal; nobody hears of it when empty.
  std::function<void(const Result<api::Lease>&)> on_renewal = nullptr;
};

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
  HollowKubelet(const KubeletWorld& world, NodeIdentity identity, double phase, Random random);
  HollowKubelet(const HollowKubelet&) = delete;
  HollowKubelet& operator=(const HollowKubelet&) = delete;

  /// Power on: it registers and begins to work.
  void boot();
  /// Power off: it is silent from this moment, and hears no answer any more.
  void die();
  /// The network is gone: what it sends fails, and it goes on trying.
  void cut_off();
  /// Power or network is back, whichever was missing.
  void revive();

  /// What it will find wrong at its next look at the machine.
  void report(NodeHealth health) { health_ = health; }
  /// How far its calendar is ahead.
  void set_clock_offset(Duration offset) { clock_offset_ = offset; }

  void on_pod(const api::Pod& pod);
  void on_pod_gone(std::string_view key);

  const NodeIdentity& identity() const { return identity_; }
  const HollowPods& pods() const { return pods_; }
  bool is_running() const { return running_; }
  bool is_registered() const { return registered_; }
  const std::string& uid() const { return uid_; }
  /// Why the server does not take its Node; empty while nothing is wrong.
  const std::string& refusal() const { return refusal_; }
  /// Its Node was made by a hollow kubelet: this one, or one of an earlier run that left it.
  bool made_node() const { return made_node_; }
  /// A create of its Node was not answered, so that nobody knows.
  bool may_have_made_node() const { return node_in_doubt_; }
  /// Its Node is there, and an earlier run's kubelet made it.
  void inherit_node() { made_node_ = true; }
  bool made_lease() const { return made_lease_; }
  /// A create is under way, whose outcome `made_…` will tell even if the kubelet has died.
  bool is_creating() const { return creating_ > 0; }

 private:
  void register_node();
  void on_node_created(const Result<std::string>& answer);
  void identify_node();
  void adopt_node();
  void retry_registration();
  void begin_work();

  void perform(const LeaseStep& step);
  void create_lease();
  api::Lease lease_to_write() const;

  void perform(const StatusStep& step);
  void on_node_read(const Result<api::Node>& node);

  void arm_pods();
  void perform(const PodJob& job);
  void on_pod_read(const PodJob& job, const Result<std::string>& body);
  void patch_pod(const PodJob& job, std::string body);
  void end_job(const PodJob& job, const Error* refused);

  /// `take` hears the answer, unless the kubelet died meanwhile; through a cut cable none comes.
  template <typename T, typename Take>
  client::Done<T> heard(Take take);
  Timer after(Duration wait, std::function<void()> work);
  WallTime wall_now() const;
  Duration request_timeout() const;

  const KubeletWorld& world_;
  const NodeIdentity identity_;
  Random random_;
  FaultyLink link_;
  LeaseKeeper lease_;
  StatusRounds status_;
  HollowPods pods_;
  NodeHealth health_;
  Duration clock_offset_{0};
  Duration first_rest_;
  Duration registration_backoff_{0};
  std::string uid_;
  std::string refusal_;
  int creating_ = 0;
  bool running_ = false;
  bool registered_ = false;
  bool made_node_ = false;
  bool node_in_doubt_ = false;
  bool made_lease_ = false;
  Timer lease_timer_;  ///< of the registration before that
  Timer status_timer_;
  Timer pods_timer_;
  CallbackScope life_;       ///< from boot to death: answers to an earlier life are not heard
  CallbackScope creations_;  ///< answers that count even after its death
};

}  // namespace nlc::sim

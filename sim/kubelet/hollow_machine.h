#pragma once

#include <functional>
#include <utility>

#include "api/lease.h"
#include "client/verbs.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
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
struct KubeletEnv {
  client::Transport& transport;
  Executor& executor;
  const Clock& clock;
  KubeletOptions options;
  std::function<void(HollowKubelet&)> on_registered;  ///< each time one begins to work
  /// Each answer to a renewal; nobody hears of it when empty.
  std::function<void(const Result<api::Lease>&)> on_renewal = nullptr;
};

/// What a hollow kubelet runs on, and what answers reach it. Everything on the executor's thread.
class HollowMachine {
 public:
  explicit HollowMachine(const KubeletEnv& env) : env_(env) {}

  const KubeletOptions& options() const { return env_.options; }

  /// A new life, or none: answers to the one before are not heard any more.
  void restart() { life_.restart(); }

  client::Transport& transport() { return env_.transport; }

  /// `take` hears the answer, unless the kubelet died meanwhile.
  template <typename T, typename Take>
  client::Done<T> heard(Take take) {
    return life_.guard(std::move(take));
  }
  /// The same of an answer to a create, which `take` hears even after its death.
  template <typename T, typename Take>
  client::Done<T> heard_of_creation(Take take) {
    ++creating_;
    return creations_.guard([this, take = std::move(take)](Result<T> answer) {
      --creating_;
      take(std::move(answer));
    });
  }
  bool is_creating() const { return creating_ > 0; }

  Timer at(Instant when, std::function<void()> work) {
    return env_.executor.run_at(when, std::move(work));
  }
  /// At a multiple of the tick.
  Timer after(Duration wait, std::function<void()> work);

  Instant now() const { return env_.clock.now(); }
  WallTime wall_now() const { return env_.clock.wall_now(); }

 private:
  const KubeletEnv& env_;
  int creating_ = 0;
  CallbackScope life_;       ///< from boot to death
  CallbackScope creations_;  ///< answers that count even after its death
};

}  // namespace nlc::sim

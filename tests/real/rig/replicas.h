#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "leaderships.h"
#include "stage.h"

namespace nlc::real {

/// The lock that replicas of the controller contend for.
inline const LockName controller_lock{.space = "kube-system", .name = "node-lifecycle-controller"};

/// The next leader comes within seconds.
inline const std::vector<std::string> short_lease = {"--leader-elect-lease-duration=4s",
                                                     "--leader-elect-renew-deadline=3s",
                                                     "--leader-elect-retry-period=1s"};

/// One replica of the controller, with a token of its own, so that the audit log tells whose
/// request is whose.
struct Replica {
  std::unique_ptr<Controller> program;

  bool leads() const;
  Process& process() { return program->process(); }
};

/// How a change of leaders went, by the API server's clock.
struct Handover {
  Duration lock;   ///< from the old leader's end to the write that takes the lock
  Duration write;  ///< … to the first write of the next leader to a node or a pod
};

/// Replicas of the controller that contend for their lock, and a few nodes for them to write to.
class Replicas : public Stage {
 protected:
  /// Until one of `count` leads and all see the cluster.
  void start_replicas(std::size_t count, const std::vector<std::string>& flags);

  /// A new process in the place of one that has ended, ready.
  void replace(Replica& ended);

  std::ptrdiff_t leaders() const;
  Replica& leader();  ///< awaited; throws when there is none

  /// Gives leaders something to write from now on: each call turns what nodes are marked as.
  void cordon_or_uncordon_nodes();

  /// What came after the leader's end at `moment`, once it has come; nothing when it has not within
  /// `limit`. The caller sees to it that there is something to write.
  std::optional<Handover> handover_since(WallTime moment, Duration limit);

  /// By the audit log: no lock was taken before its time, and no replica wrote out of its
  /// leadership. Prints how many writes in how many leaderships were looked at.
  void expect_writes_of_leaders_only();

  std::vector<Replica> replicas_;

 private:
  Replica replica();

  std::vector<std::string> flags_;
  int started_ = 0;
  bool cordoned_ = false;
};

}  // namespace nlc::real

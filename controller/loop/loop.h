#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "client/event_recorder.h"
#include "client/limits/gate.h"
#include "client/limits/limited_transport.h"
#include "client/server_clock.h"
#include "client/transport.h"
#include "controller/decisions/decisions.h"
#include "controller/insight.h"
#include "controller/loop/answers.h"
#include "controller/loop/memory_return.h"
#include "controller/loop/moments.h"
#include "controller/loop/pass_schedule.h"
#include "controller/loop/server_checks.h"
#include "controller/observe/observer.h"
#include "controller/options/controllers.h"
#include "controller/options/policy.h"
#include "controller/pause/policy_watch.h"
#include "controller/reports/history.h"
#include "controller/reports/reports.h"
#include "controller/rules/health.h"
#include "controller/server/api_server_health.h"
#include "controller/server/cluster_watch.h"
#include "controller/server/write_probe.h"
#include "controller/writes/writer.h"
#include "informer/store.h"
#include "metrics/metrics.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::controller {

/// What a loop runs in, and whom it tells. All that is referred to outlives the loop: its
/// destructor still speaks to `metrics`. Used on the executor's thread alone.
struct LoopEnv {
  client::Transport& transport;
  const Clock& clock;
  Executor& executor;
  Log& log;
  metrics::Metrics& metrics;
  /// While it is closed decisions are withheld: a standby stays warm. Of one that observes it opens
  /// no way to the server.
  const client::Gate& gate;
  HealthBoard& health;
  const client::ServerClock& server_clock;  ///< whether others' timestamps may be believed
  std::uint64_t seed = 0;
  /// Called at rest after much memory was freed: by start-up, by a mass failure. May be empty.
  std::function<void()> give_back_memory = {};
};

/// What the operator asked for, already checked by whoever read it. Read once, when the loop
/// is built; nothing refers to it after that.
struct LoopOptions {
  Policy policy;
  client::LimitOptions limits;
  informer::WatchOptions watch;
  Controllers controllers;
  /// What events about the controller itself are about: its lock, whatever kind it has.
  client::EventSubject self{.kind = "Lease",
                            .namespace_ = "kube-system",
                            .name = "node-lifecycle-controller",
                            .api_version = "coordination.k8s.io/v1"};
  /// Where no election renews a lease that proves that the server takes writes: the one to renew.
  std::optional<WriteProbe::Place> write_probe{};
  PolicyWatch::Place policy_place;  ///< by which the operator says what is not to be done
  /// Nothing that is decided is performed: it is held against what the cluster shows.
  bool observe = false;
};

/// The shell around the decisions: what was observed goes to the machines that decide, what they
/// decide is performed, and the answers go back to them. It has no opinions of its own.
///
/// Runs from construction to destruction, all on the executor's thread.
class Loop final : private informer::StoreListener<api::Node>,
                   private informer::StoreListener<api::NodeLease>,
                   private informer::StoreListener<api::Pod> {
 public:
  Loop(LoopEnv env, const LoopOptions& options);
  ~Loop() override;

  /// The gate was opened or closed.
  void leadership_changed() { run_soon(); }

  /// The server was proved to take writes elsewhere: by the renewal of the leader's lease, which
  /// has this version now; empty where the lock is no Lease. Our last write of it that was
  /// acknowledged was sent at `sent`.
  void lease_written(const std::string& version, Instant sent);
  /// A read showed the leader's lock as it was before.
  void lock_went_back();

  /// What it knows now, for those who explain it.
  Insight insight() const;
  /// What it has found; nothing where it performs what it decides.
  std::optional<observe::Record> observed() const;

 private:
  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override;
  void on_stored(Slot slot, const api::NodeLease& lease, const api::NodeLease* before) override;
  void on_event(Slot slot, const api::NodeLease& lease, const api::NodeLease* before,
                Instant came) override;
  using informer::StoreListener<api::Node>::on_event;
  using informer::StoreListener<api::Pod>::on_event;
  void on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override;
  void on_removed(Slot slot, const api::Node& node) override;
  void on_removed(Slot slot, const api::NodeLease& lease) override;
  void on_missing(Slot slot, const api::NodeLease& lease) override;
  using informer::StoreListener<api::Node>::on_missing;
  using informer::StoreListener<api::Pod>::on_missing;
  void on_removed(Slot slot, const api::Pod& pod) override;
  void on_synced() override;

  void run_soon();
  void run();
  void lead(bool leading, Instant now);
  void observe(Moment at);
  void monitor_if_due(Moment at);
  void act(Moment at);
  void perform(const std::vector<Decision>& decisions);
  void give_back_memory(Instant now);
  void set_timer(Instant now);

  LoopEnv env_;
  const Moments moments_;
  client::LimitedTransport transport_;  ///< destroyed after all that waits for its answers
  ClusterWatch watch_;
  ApiServerHealth server_;
  Decisions decisions_;
  PolicyWatch policy_watch_;
  History history_;
  Reports reports_;
  PassSchedule passes_;
  Answers answers_;
  ServerChecks checks_;
  std::optional<Writer> writer_;               ///< of these two there is one
  std::optional<observe::Observer> observer_;  ///< and who observes has nothing to write with
  bool view_synced_ = false;
  bool leading_ = false;
  MemoryReturn memory_;
  bool run_posted_ = false;
  Timer timer_;
  CallbackScope callbacks_;
};

}  // namespace nlc::controller

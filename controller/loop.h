#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/event_recorder.h"
#include "client/gate.h"
#include "client/limits.h"
#include "client/server_clock.h"
#include "client/transport.h"
#include "controller/calendar_votes.h"
#include "controller/controllers.h"
#include "controller/health.h"
#include "controller/holds.h"
#include "controller/node_lifecycle.h"
#include "controller/node_reads.h"
#include "controller/pod_readiness.h"
#include "controller/policy.h"
#include "controller/server_versions.h"
#include "controller/stream_check.h"
#include "controller/taint_eviction.h"
#include "controller/timeout_eviction.h"
#include "controller/write_probe.h"
#include "controller/write_troubles.h"
#include "controller/writer.h"
#include "informer/index.h"
#include "informer/reflector.h"
#include "informer/store.h"
#include "metrics/metrics.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::controller {

struct LoopWorld {
  client::Transport& transport;
  const Clock& clock;
  Executor& executor;
  Log& log;
  metrics::Metrics& metrics;
  const client::Gate& gate;  ///< while it is closed decisions are withheld: a standby stays warm
  HealthBoard& health;
  const client::ServerClock& server_clock;  ///< whether others' timestamps may be believed
  std::uint64_t seed = 0;
  /// Called at rest after much memory was freed: by start-up, by a mass failure. May be empty.
  std::function<void()> give_back_memory = {};
};

struct LoopOptions {
  Policy policy;
  client::LimitOptions limits;
  informer::WatchOptions watch;
  Controllers controllers;
  /// What events about the controller itself are about: its lock, whatever kind it has.
  client::EventSubject self{.kind = "Lease",
                            .namespace_ = "kube-system",
                            .name = "node-lifecycle-controller",
                            .uid = {},
                            .api_version = "coordination.k8s.io/v1"};
  /// Where no election renews a lease that proves that the server takes writes: the one to renew.
  std::optional<WriteProbe::Place> write_probe{};
};

/// The shell around the decisions: it keeps the view of the cluster current, tells the machines
/// what was seen, has their decisions performed and brings the answers back. It has no opinions of
/// its own.
///
/// Runs from construction to destruction, all on the executor's thread.
class Loop final : private informer::StoreListener<api::Node>,
                   private informer::StoreListener<api::NodeLease>,
                   private informer::StoreListener<api::Pod>,
                   private WriteListener {
 public:
  Loop(LoopWorld world, const LoopOptions& options);
  ~Loop() override;

  /// The gate was opened or closed.
  void leadership_changed() { run_soon(); }

  /// The server was proved to take writes elsewhere: by the renewal of the leader's lease, which
  /// has this version now; empty where the lock is no Lease.
  void lease_written(const std::string& version);

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
  void on_removed(Slot slot, const api::Pod& pod) override;
  void on_synced() override;

  void on_node_write(const NodeRef& node, NodePart part, WriteReport<api::Node> report) override;
  void on_pod_write(const PodRef& pod, WriteReport<api::Pod> report) override;
  void on_marked(const EvictPod& eviction, WriteReport<api::Pod> report) override;
  void on_eviction(const EvictPod& eviction, std::optional<Error> error) override;
  void on_marked_lost(const EvictLostPod& eviction, WriteReport<api::Pod> report) override;
  void on_lost_pod(const EvictLostPod& eviction, std::optional<Error> error) override;
  void on_node_read(const NodeRef& node, Result<api::Node> live) override;
  void on_leases(const ReadLeases& asked, Result<FoundLeases> found) override;

  bool judges() const { return controllers_.node_lifecycle; }
  bool evicts_by_taints() const { return controllers_.taint_eviction && policy_.evict_by_taints; }
  bool evicts_by_timeout() const { return judges() && !policy_.evict_by_taints; }
  bool synced() const;
  Moment moment() const;
  void run_soon();
  void run();
  void look(Moment at, bool leading);
  void act(Moment at);
  void evict(Moment at, client::Room& room);
  bool holds_evictions(Instant now) const;
  bool may_mark_pods(Instant now) const;
  void follow_eviction_turns();
  void announce(const Decision& eviction);
  void tell_refused(metrics::Queue queue, const PodRef& pod, const Error& error);
  void tell_cancelled(bool leading);
  void perform(const std::vector<Decision>& decisions);
  enum class Answered { Write, Read };
  void take_node(const std::optional<api::Node>& answered, Answered by);
  void take_pod(const std::optional<api::Pod>& answered);
  NodeLifecycle::Evictions evictions_at(Instant now) const;
  void tell(bool leading);
  void tell_of(const NodeNews& news);

  // loop_watch.cpp
  void watch_sight(Moment at);
  void watch_streams(Instant now);
  void watch_time_going_back(Instant now);
  void doubt_the_past(Moment at);
  ServerVersions::Lists lists() const;
  void went_back(const std::string& how,
                 ServerVersions::Evidence evidence = ServerVersions::Evidence::Read);
  Result<FoundLeases> unless_of_another_time(Result<FoundLeases> found);
  void hurry();
  std::optional<Instant> next_probe() const;
  void probe(Instant now);
  Instant next_question(Instant now) const;
  void question(Instant now);
  /// How far the stream of leases had come, and our own writes, when a question was sent.
  struct Asked {
    std::string reached;
    std::uint64_t expected = 0;
  };
  void question_answered(const Asked& asked, const client::Response& response);
  std::string unseen(Instant now) const;
  void hold(metrics::Hold reason, const std::string& why, Instant now);
  void compare_with_stream(const std::vector<api::NodeLease>& found);
  void set_timer(Instant now, bool leading);
  void give_back_memory();
  void publish_health(Instant now);
  void publish_waiting();
  void tell_troubles(Instant now);
  void publish_informers();
  void warn_of_silent_stop();

  /// So many writes and events leave enough behind to be given back.
  static constexpr std::size_t much = 500;
  /// Looks take one part in so many of our time, however often something calls for one.
  static constexpr int look_share = 10;

  LoopWorld world_;
  const Policy policy_;
  const Controllers controllers_;
  client::LimitedTransport transport_;  ///< destroyed after all that waits for its answers
  informer::TextPool texts_;            ///< a node's name is said by its lease and its pods, too
  informer::Store<api::Node> nodes_{texts_};
  informer::Store<api::NodeLease> leases_{texts_};
  informer::Store<api::Pod> pods_{texts_};
  informer::Index pods_by_node_{texts_};
  NodeLifecycle lifecycle_;
  PodReadiness readiness_;
  TaintEviction eviction_;
  TimeoutEviction timeout_eviction_;
  NodeReads reads_;
  Writer writer_;
  std::optional<WriteProbe> write_probe_;
  WriteTroubles troubles_;
  client::EventRecorder node_events_;
  client::EventRecorder eviction_events_;
  Holds holds_;
  StreamCheck node_check_;
  StreamCheck lease_check_;
  StreamCheck pod_check_;
  ServerVersions versions_;
  std::uint64_t leases_expected_ = 0;  ///< of the list of leases that is being read
  std::uint64_t rewinds_seen_ = 0;
  bool zones_looked_at_ = false;
  bool past_seen_ = false;  ///< the first lists
  CalendarVotes calendars_;
  bool was_leading_ = false;
  bool look_wanted_ = true;
  Instant look_not_before_ = Instant::min();
  std::size_t stir_ = 0;  ///< how much happened since memory was last given back
  bool run_posted_ = false;
  bool marks_first_ = true;  ///< of the two that share the room for pods; they take turns
  Instant probe_again_;
  std::string probe_refused_;  ///< why the last probe was
  bool asking_ = false;
  Instant questioned_;  ///< the last answer to a question
  Duration blind_told_{0};
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);  ///< for what was posted
  Timer timer_;
  std::unique_ptr<informer::Reflector<api::Node>> node_watch_;
  std::unique_ptr<informer::Reflector<api::NodeLease>>
      lease_watch_;  ///< only where nodes are judged
  std::unique_ptr<informer::Reflector<api::Pod>> pod_watch_;
};

}  // namespace nlc::controller

#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "controller/attempt.h"
#include "controller/decision.h"
#include "controller/heartbeat.h"
#include "controller/moment.h"
#include "controller/policy.h"
#include "controller/sight.h"
#include "controller/taints.h"
#include "controller/view.h"
#include "controller/zones.h"
#include "metrics/metrics.h"
#include "runtime/random.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Something that happened to a node, for events and logs; `detail` is a zone, a taint list or a
/// reason.
struct NodeNews {
  enum class Kind { Registered, Removed, BecameSilent, CameBack } kind;
  NodeRef node;
};
struct ZoneNews {
  std::string key;
  ZoneState before;
  ZoneState after;
  ZoneCount count;
};

/// All pods of a node are to leave, or are no longer: only where nodes get no NoExecute taints.
struct EvictionTurn {
  enum class Kind { Begun, Ended } kind;
  NodeRef node;
};

/// A standby looks as the leader does, but wishes for nothing.
enum class Acting { No, Yes };

/// Judges nodes by their heartbeats and wishes for the conditions, taints and labels they should
/// have.
///
/// Pure: observations go in, decisions come out, and memory moves only by observations and answers.
/// Called on one thread. It reads the view by reference; the view has been changed already when an
/// observation is told.
///
/// A node is judged in three steps: its grace ends (by sighted time), a quorum read begun after
/// that moment shows its lease unmoved, its conditions are written with the resourceVersion they
/// were decided on. A heartbeat seen at any point ends it. Everything after that is
/// level-triggered: the taints follow the conditions that are seen.
class NodeLifecycle {
 public:
  NodeLifecycle(View view, const Policy& policy, metrics::Metrics& metrics, Instant start,
                std::uint64_t seed);

  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at);
  void node_removed(Slot slot, const api::Node& node);
  void lease_stored(const api::NodeLease& lease, Moment at);

  /// Something proved that the server takes writes.
  void prove(Instant now) { sight_.prove(now); }
  const Sight& sight() const { return sight_; }

  /// One look at all nodes: judges, counts the zones, and says what is due. Not before the view is
  /// synced.
  std::vector<Decision> look(Moment at, Acting acting);

  /// What the nodes that changed since the last call need, and what the zones' rates now allow.
  /// While evictions are held the zones allow nothing.
  enum class Evictions { Allowed, Held };
  std::vector<Decision> repair(Moment at, Evictions evictions = Evictions::Allowed);

  /// Leases that a `ReadLeases` asked for, all or some: what the server holds, absent ones left
  /// out. Nodes whose lease moved are alive, the others are silent for sure. `failed`: nothing was
  /// learned.
  void leases_read(const ReadLeases& asked, const std::vector<api::NodeLease>& found, Moment at);
  void lease_read_failed(const ReadLeases& asked, const Error& error, Instant now);
  /// Some node's grace has ended and its lease has not been read since.
  bool has_suspects() const { return asked_ > 0 || !suspects_.empty(); }

  /// The write about that node was acknowledged (the view has the object as it was answered), or
  /// refused.
  void written(const NodeRef& node, Instant now);
  void refused(const NodeRef& node, const Error& error, Instant now);

  /// A `ReadNode` was answered; the view has what it found.
  void node_read(const NodeRef& node, Instant now);

  /// Nodes counted in each zone by the last look.
  std::vector<int> zone_sizes() const;

  /// All zones are fully disrupted: evictions stand still.
  bool fully_disrupted() const { return zones_.all_disrupted(); }

  /// Nodes whose last write was refused and that wait to be written again.
  std::size_t waiting() const { return retries_.size(); }

  /// When `look` or `repair` have something to do even if nothing is observed until then.
  Instant next_look(Instant now) const;
  std::optional<Instant> next_repair(Evictions evictions = Evictions::Allowed) const;

  /// What happened since the last call.
  std::vector<NodeNews> take_news() { return std::exchange(news_, {}); }
  std::vector<ZoneNews> take_zone_news() { return std::exchange(zone_news_, {}); }
  std::vector<EvictionTurn> take_eviction_turns() { return std::exchange(eviction_turns_, {}); }

  /// Decisions were withheld so far and will be performed from now on: everything is looked at
  /// anew.
  void begin_leading();
  /// Decisions are withheld from now on: nobody waits for a taint of ours any more.
  void end_leading();

 private:
  /// All that a look needs of a node that is well: a hundred thousand side by side are a few
  /// megabytes, which are read in less than a millisecond.
  struct Glance {
    Sighted grace_ends;
    Zone* zone = nullptr;                       ///< null where no node is stored
    std::optional<api::ConditionStatus> ready;  ///< as its Ready condition says, if it has one
    bool silent = false;      ///< was read unmoved after its grace, and has not moved since
    bool excluded = false;    ///< from its zone's count
    bool registered = false;  ///< said so in an event
  };
  struct NodeState {
    HeartbeatMemory heartbeat;
    bool asked = false;          ///< its lease is being read
    Sighted asked_end;           ///< the end of grace for which it was read last
    bool confirmed = false;      ///< silent by a read since the last write was refused
    bool spent_token = false;    ///< what is in flight took one of its zone's tokens
    bool maybe_tainted = false;  ///< a write that took a token was not answered clearly
    bool evicting = false;       ///< its pods are leaving; only without NoExecute taints
    std::optional<Waiting> waiting;
    Sighted not_ready_since;
    Sighted ready_changed;  ///< the status of its Ready condition, as we saw it
    Attempt attempt;
  };

  std::optional<Slot> in_flight(const NodeRef& node) const;
  void meet(Slot slot, const api::Node& node, Moment at);
  void remember(Slot slot, const HeartbeatMemory& heartbeat);
  Heartbeats heartbeats_now(const api::Node& node) const;
  void hear(Slot slot, const api::NodeLease& lease, Instant now);
  void beat(Slot slot, const Heartbeats& seen, Instant now);
  void join_zone(Slot slot, const api::Node& node, const api::Node* before, Instant now);
  void mark_dirty(Slot slot) { dirty_.insert(slot); }
  void mark_all_dirty();
  static bool counts_as_ready(const Glance& glance);
  void settle_zones(Moment at);
  void judge(Slot slot, Moment at, std::vector<Decision>& out);
  void note_end(Sighted end);
  void ask_for_leases(Instant now, std::vector<Decision>& out);
  std::size_t single_reads_max() const;
  bool may_ask() const;
  std::vector<Slot> answered(const ReadLeases& asked);
  std::optional<Decision> reconcile(Slot slot, const api::Node& node, NoExecuteStep allowed,
                                    Moment at);
  NoExecuteStep step_for(Slot slot, const api::Node& node);
  void grant_evictions(Moment at, std::vector<Decision>& out);
  void enqueue(Slot slot);
  void dequeue(Slot slot);
  std::optional<Sighted> timeout_end(Slot slot) const;
  bool timed_out(Slot slot, Sighted now) const;
  void follow_timeout(Slot slot, Sighted now);
  void end_eviction(Slot slot);
  void follow_seen_taint(Slot slot, const api::Node& node, const api::Node* before, Instant now);

  /// While so many leases are being read, nobody looks for the end of another grace.
  static constexpr std::size_t few_reads = 8;

  const View view_;
  const Policy& policy_;
  Sight sight_;
  Zones zones_;
  Random random_;
  // Both run beside the slots of the node store.
  std::vector<Glance> glances_;
  std::deque<NodeState> states_;
  std::set<Slot> dirty_;
  std::set<std::pair<Instant, Slot>> retries_;  ///< when the others are dirty again
  std::vector<Slot> suspects_;                  ///< their leases are to be read
  std::size_t asked_ = 0;                       ///< leases that are being read
  Instant read_again_;
  Instant last_look_;
  std::optional<Sighted> next_end_;    ///< of a grace, or of an eviction timeout
  std::optional<Instant> look_again_;  ///< at some silent node whose write was refused
  std::vector<NodeNews> news_;
  std::vector<ZoneNews> zone_news_;
  std::vector<EvictionTurn> eviction_turns_;
};

}  // namespace nlc::controller

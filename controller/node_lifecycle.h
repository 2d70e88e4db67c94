#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/room.h"
#include "controller/decision.h"
#include "controller/heartbeat.h"
#include "controller/moment.h"
#include "controller/policy.h"
#include "controller/retry_state.h"
#include "controller/sight.h"
#include "controller/taints.h"
#include "controller/view.h"
#include "controller/zones.h"
#include "runtime/random.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Something that happened to a node, for events and logs.
struct NodeNews {
  enum class Kind {
    Registered,
    Removed,
    BecameSilent,
    CameBack,
    Undone  ///< what we wrote was taken and did not last: somebody undoes it
  } kind;
  NodeRef node;
  std::string detail = {};  ///< of Undone: what was written
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
///
/// At most one write of a node's status and one of the rest is on its way. Its verdict, its taints
/// and its labels are retried each by itself: one that hangs, or is refused for ever, delays none
/// of the others.
class NodeLifecycle {
 public:
  /// `sight` is told of heartbeats that prove writes. It and the policy outlive this.
  NodeLifecycle(View view, const Policy& policy, Sight& sight, Instant start, std::uint64_t seed);

  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at);
  void node_removed(Slot slot, const api::Node& node, Instant now);
  /// `before`: the same lease as the store had it; nothing when it is new.
  void lease_stored(const api::NodeLease& lease, const api::NodeLease* before, Moment at);
  void lease_removed(const api::NodeLease& lease);

  /// One look at all nodes: who is to be suspected, and whose leases are read. Not before the view
  /// is synced.
  std::vector<Decision> look(Moment at, Acting acting);

  /// What the nodes that changed since the last call need, and what the zones' rates now allow, as
  /// far as there is room. While evictions are held the zones allow nothing.
  enum class Evictions { Allowed, Held };
  std::vector<Decision> repair(Moment at, client::Room& room,
                               Evictions evictions = Evictions::Allowed);
  /// Zones follow what was seen also where nothing is repaired.
  void settle_zones(Moment at);

  /// Leases that a `ReadLeases` asked for, all or some: what the server holds, absent ones left
  /// out. Nodes whose lease moved are alive, the others are silent for sure; but of one that is
  /// absent although it was seen nothing is learned. False: some lease was answered in an older
  /// version than had been seen, which tells nothing of its node.
  bool leases_read(const ReadLeases& asked, const std::vector<api::NodeLease>& found, Moment at);
  /// Some that were read for another reason: what is newer in them than what is known counts.
  void leases_shown(const std::vector<api::NodeLease>& leases, Instant now);
  /// The server went back in time, and all leases have been listed since: versions that were read
  /// before that are held against nobody.
  void leases_listed_anew();
  /// Nothing was learned.
  void lease_read_failed(const ReadLeases& asked, const Error& error, Instant now);
  /// Leases whose last read failed, and why one of them did.
  struct Unread {
    std::size_t leases = 0;
    std::string why;
    bool all = false;  ///< none has been read since the first of these failed
  };
  const Unread& unread() const { return unread_; }

  /// The write about that node was acknowledged (the view has the object as it was answered), or
  /// refused. True: that is worth telling; a first conflict is not.
  void written(const NodeRef& node, NodePart part, Instant now);
  bool refused(const NodeRef& node, NodePart part, const Error& error, Instant now);

  /// A `ReadNode` was answered, and the view has what it found; or it was not. True: an eviction
  /// waits for that, and it is worth telling.
  void node_read(const NodeRef& node, Instant now);
  bool node_not_read(const NodeRef& node, const Error& error, Instant now);

  /// Everything that this process knows to be wrong with that node has been tried.
  bool is_settled(const std::string& node) const;

  const Zones& zones() const { return zones_; }

  /// All zones are fully disrupted: evictions stand still.
  bool fully_disrupted() const { return zones_.all_disrupted(); }

  /// Nodes some write of which was refused, or undone, and is still wanted.
  std::size_t troubled() const { return troubled_.size(); }

  /// When `look` or `repair` have something to do even if nothing is observed until then.
  Instant next_look(Instant now) const;
  std::optional<Instant> next_repair(Instant now, Evictions evictions = Evictions::Allowed) const;

  /// What happened since the last call.
  std::vector<NodeNews> take_news() { return std::exchange(news_, {}); }
  std::vector<ZoneNews> take_zone_news() { return std::exchange(zone_news_, {}); }
  /// The keys of zones in which a node began to be evicted, each as often.
  std::vector<std::string> take_zones_evicting() { return std::exchange(zones_evicting_, {}); }
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
    std::uint64_t lease_version = 0;  ///< of the newest that was seen; 0: unknown
    bool evicting = false;            ///< its pods are leaving; only without NoExecute taints
    std::optional<Waiting> waiting;
    Instant gathers_until;  ///< its zone gives it no taint before
    Sighted not_ready_since;
    Sighted ready_changed;  ///< the status of its Ready condition, as we saw it
  };

  /// Of a node whose grace has ended.
  struct Suspicion {
    std::optional<Instant> asked;      ///< since then its lease is being read
    Sighted asked_end;                 ///< for the end of that grace
    std::uint64_t asked_version = 0;   ///< of the lease, as it was known then
    std::optional<Instant> confirmed;  ///< silent by a read of then
    bool absent_alone = false;         ///< not there by a single read, though it was seen
    bool absent_in_list = false;       ///< the same by a list: both together are believed
    int failures = 0;                  ///< of reads in a row
    Instant read_after = Instant::min();
  };
  enum class Writing : std::uint8_t { Nothing, Conditions, Taints, Labels, Read };
  /// One write of a kind, told by what it says: different ones do not share a back-off.
  using WriteKey = std::pair<Writing, std::string>;
  /// Of nodes that are written, or were.
  struct NodeWrites {
    WriteKey in_flight{Writing::Nothing, {}};  ///< of all but the conditions
    bool marking = false;                      ///< its conditions are on their way
    std::map<WriteKey, RetryState> tries;
    std::optional<Instant> taints_taken;  ///< the last write of taints
    bool spent_token = false;             ///< what is in flight took one of its zone's tokens
    bool maybe_tainted = false;           ///< a write that took a token was not answered clearly
  };

  static const WriteKey unknown;  ///< the conditions of a silent node

  std::optional<Slot> slot_of(const NodeRef& node) const;
  NodeWrites* in_flight(Slot slot);
  NodeWrites* in_flight(Slot slot, NodePart part);
  RetryState& answered(Slot slot, NodeWrites& writes, NodePart part);
  void release_refused(const RetryState& taken, Instant now);
  void meet(Slot slot, const api::Node& node, Moment at);
  void remember(Slot slot, const HeartbeatMemory& heartbeat);
  Heartbeats heartbeats_now(const api::Node& node) const;
  void hear(Slot slot, const api::NodeLease& lease, Instant now);
  void beat(Slot slot, const Heartbeats& seen, Instant now);
  void beat_of_the_past(Slot slot, const Heartbeats& seen, Instant now);
  void join_zone(Slot slot, const api::Node& node, const api::Node* before, Instant now);
  void mark_dirty(Slot slot) { dirty_.insert(slot); }
  void mark_all_dirty();
  static Zones::Member member(const Glance& glance);
  template <typename Change>
  void change(Slot slot, Change change);
  void set_silent(Slot slot, bool silent);
  bool is_confirmed(Slot slot, Instant now) const;
  void doubt(Slot slot);
  void suspect(Slot slot, Moment at);
  void note_end(Sighted end);
  void look_again_at(Instant when);
  void ask_for_leases(Instant now, std::vector<Decision>& out);
  bool reads_in_one_list(Instant now) const;
  std::size_t single_reads_max() const;
  bool may_ask() const;
  bool is_another(const api::NodeLease& lease) const;
  void note_unread(Slot slot, const std::string& why, Duration pause, Instant now);
  void note_read(Slot slot);
  void forget_unread(Slot slot);
  std::vector<Slot> answered(const ReadLeases& asked);
  void left_full_disruption(Instant now);
  void entered_full_disruption();

  // node_repair.cpp
  struct Repair {
    Moment at;
    client::Room& room;
    std::vector<Decision>& out;
    bool waited = false;   ///< something about the node in hand waits out a failure
    bool refused = false;  ///< which will not change by itself
  };
  void collect_retries(Instant now);
  void retry_at(Slot slot, Instant when) { retries_.emplace(when, slot); }
  void repair(Slot slot, const api::Node& node, NoExecuteStep step, Repair& pass);
  bool verdict_waits(Slot slot, Instant now) const;
  bool wish_conditions(Slot slot, const api::Node& node, Repair& pass);
  bool wish_taints(Slot slot, const api::Node& node, NoExecuteStep step, Repair& pass);
  bool wish_labels(Slot slot, const api::Node& node, Repair& pass);
  bool waits(Slot slot, const WriteKey& key, Repair& pass);
  std::optional<Try> begin(Slot slot, const WriteKey& key, client::Lane lane, Repair& pass);
  NoExecuteStep step_for(Slot slot, const api::Node& node, Instant now);
  void grant_evictions(Repair& pass, std::set<Slot>& done);
  std::map<const Zone*, Instant> zones_in_question() const;
  bool grant(Slot slot, Zone& zone, Repair& pass);
  void give_token_back(Slot slot, NodeWrites& writes, Instant now);
  void enqueue(Slot slot, Instant now);
  void dequeue(Slot slot);

  // node_timeout.cpp
  std::optional<Sighted> timeout_end(Slot slot) const;
  bool timed_out(Slot slot, Sighted now) const;
  void follow_timeout(Slot slot, Sighted now);
  void end_eviction(Slot slot);
  void follow_seen_taint(Slot slot, const api::Node& node, const api::Node* before, Instant now);

  /// While so many leases are being read, nobody looks for the end of another grace.
  static constexpr std::size_t few_reads = 8;
  /// A read that showed a lease unmoved is good for so long.
  static constexpr Duration confirmed_for = std::chrono::seconds(10);

  const View view_;
  const Policy& policy_;
  Sight& sight_;
  Zones zones_;
  Random random_;
  // Both run beside the slots of the node store.
  std::vector<Glance> glances_;
  std::deque<NodeState> states_;
  std::map<Slot, Suspicion> suspicions_;
  std::map<Slot, NodeWrites> writes_;
  RefusalRelease release_;
  std::set<Slot> troubled_;  ///< a write of them failed, and is still wanted
  std::set<Slot> dirty_;
  std::set<std::pair<Instant, Slot>> retries_;  ///< when the others are dirty again
  std::vector<Slot> suspects_;                  ///< their leases are to be read
  std::size_t asked_ = 0;                       ///< leases that are being read
  Unread unread_;
  Instant read_again_;
  /// One way to read leases: one by one, or in a list.
  struct ReadForm {
    int failures = 0;                       ///< in a row
    Instant barred_until = Instant::min();  ///< the other one is used meanwhile
  };
  ReadForm single_reads_;
  ReadForm list_reads_;
  Instant last_look_;
  std::optional<Sighted> next_end_;    ///< of a grace, or of an eviction timeout
  std::optional<Instant> look_again_;  ///< at some silent node whose write was refused
  std::vector<NodeNews> news_;
  std::vector<ZoneNews> zone_news_;
  std::vector<std::string> zones_evicting_;
  std::vector<EvictionTurn> eviction_turns_;
};

}  // namespace nlc::controller

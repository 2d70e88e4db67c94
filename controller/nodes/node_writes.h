#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/limits/request_kind.h"
#include "client/limits/room.h"
#include "controller/nodes/waiting_line.h"
#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "controller/writes/retry_state.h"
#include "runtime/random.h"
#include "runtime/result.h"

namespace nlc::controller {

/// How the writes about nodes stand: what is on its way, what failed and when it is tried again,
/// and which nodes are to be compared anew with what they need.
///
/// At most one write of a node's status and one of the rest is on its way. Verdict, taints and
/// labels of a node are retried each by itself: one that hangs, or is refused for ever, delays none
/// of the others.
///
/// Pure, on one thread.
class NodeWrites {
 public:
  enum class Kind : std::uint8_t { Nothing, Conditions, Taints, Labels, Read };
  /// One write of a kind, told by what it says: different ones do not share a back-off.
  struct Key {
    Kind kind;
    std::string words;
    auto operator<=>(const Key&) const = default;
  };
  static const Key unknown;  ///< the conditions of a silent node
  /// Of writes that wait for the same room those go first that only take taints off: a node that is
  /// well is free before another is marked.
  enum class Turn : std::uint8_t { Relief, Usual };

  explicit NodeWrites(std::uint64_t seed) : random_(seed) {}

  // --- nodes to be looked at

  void mark_dirty(Slot slot) { dirty_.insert(slot); }
  /// The nodes that were marked.
  std::set<Slot> take_dirty() { return std::exchange(dirty_, {}); }
  /// Calls `ask(slot)`, which begins what a node needs, for nodes that found no room, whoever waits
  /// for longest first, until there is no room again. So a place that becomes free costs a look at
  /// one node, not at all that wait.
  template <typename Ask>
  void ask_for_room(Ask ask) {
    for (auto& [lane, line] : without_room_) {
      while (!line.empty()) {
        const Slot slot = line.first();
        lacked_room_.reset();
        asks_first_ = slot;
        ask(slot);
        asks_first_.reset();
        if (lacked_room_ == lane) break;
        line.leave(slot);
      }
    }
  }
  /// What `ask()` begins for that node does not wait for those of its turn that found no room
  /// before. As it answers.
  template <typename Ask>
  bool ask_first(Slot slot, Ask ask) {
    asks_first_ = slot;
    const bool answer = ask();
    asks_first_.reset();
    return answer;
  }
  /// The node is dirty again at `when`.
  void retry_at(Slot slot, Instant when) { retries_.emplace(when, slot); }
  /// Marks the nodes whose time has come.
  void collect_retries(Instant now);
  std::optional<Instant> next_retry() const;
  /// Nothing is known that it needs, and nothing is on its way.
  bool is_settled(Slot slot) const;

  // --- one write

  bool in_flight(Slot slot, NodePart part) const;
  /// What is on its way to the node beside its conditions.
  Kind in_flight(Slot slot) const;

  /// Whether such a write has to wait; its node is dirty again when it need not any more.
  struct Wait {
    bool refused = false;  ///< which will not change by itself
  };
  std::optional<Wait> wait(Slot slot, const Key& key, Instant now);
  /// The node's kubelet was heard: what was written of its silence is over. Nobody undid it.
  void verdict_gave_way(Slot slot);
  /// A write of taints has just begun, and the node has these before it.
  void taints_before(Slot slot, const std::vector<api::Taint>& taints) {
    writes_.at(slot).taints_before = taints;
  }
  /// How the writes of the node's verdict fared; null: none was tried.
  const RetryState* verdict(Slot slot) const;
  /// Calls `visit(key, retry)` for each that was ever tried.
  template <typename Visit>
  void each_try(Slot slot, Visit visit) const {
    const auto found = writes_.find(slot);
    if (found == writes_.end()) return;
    for (const auto& [key, retry] : found->second.tries) visit(key, retry);
  }
  /// The write is on its way. Nothing: there is no room now, or others wait for it, and
  /// `ask_for_room` comes back to it.
  std::optional<Try> begin(Slot slot, const Key& key, client::Room& room, Turn turn = Turn::Usual);

  // --- its answer; of what is in flight

  /// The node has these taints now. True: others that were refused for good are tried again.
  bool succeeded(Slot slot, NodePart part, const std::vector<api::Taint>& taints, Instant now);
  /// The write never left this process.
  void not_sent(Slot slot, NodePart part) { answered(slot, part).not_sent(); }
  /// Its read is not needed any more. A read that hangs must not hold up its writes.
  void needs_no_read(Slot slot);
  /// The node was read: that leaves nothing that could be undone.
  void read(Slot slot, Instant now);
  /// True: that is worth telling; a first conflict is not.
  bool failed(Slot slot, NodePart part, const Error& error, Instant now);

  // --- trouble

  /// How many nodes have a write that was refused, or undone, and is still wanted.
  std::size_t troubled() const { return troubled_.size(); }
  enum class Waits : std::uint8_t { ForNothing, ForItsTurn };
  /// Nothing that failed is wanted of that node any more, nor is it known that it would fail again.
  /// While it waits for its turn in the queue of its zone what failed of that, a NoExecute taint or
  /// a read, is wanted still.
  void well(Slot slot, Waits waits, Instant now);
  void mark_troubled_dirty() { dirty_.insert(troubled_.begin(), troubled_.end()); }
  void forget_troubles() { troubled_.clear(); }
  /// The writes that did not last: to which node, and what.
  std::vector<std::pair<Slot, std::string>> take_undone() { return std::exchange(undone_, {}); }

  void forget(Slot slot);

 private:
  struct Writes {
    Key in_flight{Kind::Nothing, {}};  ///< of all but the conditions
    bool marking = false;              ///< its conditions are on their way
    std::map<Key, RetryState> tries;
    std::vector<api::Taint> taints_before;  ///< the write of them that is in flight
    std::optional<Instant> taints_taken;    ///< the last write of taints
  };
  /// Those that wait for the same, whoever came first being first.
  struct Lane {
    client::RequestKind kind;
    Turn turn;
    auto operator<=>(const Lane&) const = default;
  };
  bool is_overtaking(Slot slot, const Lane& lane) const;
  RetryState& answered(Slot slot, NodePart part);
  bool release_refused(const RetryState& taken, Instant now);

  Random random_;
  std::map<Slot, Writes> writes_;
  RefusalRelease release_;
  std::set<Slot> troubled_;
  std::set<Slot> dirty_;
  std::map<Lane, WaitingLine> without_room_;
  std::optional<Slot> asks_first_;
  std::optional<Lane> lacked_room_;             ///< of the last that asked and found none
  std::set<std::pair<Instant, Slot>> retries_;  ///< when the others are dirty again
  std::vector<std::pair<Slot, std::string>> undone_;
};

}  // namespace nlc::controller

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/pause/operator_policy.h"
#include "controller/rules/view.h"

namespace nlc::controller {

/// What is paused, for each node: the most that the policy's orders and its own annotation say.
///
/// A node costs a look when it changes, and all of them cost one when the policy does. Of an
/// annotation that cannot be read the last word stays, and it pauses evictions at least, for that
/// is more likely what was meant.
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class Pauses {
 public:
  explicit Pauses(View view) : view_(view) {}

  /// `before`: the same node as it was; nothing when it is new.
  void node_stored(Slot slot, const api::Node& node, const api::Node* before);
  void node_removed(Slot slot);
  /// `known`: false while nobody has read what the operator asks for. Evictions are paused then.
  void follow(const OperatorPolicy& policy, bool known);

  Pause of(Slot node) const;
  Pause of_everything() const;
  /// What is paused of a node that is gone: whom an order was about nobody knows any more, and so
  /// each may have been about it.
  Pause of_gone() const;
  bool pauses_evictions(Slot node) const { return of(node) >= Pause::Evictions; }
  bool pauses_all(Slot node) const { return of(node) == Pause::All; }

  /// What is ordered now may be about nodes that nobody has seen yet.
  void remember_orders();
  /// An order that was remembered pauses evictions of that node.
  bool was_ordered(Slot node) const;

  /// Who pauses that node, in the operator's own words; empty where nobody does.
  std::string paused_by(Slot node) const;
  /// The same of everything, of a node that is gone, and of all nodes of a zone, "REGION/ZONE".
  std::string everything_paused_by() const;
  std::string gone_paused_by() const;
  std::string zone_paused_by(std::string_view zone) const;

  /// Nodes for which exactly that is paused.
  std::size_t count(Pause pause) const { return counts_[static_cast<std::size_t>(pause)]; }
  /// Those whose annotation cannot be read.
  const std::set<Slot>& unreadable() const { return unreadable_; }
  bool is_readable(Slot node) const { return !unreadable_.contains(node); }

  struct Change {
    Slot node;
    Pause before;
    Pause now;
  };
  // Since the last call.
  std::vector<Change> take_changes() { return std::exchange(changes_, {}); }
  /// Nodes whose annotation is another.
  std::vector<Slot> take_annotated() { return std::exchange(annotated_, {}); }
  /// Whether a node came, went or has other labels: orders may be about others.
  bool take_nodes_changed() { return std::exchange(nodes_changed_, false); }

 private:
  struct Known {
    bool there = false;
    Pause ordered = Pause::None;
    Pause annotated = Pause::None;
    Pause pause() const { return std::max(ordered, annotated); }
  };
  struct Orders {
    Pause everything = Pause::None;  ///< the most that is said of it
    std::vector<PauseOrder> all;
    Pause of(const api::Node& node) const;
  };
  Pause annotated(Slot slot, const api::Node& node, const api::Node* before);
  void set(Slot slot, Known known);

  const View view_;
  Orders orders_;
  Orders remembered_;
  bool known_ = true;
  Pause gone_ = Pause::None;
  std::vector<Known> nodes_;  ///< beside the slots of the node store
  std::array<std::size_t, 3> counts_{};
  std::set<Slot> unreadable_;
  std::vector<Slot> annotated_;
  bool nodes_changed_ = false;
  std::vector<Change> changes_;
};

}  // namespace nlc::controller

#pragma once

#include <optional>
#include <vector>

#include "api/objects.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"
#include "controller/zones/zones.h"

namespace nlc::controller {

/// All that is known of a node's health but its heartbeats: a hundred thousand side by side are a
/// few megabytes.
struct NodeSummary {
  Zone* zone = nullptr;                       ///< null where no node is stored
  std::optional<api::ConditionStatus> ready;  ///< as its Ready condition says, if it has one
  bool silent = false;            ///< was read unmoved after its grace, and has not moved since
  bool excluded = false;          ///< from its zone's count
  bool registered = false;        ///< said so in an event
  bool saw_ready_change = false;  ///< `ready_changed` is when it was seen to
  AvailableTime not_ready_since;
  AvailableTime ready_changed;  ///< the status of its Ready condition, as we saw it
};

/// The summaries of all nodes, and the zones that count them: whatever changes what a node adds to
/// its zone changes the zone's count.
///
/// Pure, on one thread.
class NodeSummaries {
 public:
  explicit NodeSummaries(const Policy& policy) : zones_(policy) {}

  const NodeSummary& operator[](Slot slot) const { return summaries_[slot]; }
  std::size_t size() const { return summaries_.size(); }
  void make_room(std::size_t slots) {
    if (slots > summaries_.size()) summaries_.resize(slots);
  }

  /// A node belongs to the zone that its labels name.
  void join_zone(Slot slot, const api::Node& node, Instant now);
  void set_ready(Slot slot, std::optional<api::ConditionStatus> ready);
  void set_silent(Slot slot, bool silent);
  void forget(Slot slot);

  // What no zone counts.

  void set_not_ready_since(Slot slot, AvailableTime since) {
    summaries_[slot].not_ready_since = since;
  }
  /// `seen`: it was another in what this process had seen before.
  void set_ready_changed(Slot slot, AvailableTime when, bool seen) {
    summaries_[slot].ready_changed = when;
    summaries_[slot].saw_ready_change = seen;
  }
  /// True: it was not so far.
  bool set_registered(Slot slot) { return !std::exchange(summaries_[slot].registered, true); }
  void forget_registered();

  Zones& zones() { return zones_; }
  const Zones& zones() const { return zones_; }

 private:
  template <typename Change>
  void change(Slot slot, Change change);

  Zones zones_;
  std::vector<NodeSummary> summaries_;  ///< beside the slots of the node store
};

}  // namespace nlc::controller

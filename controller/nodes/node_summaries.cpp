#include "controller/nodes/node_summaries.h"

namespace nlc::controller {
namespace {

/// A node judged silent counts as not ready before its conditions say so, so that its zone's state
/// is right when its taint becomes due.
Zones::Member member(const NodeSummary& summary) {
  return {.excluded = summary.excluded,
          .ready = summary.ready == api::ConditionStatus::True && !summary.silent};
}

}  // namespace

template <typename Change>
void NodeSummaries::change(Slot slot, Change change) {
  NodeSummary& summary = summaries_[slot];
  const Zones::Member before = member(summary);
  Zone* zone = summary.zone;
  change(summary);
  const Zones::Member after = member(summary);
  if (zone == summary.zone && before.excluded == after.excluded && before.ready == after.ready) {
    return;
  }
  if (zone != nullptr) zones_.leave(*zone, before);
  if (summary.zone != nullptr) zones_.join(*summary.zone, after);
}

void NodeSummaries::join_zone(Slot slot, const api::Node& node, Instant now) {
  Zone& zone = zones_.of(zone_key(node), now);
  change(slot, [&](NodeSummary& known) {
    known.zone = &zone;
    known.excluded = excluded_from_disruption(node);
  });
}

void NodeSummaries::set_ready(Slot slot, std::optional<api::ConditionStatus> ready) {
  change(slot, [&](NodeSummary& known) { known.ready = ready; });
}

void NodeSummaries::set_silent(Slot slot, bool silent) {
  change(slot, [&](NodeSummary& known) { known.silent = silent; });
}

void NodeSummaries::forget(Slot slot) {
  change(slot, [](NodeSummary& known) { known = {}; });
}

void NodeSummaries::forget_registered() {
  for (NodeSummary& known : summaries_) known.registered = false;
}

}  // namespace nlc::controller

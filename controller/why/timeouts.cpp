#include "controller/why/timeouts.h"

#include <algorithm>
#include <utility>

#include "controller/why/obstacles.h"
#include "controller/why/wording.h"

namespace nlc::controller::why {
namespace {

/// Of one whose pods do not leave yet, and that does not wait for its turn.
std::optional<AvailableTime> timeout_end(Slot node, const Insight& insight) {
  const bool by_timeout =
      insight.decisions.judges_nodes() && !insight.decisions.policy().evict_by_taints;
  const NodeRepair& repairs = insight.decisions.nodes().repairs();
  const bool runs =
      by_timeout && !repairs.timeouts().is_evicting(node) && !repairs.queue().waits(node);
  return runs ? repairs.timeouts().end_of(node) : std::nullopt;
}

}  // namespace

std::optional<Coming> timeout_of(Slot node, const std::string& called, const Insight& insight) {
  const std::optional<AvailableTime> end = timeout_end(node, insight);
  if (!end) return std::nullopt;
  Coming timeout{.step = {.what = called + " waits for its turn in its zone, then its pods leave",
                          .in = until(insight.server.availability().reaches(*end), insight)},
                 .held = pause_obstacles(node, insight)};
  add(eviction_obstacles(insight), timeout.held);
  add(doubts_of_nodes(insight), timeout.held);
  const bool runs = *timeout.step.in > Duration{0};
  if (runs && !timeout.held.empty()) timeout.step.what += unless_held;
  add_standby(insight, timeout.held);
  wait_for(timeout.held, timeout.step);
  return timeout;
}

std::optional<Coming> first_timeout(const Zone* zone, const Insight& insight) {
  if (insight.decisions.policy().evict_by_taints) return std::nullopt;
  std::optional<std::pair<AvailableTime, Slot>> first;
  insight.view.nodes.each_slot([&](Slot node) {
    const std::optional<AvailableTime> end = timeout_end(node, insight);
    if (!end || insight.decisions.operator_holds().pauses().pauses_evictions(node)) return;
    if (zone != nullptr && insight.decisions.nodes().health().summary(node).zone != zone) return;
    first = std::min(first.value_or(std::pair{*end, node}), std::pair{*end, node});
  });
  if (!first) return std::nullopt;
  return timeout_of(first->second, "node " + std::string(insight.view.nodes.name_at(first->second)),
                    insight);
}

}  // namespace nlc::controller::why

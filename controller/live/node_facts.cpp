#include "controller/live/node_facts.h"

#include "controller/rules/taints.h"
#include "controller/zones/zone.h"

namespace nlc::controller::live {
namespace {

NodeStatus status_of(const NodeFacts& facts, const NodeMemory& memory) {
  using api::ConditionStatus;
  if (facts.no_execute || memory.evicting) return NodeStatus::Evicting;
  if (facts.ready == ConditionStatus::Unknown) return NodeStatus::Unknown;
  if (facts.ready == ConditionStatus::False) return NodeStatus::NotReady;
  if (memory.paused) return NodeStatus::Paused;
  if (facts.cordoned) return NodeStatus::Cordoned;
  if (facts.no_schedule) return NodeStatus::Tainted;
  return facts.excluded ? NodeStatus::Excluded : NodeStatus::Ready;
}

}  // namespace

NodeFacts facts_of(const api::Node& node) {
  NodeFacts facts{.zone = zone_name(zone_key(node)),
                  .cordoned = node.unschedulable,
                  .excluded = excluded_from_disruption(node)};
  if (const api::NodeCondition* ready = node.condition(api::condition::ready)) {
    facts.ready = ready->status;
    facts.ready_since = ready->last_transition;
  }
  for (const api::Taint& taint : node.taints) {
    const bool first = taint.effect == api::effect::no_execute && !facts.no_execute;
    if (first) facts.no_execute_since = taint.time_added;
    facts.no_execute |= first;
    facts.no_schedule |=
        taint.effect == api::effect::no_schedule && taint.key != taint::unschedulable;
  }
  return facts;
}

Node node_of(const std::string& name, const NodeFacts& facts, const NodeMemory& memory) {
  return {.name = name,
          .zone = facts.zone,
          .status = status_of(facts, memory),
          .since = facts.no_execute ? facts.no_execute_since : facts.ready_since,
          .paused = memory.paused,
          .cordoned = facts.cordoned,
          .queued = memory.queued};
}

}  // namespace nlc::controller::live

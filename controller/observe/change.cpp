#include "controller/observe/change.h"

#include <cstdlib>

#include "controller/reports/history.h"
#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"

namespace nlc::controller::observe {
namespace {

Change of_node(ChangeKind kind, const NodeRef& node, std::string value = {}) {
  return {.kind = kind,
          .uid = node.uid,
          .object = History::of_node(node.name),
          .node = node.name,
          .value = std::move(value)};
}

Change of_pod(ChangeKind kind, const PodRef& pod, const std::string& node) {
  return {.kind = kind, .uid = pod.uid, .object = History::of_pod(pod.key()), .node = node};
}

/// `taints`: "key:effect,key:effect".
void add(ChangeKind kind, const NodeRef& node, std::string_view taints, std::vector<Change>& out) {
  while (!taints.empty()) {
    const std::size_t end = std::min(taints.find(','), taints.size());
    out.push_back(of_node(kind, node, std::string(taints.substr(0, end))));
    taints.remove_prefix(std::min(end + 1, taints.size()));
  }
}

std::vector<api::Taint> managed(const std::vector<api::Taint>& taints) {
  std::vector<api::Taint> found;
  for (const api::Taint& taint : taints) {
    if (is_managed(taint)) found.push_back(taint);
  }
  return found;
}

bool says_unknown(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return ready != nullptr && ready->status == api::ConditionStatus::Unknown;
}

}  // namespace

std::string_view name_of(ChangeKind kind) {
  switch (kind) {
    case ChangeKind::ConditionsUnknown:
      return "conditions_unknown";
    case ChangeKind::TaintAdded:
      return "taint_added";
    case ChangeKind::TaintRemoved:
      return "taint_removed";
    case ChangeKind::PodNotReady:
      return "pod_not_ready";
    case ChangeKind::PodDeleted:
      return "pod_deleted";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

bool is_no_execute(const Change& change) { return change.value.ends_with(api::effect::no_execute); }

std::vector<Change> changes_of(const Decision& decision) {
  std::vector<Change> out;
  if (const auto* mark = std::get_if<MarkSilent>(&decision)) {
    out.push_back(of_node(ChangeKind::ConditionsUnknown, mark->node));
  } else if (const auto* taints = std::get_if<SetTaints>(&decision)) {
    add(ChangeKind::TaintAdded, taints->node, taints->added, out);
    add(ChangeKind::TaintRemoved, taints->node, taints->removed, out);
  } else if (const auto* unready = std::get_if<MarkPodNotReady>(&decision)) {
    out.push_back(of_pod(ChangeKind::PodNotReady, unready->pod, unready->node));
  } else if (const auto* evict = std::get_if<EvictPod>(&decision)) {
    out.push_back(of_pod(ChangeKind::PodDeleted, evict->pod, evict->node));
  } else if (const auto* lost = std::get_if<EvictLostPod>(&decision); lost && !lost->terminating) {
    out.push_back(of_pod(ChangeKind::PodDeleted, lost->pod, lost->node));
  }
  return out;
}

std::vector<Change> changes_between(const api::Node& before, const api::Node& node) {
  std::vector<Change> out;
  const NodeRef ref = ref_of(node);
  if (says_unknown(node) && !says_unknown(before)) {
    out.push_back(of_node(ChangeKind::ConditionsUnknown, ref));
  }
  if (before.taints == node.taints) return out;
  const std::vector<api::Taint> was = managed(before.taints);
  const std::vector<api::Taint> is = managed(node.taints);
  add(ChangeKind::TaintAdded, ref, taints_only_in(is, was), out);
  add(ChangeKind::TaintRemoved, ref, taints_only_in(was, is), out);
  return out;
}

Change pod_not_ready(const api::Pod& pod) {
  return of_pod(ChangeKind::PodNotReady, ref_of(pod), pod.node_name);
}

Change pod_deleted(const api::Pod& pod) {
  return of_pod(ChangeKind::PodDeleted, ref_of(pod), pod.node_name);
}

bool loses_ready(const api::Pod& before, const api::Pod& pod) {
  const bool was = before.ready && before.ready->status != api::ConditionStatus::False;
  return was && pod.ready && pod.ready->status == api::ConditionStatus::False;
}

}  // namespace nlc::controller::observe

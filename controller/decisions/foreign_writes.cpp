#include "controller/decisions/foreign_writes.h"

#include "api/patches.h"
#include "api/version.h"
#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"

namespace nlc::controller {
namespace {

struct Mark {
  std::string_view key;
  std::string_view effect;
};
constexpr std::array marks{Mark{taint::not_ready, api::effect::no_schedule},
                           Mark{taint::not_ready, api::effect::no_execute},
                           Mark{taint::unreachable, api::effect::no_schedule},
                           Mark{taint::unreachable, api::effect::no_execute}};

std::size_t index_of(NodePart part) { return static_cast<std::size_t>(part); }

}  // namespace

void ForeignWrites::end_leading() {
  counts_from_.reset();
  versions_begin_anew();
}

void ForeignWrites::versions_begin_anew() {
  for (auto& [slot, of_node] : sent_) of_node.answered.clear();
}

// --- observe ------------------------------------------------------------------------------------

void ForeignWrites::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                                bool sure, Instant now) {
  if (before == nullptr || before->uid != node.uid) return node_removed(slot);
  const bool shows = sure && counts(now) && !view_.nodes.catching_up();
  if (shows && !was_answered(slot, node.resource_version)) {
    const Marks was = marks_of(*before);
    const Marks is = marks_of(node);
    if (!may_be_ours(slot, NodePart::Status, before->resource_version)) note_status(node, was, is);
    if (!may_be_ours(slot, NodePart::Spec, before->resource_version)) note_taints(node, was, is);
  }
  const auto known = sent_.find(slot);
  if (known == sent_.end() || before->resource_version == node.resource_version) return;
  for (std::optional<Sent>& sent : known->second.parts) {
    if (sent && !sent->in_flight) sent.reset();  // its moment has passed
  }
}

void ForeignWrites::pod_stored(const api::Pod& pod, const api::Pod* before, bool due, bool sure,
                               Instant now) {
  if (!due || !sure || !counts(now) || view_.pods.catching_up()) return;
  const bool is_new = before == nullptr || before->uid != pod.uid;
  if (is_new || marked_by_taint_manager(*before) || !marked_by_taint_manager(pod)) return;
  found_.push_back({metrics::Write::PodStatus,
                    {"pod", pod.key()},
                    "DisruptionTarget " + std::string(api::taint_manager_reason)});
}

bool ForeignWrites::was_answered(Slot slot, const std::string& version) const {
  const auto known = sent_.find(slot);
  return known != sent_.end() && !known->second.answered.empty() &&
         !api::older_version(known->second.answered, version);
}

bool ForeignWrites::may_be_ours(Slot slot, NodePart part, const std::string& version) const {
  const auto known = sent_.find(slot);
  if (known == sent_.end()) return false;
  const std::optional<Sent>& sent = known->second.parts[index_of(part)];
  return sent && (sent->in_flight || (sent->unclear && sent->version == version));
}

// --- our own writes -----------------------------------------------------------------------------

void ForeignWrites::sent(const Decision& decision) {
  if (const auto* mark = std::get_if<MarkSilent>(&decision)) {
    sent(mark->node, NodePart::Status, mark->resource_version);
  } else if (const auto* taints = std::get_if<SetTaints>(&decision)) {
    sent(taints->node, NodePart::Spec, taints->resource_version);
  } else if (const auto* labels = std::get_if<SetLabels>(&decision)) {
    sent(labels->node, NodePart::Spec, labels->resource_version);
  }
}

void ForeignWrites::sent(const NodeRef& node, NodePart part, const std::string& version) {
  const std::optional<Slot> slot = slot_of(node);
  if (!slot) return;
  OfNode& of_node = sent_[*slot];
  std::optional<Sent>& last = of_node.parts[index_of(part)];
  const bool unclear = last && last->unclear && last->version == version;
  last = Sent{.version = version,
              .before = marks_of(view_.nodes.at(*slot)),
              .unclear = unclear,
              .on_our_answer = of_node.answered == version};
}

void ForeignWrites::acknowledged(const NodeRef& node, NodePart part) {
  const std::optional<Slot> slot = slot_of(node);
  const auto known = slot ? sent_.find(*slot) : sent_.end();
  if (known == sent_.end()) return;
  known->second.parts[index_of(part)].reset();
  known->second.answered = view_.nodes.at(*slot).resource_version;
}

void ForeignWrites::refused(const NodeRef& node, NodePart part, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_of(node);
  const auto known = slot ? sent_.find(*slot) : sent_.end();
  if (known == sent_.end()) return;
  std::optional<Sent>& sent = known->second.parts[index_of(part)];
  if (!sent) return;
  const api::Node live = view_.nodes.at(*slot);
  const bool conflict = error.fault == Fault::Conflict;
  if (conflict && sent->on_our_answer && !sent->unclear && counts(now)) {
    part == NodePart::Status ? note_status(live, sent->before, marks_of(live))
                             : note_taints(live, sent->before, marks_of(live));
  }
  sent->in_flight = false;
  sent->unclear = sent->unclear || may_have_been_applied(error.fault);
  // Versions have passed the one that it could have changed, or the server said that they have.
  const bool passed = conflict || live.resource_version != sent->version;
  if (passed || !sent->unclear) sent.reset();
}

/// Nothing when the node has gone, or another has its name.
std::optional<Slot> ForeignWrites::slot_of(const NodeRef& node) const {
  const std::optional<Slot> slot = view_.nodes.slot_of(node.name);
  return slot && view_.nodes.has_uid(*slot, node.uid) ? slot : std::nullopt;
}

// --- what a write does --------------------------------------------------------------------------

ForeignWrites::Marks ForeignWrites::marks_of(const api::Node& node) {
  Marks found;
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  found.unknown = ready != nullptr && ready->status == api::ConditionStatus::Unknown;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    found.taints[i] = node.taint(marks[i].key, marks[i].effect) != nullptr;
  }
  return found;
}

void ForeignWrites::note_status(const api::Node& node, Marks before, Marks now) {
  if (before.unknown || !now.unknown || !judged_silent(node)) return;
  found_.push_back({metrics::Write::NodeStatus,
                    {"node", node.name},
                    "Ready=Unknown " + std::string(reason_unknown)});
}

void ForeignWrites::note_taints(const api::Node& node, Marks before, Marks now) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (before.taints == now.taints || ready == nullptr) return;
  const std::string_view asked = outage_taint_key(node);
  for (std::size_t i = 0; i < marks.size(); ++i) {
    const bool is_there = now.taints[i];
    const bool follows = is_there == (marks[i].key == asked);
    if (before.taints[i] == is_there || !follows) continue;
    // One write, however many taints it swaps.
    found_.push_back({metrics::Write::NodeTaints,
                      {"node", node.name},
                      std::string(marks[i].key) + ":" + std::string(marks[i].effect) +
                          (is_there ? " added" : " removed")});
    return;
  }
}

}  // namespace nlc::controller

#include "report/node_observer.h"

#include <algorithm>
#include <array>
#include <utility>

namespace nlc::report {
namespace {

using api::ConditionStatus;

bool has_lifecycle_taint(const api::Node& node, std::string_view effect) {
  return node.taint("node.kubernetes.io/unreachable", effect) != nullptr ||
         node.taint("node.kubernetes.io/not-ready", effect) != nullptr;
}

Moment moment_of(ConditionStatus ready) {
  switch (ready) {
    case ConditionStatus::True:
      return Moment::Ready;
    case ConditionStatus::False:
      return Moment::NotReady;
    case ConditionStatus::Unknown:
      return Moment::Unknown;
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

bool is_ready(const api::Pod& pod) {
  return pod.ready && pod.ready->status == ConditionStatus::True;
}

const std::vector<Instant>& instants(const NodeRecord& record, Moment moment) {
  static const std::vector<Instant> never;
  const auto found = record.happened.find(moment);
  return found == record.happened.end() ? never : found->second;
}

}  // namespace

std::string_view title_of(Moment moment) {
  constexpr std::array<std::string_view, 12> titles{
      "Unknown",     "NoSchedule", "NoExecute",     "pods deleted", "pods NotReady", "silent",
      "Ready False", "power back", "lease renewed", "Ready",        "taints gone",   "pods ended"};
  return titles.at(index_of(moment));
}

std::string name_of(Moment mark) {
  constexpr std::array names{"unknown", "no_schedule", "no_execute", "pods_deleted",
                             "pods_not_ready"};
  return names.at(index_of(mark));
}

NodeFacts facts_of(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return {.ready = ready == nullptr ? std::nullopt : std::optional(ready->status),
          .no_schedule = has_lifecycle_taint(node, api::effect::no_schedule),
          .no_execute = has_lifecycle_taint(node, api::effect::no_execute)};
}

std::vector<Moment> moments_between(const NodeFacts& before, const NodeFacts& after) {
  std::vector<Moment> moments;
  if (before.ready && after.ready && *before.ready != *after.ready) {
    moments.push_back(moment_of(*after.ready));
  }
  if (after.no_schedule && !before.no_schedule) moments.push_back(Moment::NoSchedule);
  if (after.no_execute && !before.no_execute) moments.push_back(Moment::NoExecute);
  const bool tainted = after.no_schedule || after.no_execute;
  if (!tainted && (before.no_schedule || before.no_execute)) moments.push_back(Moment::TaintsGone);
  return moments;
}

std::optional<Instant> NodeRecord::nth(Moment moment, std::size_t number) const {
  const std::vector<Instant>& found = instants(*this, moment);
  if (number == 0 || number > found.size()) return std::nullopt;
  return found[number - 1];
}

std::size_t NodeRecord::count(Moment moment) const { return instants(*this, moment).size(); }

/// The controller's own write moves no heartbeat: it says Unknown and leaves the time as it was.
void NodeObserver::on_node(const api::Node& node, Instant now) {
  NodeRecord& record = nodes_[node.name];
  NodeFacts facts = facts_of(node);
  if (!facts.ready) facts.ready = record.facts.ready;
  for (const Moment moment : moments_between(std::exchange(record.facts, facts), facts)) {
    happen(moment, node.name, now);
  }
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (ready == nullptr) return;
  const bool moved = std::exchange(record.reported, ready->last_heartbeat) != ready->last_heartbeat;
  if (moved && ready->status != ConditionStatus::Unknown) note_heartbeat(record, now);
}

void NodeObserver::on_lease(const api::NodeLease& lease, Instant now) {
  NodeRecord& record = nodes_[lease.name];
  const bool first = !record.renewed;
  if (std::exchange(record.renewed, lease.renewed) == lease.renewed) return;
  note_heartbeat(record, now);
  const std::optional<Instant> back = record.last(Moment::PowerBack);
  const std::optional<Instant> renewed = record.last(Moment::Renewed);
  if (!first && back && (!renewed || *renewed < *back)) happen(Moment::Renewed, lease.name, now);
}

void NodeObserver::note_heartbeat(NodeRecord& record, Instant now) {
  record.last_heartbeat = now;
  if (record.power == Power::Back) record.power = Power::On;
}

void NodeObserver::on_pod(const api::Pod& pod, const api::Pod* before, Instant now) {
  if (pod.node_name.empty()) return;
  if (before != nullptr && before->uid != pod.uid) on_pod_gone(*before, now);
  const bool known =
      before != nullptr && before->uid == pod.uid && before->node_name == pod.node_name;
  NodeRecord& record = nodes_[pod.node_name];
  if (!known) ++record.pods;
  const bool was_ready = known && is_ready(*before);
  if (is_ready(pod) && !was_ready) ++pods_ready_;
  if (!is_ready(pod) && was_ready) --pods_ready_;
  const bool dead = record.power == Power::Off;
  // A pod that ends on its way out was not called NotReady by anybody.
  const bool unready = pod.ready && !is_ready(pod) && !pod.finished && !pod.deleting;
  if (unready && (known ? was_ready : dead)) happen(Moment::PodNotReady, pod.node_name, now);
  if (pod.deleting && (known ? !before->deleting : dead)) {
    happen(Moment::PodMarked, pod.node_name, now);
  }
}

void NodeObserver::on_pod_gone(const api::Pod& pod, Instant now) {
  if (pod.node_name.empty()) return;
  if (is_ready(pod)) --pods_ready_;
  if (!pod.deleting) happen(Moment::PodMarked, pod.node_name, now);
  happen(Moment::PodGone, pod.node_name, now);
}

void NodeObserver::power_cut(const std::string& node, Instant now) {
  NodeRecord& record = nodes_[node];
  record.power = Power::Off;
  record.happened.clear();
  record.heartbeat_before_cut = record.last_heartbeat;
  happen(Moment::PowerCut, node, now);
}

void NodeObserver::power_back(const std::string& node, Instant now) {
  NodeRecord& record = nodes_[node];
  if (record.power == Power::Off) record.power = Power::Back;
  happen(Moment::PowerBack, node, now);
}

const NodeRecord& NodeObserver::of(const std::string& node) const {
  static const NodeRecord nothing;
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? nothing : found->second;
}

std::size_t NodeObserver::nodes_ready() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      nodes_, [](const auto& entry) { return entry.second.facts.ready == ConditionStatus::True; }));
}

std::vector<std::string> NodeObserver::touched_without_cause() const {
  constexpr std::array harm{Moment::NotReady,  Moment::Unknown,     Moment::NoSchedule,
                            Moment::NoExecute, Moment::PodNotReady, Moment::PodMarked,
                            Moment::PodGone};
  std::vector<std::string> touched;
  for (const auto& [name, record] : nodes_) {
    const auto happened = [&record = record](Moment moment) {
      return record.happened.contains(moment);
    };
    if (!happened(Moment::PowerCut) && std::ranges::any_of(harm, happened)) touched.push_back(name);
  }
  return touched;
}

void NodeObserver::happen(Moment moment, const std::string& node, Instant now) {
  nodes_[node].happened[moment].push_back(now);
  tell_({moment, node, now});
}

}  // namespace nlc::report

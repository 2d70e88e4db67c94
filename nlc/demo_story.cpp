#include "nlc/demo_story.h"

#include <algorithm>
#include <array>

namespace nlc::sim {
namespace {

using api::ConditionStatus;
using api::EventType;

bool has_lifecycle_taint(const api::Node& node, std::string_view effect) {
  return node.taint("node.kubernetes.io/unreachable", effect) != nullptr ||
         node.taint("node.kubernetes.io/not-ready", effect) != nullptr;
}

}  // namespace

void DemoStory::on_event(const api::WatchEvent<api::Node>& event, Instant now) {
  if (!shows_object(event.type)) return;
  NodeView& view = nodes_[event.object.name];
  compare_ready(view, event.object, now);
  compare_taints(view, event.object, now);
}

void DemoStory::compare_ready(NodeView& view, const api::Node& node, Instant now) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (ready == nullptr) return;
  const std::optional<ConditionStatus> before = std::exchange(view.ready, ready->status);
  if (!before || *before == ready->status) return;
  switch (ready->status) {
    case ConditionStatus::True:
      return happen(Moment::Ready, node.name, now);
    case ConditionStatus::False:
      return happen(Moment::NotReady, node.name, now);
    case ConditionStatus::Unknown:
      return happen(Moment::Unknown, node.name, now);
  }
}

void DemoStory::compare_taints(NodeView& view, const api::Node& node, Instant now) {
  const bool no_schedule = has_lifecycle_taint(node, api::effect::no_schedule);
  const bool no_execute = has_lifecycle_taint(node, api::effect::no_execute);
  if (no_schedule && !view.no_schedule) happen(Moment::NoSchedule, node.name, now);
  if (no_execute && !view.no_execute) happen(Moment::NoExecute, node.name, now);
  if (!no_schedule && !no_execute && (view.no_schedule || view.no_execute)) {
    happen(Moment::TaintsGone, node.name, now);
  }
  view.no_schedule = no_schedule;
  view.no_execute = no_execute;
}

void DemoStory::on_event(const api::WatchEvent<api::NodeLease>& event, Instant now) {
  if (!shows_object(event.type) || !event.object.renewed) return;
  NodeView& view = nodes_[event.object.name];
  const std::string renewed = rfc3339_micro(*event.object.renewed);
  const std::string before = std::exchange(view.renewed, renewed);
  if (before.empty() || before == renewed) return;
  view.renewal = now;
  const bool back = moments(event.object.name, Moment::PowerBack) != nullptr;
  if (back && moments(event.object.name, Moment::Renewed) == nullptr) {
    happen(Moment::Renewed, event.object.name, now);
  }
}

void DemoStory::on_event(const api::WatchEvent<api::Pod>& event, Instant now) {
  const api::Pod& pod = event.object;
  if (event.type == EventType::Deleted) {
    const auto gone = pods_.find(pod.key());
    if (gone == pods_.end()) return;
    if (gone->second.ready) --pods_ready_;
    happen(Moment::PodGone, gone->second.node, now);
    pods_.erase(gone);
    return;
  }
  if (!shows_object(event.type) || pod.node_name.empty()) return;
  const auto [entry, is_new] = pods_.try_emplace(pod.key());
  PodView& view = entry->second;
  if (is_new) ++nodes_[pod.node_name].pods;
  view.node = pod.node_name;
  const bool ready = pod.ready && pod.ready->status == ConditionStatus::True;
  const bool was_ready = std::exchange(view.ready, ready);
  if (ready && !was_ready) ++pods_ready_;
  if (!ready && was_ready) --pods_ready_;
  // A pod that ends on its way out was not called NotReady by anybody.
  if (!is_new && was_ready && !ready && !pod.finished) happen(Moment::PodNotReady, view.node, now);
  if (!is_new && pod.deleting && !view.marked) happen(Moment::PodMarked, view.node, now);
  view.marked = pod.deleting;
}

void DemoStory::power_cut(const std::string& node, Instant now) {
  nodes_[node].renewal_before_cut = nodes_[node].renewal;
  happen(Moment::PowerCut, node, now);
}

void DemoStory::power_back(const std::string& node, Instant now) {
  happen(Moment::PowerBack, node, now);
}

std::optional<Instant> DemoStory::first(const std::string& node, Moment moment) const {
  const std::vector<Instant>* found = moments(node, moment);
  return found == nullptr ? std::nullopt : std::optional(found->front());
}

std::optional<Instant> DemoStory::last(const std::string& node, Moment moment) const {
  const std::vector<Instant>* found = moments(node, moment);
  return found == nullptr ? std::nullopt : std::optional(found->back());
}

std::size_t DemoStory::count(const std::string& node, Moment moment) const {
  const std::vector<Instant>* found = moments(node, moment);
  return found == nullptr ? 0 : found->size();
}

std::optional<Instant> DemoStory::last_renewal(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? std::nullopt : found->second.renewal_before_cut;
}

std::size_t DemoStory::nodes_ready() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      nodes_, [](const auto& entry) { return entry.second.ready == ConditionStatus::True; }));
}

std::size_t DemoStory::pods_of(const std::string& node) const {
  const auto found = nodes_.find(node);
  return found == nodes_.end() ? 0 : found->second.pods;
}

std::vector<std::string> DemoStory::touched_without_cause() const {
  constexpr std::array harm{Moment::NotReady,  Moment::Unknown,     Moment::NoSchedule,
                            Moment::NoExecute, Moment::PodNotReady, Moment::PodMarked,
                            Moment::PodGone};
  std::vector<std::string> touched;
  for (const auto& [name, view] : nodes_) {
    if (view.happened.contains(Moment::PowerCut)) continue;
    const auto happened = [&view = view](Moment moment) { return view.happened.contains(moment); };
    if (std::ranges::any_of(harm, happened)) touched.push_back(name);
  }
  return touched;
}

void DemoStory::happen(Moment moment, const std::string& node, Instant now) {
  nodes_[node].happened[moment].push_back(now);
  tell_({moment, node, now});
}

const std::vector<Instant>* DemoStory::moments(const std::string& node, Moment moment) const {
  const auto found = nodes_.find(node);
  if (found == nodes_.end()) return nullptr;
  const auto happened = found->second.happened.find(moment);
  return happened == found->second.happened.end() ? nullptr : &happened->second;
}

}  // namespace nlc::sim

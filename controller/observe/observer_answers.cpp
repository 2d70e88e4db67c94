#include <algorithm>

#include "controller/observe/observer.h"

/// What becomes of what was decided and not performed.
namespace nlc::controller::observe {
namespace {

constexpr Duration look_period = std::chrono::seconds(1);

/// What nobody does for so long, nobody will do.
constexpr Duration told_within = std::chrono::minutes(15);

}  // namespace

bool Observer::still_wanted(const WishKey& key, const Wish& wish, Instant now) const {
  const Decisions& decisions = env_.decisions;
  if (const auto* node = std::get_if<NodeRef>(&wish.object)) {
    const std::optional<Slot> slot = env_.view.nodes.slot_of(node->name);
    if (!slot || !env_.view.nodes.has_uid(*slot, node->uid)) return false;
    if (key.second == Part::Spec) return taints_wanted(*node, wish);
    const NodeHealth& health = decisions.nodes().health();
    return health.summary(*slot).ready != api::ConditionStatus::Unknown &&
           !health.heartbeats().in_grace(*slot, now);
  }
  const std::optional<Slot> slot = env_.view.pods.slot_of(std::get<PodRef>(wish.object).key());
  if (!slot || !env_.view.pods.has_uid(*slot, key.first)) return false;
  if (key.second == Part::Readiness) return decisions.pod_readiness().pending().wanted(*slot);
  if (key.second == Part::Eviction) return decisions.taint_eviction().pending().wanted(*slot);
  return decisions.timeout_eviction().pending().wanted(*slot);
}

/// Some of them are not there yet, and nothing has changed that called for them.
bool Observer::taints_wanted(const NodeRef& ref, const Wish& wish) const {
  const api::Node node = *env_.view.nodes.find(ref.name);
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if ((ready == nullptr ? "" : name_of(ready->status)) != wish.ready) return false;
  return std::ranges::any_of(wish.changes, [&](const Change& change) {
    const std::size_t colon = change.value.rfind(':');
    const bool is_there =
        node.taint(change.value.substr(0, colon), change.value.substr(colon + 1)) != nullptr;
    const bool stopped = is_no_execute(change) && env_.decisions.nodes().zones().all_disrupted();
    return change.kind == ChangeKind::TaintAdded ? !is_there && !stopped : is_there;
  });
}

void Observer::answer(const WishKey& key, Wish& wish, Instant now) {
  wish.answered = true;
  answered_.push_back(key);
  Decisions::Machines& machines = env_.decisions.machines();
  if (const auto* node = std::get_if<NodeRef>(&wish.object)) {
    const NodePart part = key.second == Part::Status ? NodePart::Status : NodePart::Spec;
    return machines.nodes.not_sent(*node, part, now);
  }
  const PodRef& pod = std::get<PodRef>(wish.object);
  if (key.second == Part::Readiness) return machines.pod_readiness.not_sent(pod, now);
  if (key.second == Part::Eviction) return machines.taint_eviction.not_sent(pod, now);
  machines.timeout_eviction.not_sent(pod, now);
}

/// Of the moments before: who still wants it has decided so again.
void Observer::drop_answered(Instant now) {
  for (const WishKey& key : std::exchange(answered_, {})) {
    const auto wish = wishes_.find(key);
    if (wish == wishes_.end() || !wish->second.answered) continue;
    drop(wish->second, std::nullopt, now);
    wishes_.erase(wish);
  }
}

void Observer::look(bool all, Instant now) {
  const std::set<std::string> touched = std::exchange(touched_, {});
  const auto look_at = [&](const WishKey& key, Wish& wish) {
    if (!wish.answered && !still_wanted(key, wish, now)) answer(key, wish, now);
  };
  if (all) {
    for (auto& [key, wish] : wishes_) look_at(key, wish);
    return;
  }
  for (const std::string& uid : touched) {
    for (auto wish = wishes_.lower_bound({uid, Part::Status});
         wish != wishes_.end() && wish->first.first == uid; ++wish) {
      look_at(wish->first, wish->second);
    }
  }
}

void Observer::review_open(Instant now) {
  std::vector<Matcher::Open> open;
  for (const auto& [key, one] : matcher_.open()) {
    if (one.theirs || (!one.told && now - *one.ours > told_within)) open.push_back(one);
  }
  for (const Matcher::Open& one : open) {
    const ChangeKey key = observe::key_of(one.change);
    if (one.ours) {
      matcher_.given_up(key, expectations_.why_given_up(one.change, *one.ours), now);
      continue;
    }
    const Expectations::Expected expected = expectations_.of(one, now);
    if (!expected.due) matcher_.dropped(key, expected.why, now);
    if (expected.due && *expected.due <= now) matcher_.came_due(key, *expected.due, now);
  }
}

bool Observer::follow(Instant now) {
  expectations_.follow(now);
  drop_answered(now);
  const bool all = now >= next_look_;
  look(all, now);
  if (all) {
    review_open(now);
    next_look_ = now + look_period;
  }
  tell();
  return !answered_.empty();
}

}  // namespace nlc::controller::observe

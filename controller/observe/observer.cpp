#include "controller/observe/observer.h"

#include <algorithm>

#include "controller/rules/conditions.h"

namespace nlc::controller::observe {
namespace {

LogField object_field(const Change& change) {
  const bool is_node = change.object.starts_with("node/");
  return {is_node ? "node" : "pod", change.object.substr(change.object.find('/') + 1)};
}

}  // namespace

Observer::Observer(const Env& env, ReadListener& listener)
    : env_(env),
      expectations_({env.view, env.decisions, env.server}),
      reader_(env.transport, listener),
      next_look_(env.clock.now()) {
  record_.since = next_look_;
  for (const ChangeKind kind : change_kinds) {
    for (const Agreement agreement : agreements) {
      env_.metrics.observed(name_of(kind), name_of(agreement)).add(0);
    }
  }
  for (const Cause cause : causes) env_.metrics.observed_disagreements(name_of(cause)).add(0);
}

void Observer::lead(bool leading, Instant now) {
  leading_ = leading;
  if (leading) return;
  for (auto& [key, wish] : wishes_) {
    if (!wish.answered) answer(key, wish, now);
  }
  wishes_.clear();
  answered_.clear();
  matcher_.clear();
}

// --- what is seen -------------------------------------------------------------------------------

void Observer::saw(const Change& change, const Expectations::Expected& expected, Instant now) {
  expected.due ? matcher_.seen(change, *expected.due, now)
               : matcher_.seen_alone(change, expected.why, now);
}

/// What is wished of it may have been done, or be wanted no more.
void Observer::touch(const std::string& uid) {
  const auto wish = wishes_.lower_bound({uid, Part::Status});
  if (wish != wishes_.end() && wish->first.first == uid) touched_.insert(uid);
}

void Observer::node_stored(Slot slot, const api::Node& node, const api::Node* before, Instant now) {
  if (!leading_ || before == nullptr) return;
  if (before->uid != node.uid) return node_removed(*before, now);
  touch(node.uid);
  if (!env_.decisions.judges_nodes()) return;
  for (const Change& change : changes_between(*before, node)) {
    saw(change, expectations_.of(change, slot, *before, node, now), now);
    const bool takes_turn = change.kind == ChangeKind::TaintAdded && is_no_execute(change);
    if (takes_turn) expectations_.taint_seen(slot, now);
  }
}

void Observer::node_removed(const api::Node& node, Instant now) { drop_object(node.uid, now); }

void Observer::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Instant now) {
  if (!leading_ || before == nullptr) return;
  if (before->uid != pod.uid) return pod_removed(slot, *before, now);
  touch(pod.uid);
  if (env_.decisions.judges_nodes() && loses_ready(*before, pod)) {
    const Change change = pod_not_ready(pod);
    const std::optional<api::Node> node = env_.view.nodes.find(pod.node_name);
    // A kubelet that lives says it of its own pods.
    const bool is_told = matcher_.find(observe::key_of(change)) != nullptr;
    if (is_told || (node && judged_silent(*node))) matcher_.seen(change, now, now);
  }
  if (pod.deleting && !before->deleting) saw_deletion(slot, pod, now);
}

/// One that is deleted at once is never seen on its way.
void Observer::pod_removed(Slot slot, const api::Pod& pod, Instant now) {
  if (!leading_) return;
  if (!pod.deleting) saw_deletion(slot, pod, now);
  drop_object(pod.uid, now);
}

/// By whom is not known: it counts if it was decided here, or if a taint manager says so.
void Observer::saw_deletion(Slot slot, const api::Pod& pod, Instant now) {
  const Change change = pod_deleted(pod);
  const bool is_ours = matcher_.find(observe::key_of(change)) != nullptr;
  const bool is_such = env_.decisions.evicts_by_taints() && marked_by_taint_manager(pod);
  if (!is_ours && !is_such) return;
  saw(change, expectations_.of_deletion(slot, pod, now), now);
}

// --- what is decided ----------------------------------------------------------------------------

client::Room Observer::room() const { return client::Room::of(matcher_.places_left()); }

void Observer::perform(const Decision& decision) {
  if (const auto* leases = std::get_if<ReadLeases>(&decision)) return reader_.perform(*leases);
  if (const auto* node = std::get_if<ReadNode>(&decision)) return reader_.perform(*node);
  decided(decision, env_.clock.now());
}

std::pair<Observer::WishKey, Observer::Wish> Observer::wish_of(const Decision& decision) {
  const auto wish = [&](const auto& object, Part part, const std::string& ready = {}) {
    return std::pair(WishKey(object.uid, part),
                     Wish{.object = object, .changes = changes_of(decision), .ready = ready});
  };
  if (const auto* mark = std::get_if<MarkSilent>(&decision)) return wish(mark->node, Part::Status);
  if (const auto* set = std::get_if<SetTaints>(&decision)) {
    return wish(set->node, Part::Spec, set->ready);
  }
  if (const auto* mark = std::get_if<MarkPodNotReady>(&decision)) {
    return wish(mark->pod, Part::Readiness);
  }
  if (const auto* evict = std::get_if<EvictPod>(&decision)) return wish(evict->pod, Part::Eviction);
  return wish(std::get<EvictLostPod>(decision).pod, Part::TimeoutEviction);
}

void Observer::decided(const Decision& decision, Instant now) {
  if (const auto* labels = std::get_if<SetLabels>(&decision)) {
    // They are not compared, and the rest of the node waits for their answer.
    const Error withheld{.fault = Fault::Forbidden, .path = "it observes"};
    env_.decisions.machines().nodes.refused(labels->node, NodePart::Spec, withheld, now);
    return;
  }
  std::pair<WishKey, Wish> made = wish_of(decision);
  Wish& wish = made.second;
  for (const Change& change : wish.changes) matcher_.decided(change, now);
  Wish& known = wishes_[made.first];
  std::erase_if(known.changes, [&](const Change& old) {
    return std::ranges::any_of(wish.changes, [&](const Change& change) {
      return observe::key_of(change) == observe::key_of(old);
    });
  });
  drop(known, std::nullopt, now);
  known = std::move(wish);
}

void Observer::drop(const Wish& wish, std::optional<Cause> cause, Instant now) {
  for (const Change& change : wish.changes) {
    const Matcher::Open* open = matcher_.find(observe::key_of(change));
    if (open == nullptr || !open->ours) continue;
    const Why why =
        cause ? Why{.cause = *cause} : expectations_.why_dropped(change, *open->ours, now);
    matcher_.dropped(observe::key_of(change), why, now);
  }
}

void Observer::drop_object(const std::string& uid, Instant now) {
  for (auto wish = wishes_.lower_bound({uid, Part::Status});
       wish != wishes_.end() && wish->first.first == uid;) {
    drop(wish->second, Cause::ObjectGone, now);
    wish = wishes_.erase(wish);
  }
}

// --- what is told -------------------------------------------------------------------------------

void Observer::tell() {
  for (const Finding& finding : matcher_.take()) {
    record_.add(finding);
    const std::string kind(name_of(finding.change.kind));
    const std::string outcome(name_of(finding.agreement));
    env_.metrics.observed(kind, outcome).add();
    if (const auto lead = finding.lead()) {
      env_.metrics.observed_lead(kind).observe(*lead);
    }
    if (finding.agreement == Agreement::Agree) continue;
    env_.metrics.observed_disagreements(name_of(finding.why.cause)).add();
    env_.log.info("decided otherwise", {{"kind", kind},
                                        object_field(finding.change),
                                        {"value", finding.change.value},
                                        {"outcome", outcome},
                                        {"cause", std::string(name_of(finding.why.cause))},
                                        {"defect", std::string(finding.why.defect)}});
  }
}

Record Observer::record(Moment at) const {
  Record record = record_;
  record.open = matcher_.open().size();
  record.overlooked = matcher_.overlooked();
  record.observing = leading_;
  record.now = at.now;
  record.wall = at.wall;
  return record;
}

}  // namespace nlc::controller::observe

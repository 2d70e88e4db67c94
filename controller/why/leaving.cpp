#include "controller/why/leaving.h"

#include <algorithm>
#include <span>
#include <utility>

#include "controller/why/obstacles.h"
#include "controller/why/wording.h"

namespace nlc::controller::why {
namespace {

/// Of a node's pods so many are compared to find the first to leave.
constexpr std::size_t pods_compared_max = 16;
/// So many are looked at to find one that was held.
constexpr std::size_t looked_at_max = 2000;

const PendingWrites& pending_of(const Insight& insight) {
  return insight.decisions.policy().evict_by_taints
             ? insight.decisions.taint_eviction().pending()
             : insight.decisions.timeout_eviction().pending();
}

/// The live node is asked before a pod goes.
std::vector<Obstacle> read_obstacles(const std::string& node, const Insight& insight) {
  const NodeReads& reads = insight.decisions.node_reads();
  const auto read = reads.progress(node, insight.at.now);
  if (!read || (!read->failed && !read->in_flight)) return {};
  Obstacle unread{.kind = read->failed ? "node_unread" : "node_read",
                  .what = "node " + node + " is read first"};
  if (read->failed)
    unread.what += ", and that fails; the last such read said: " + reads.last_failure();
  if (read->retry_at) unread.ends_in = until(*read->retry_at, insight);
  return {std::move(unread)};
}

Action last_step(const std::string& object, const Insight& insight) {
  const PastAction* marked = insight.history.last_refusal(object, Action::MarkForDeletion);
  const PastAction* deleted = insight.history.last_refusal(object, Action::DeletePod);
  return deleted == nullptr && marked != nullptr ? Action::MarkForDeletion : Action::DeletePod;
}

std::vector<Obstacle> life_obstacles_of_pods(const std::string& node, const Insight& insight) {
  const std::optional<Slot> slot = insight.view.nodes.slot_of(node);
  if (!slot || !insight.decisions.judges_nodes()) return {};
  return life_obstacles(insight.decisions.node_life().pods_stay_until(*slot, insight.at.now),
                        last_heard(*slot, insight).by, insight);
}

/// Where pods leave by timeout, and their node has had no turn for them, or none could leave in it.
std::vector<Obstacle> turn_obstacles(const std::string& node, const Insight& insight) {
  const std::optional<Slot> slot = insight.view.nodes.slot_of(node);
  using State = NodeTimeouts::Turn::State;
  const NodeTimeouts::Turn* turn =
      slot ? insight.decisions.nodes().repairs().timeouts().turn(*slot) : nullptr;
  if (turn == nullptr || turn->state == State::Given || turn->state == State::Used) return {};
  return {{.kind = "zone_pace",
           .what = turn->state == State::None
                       ? "its node has had no turn since its pods came, and waits for one"
                       : "none of its pods could leave in the turn of its node, which takes "
                         "another"}};
}

/// When the pod's time is over, and for what it leaves. Nothing: its eviction is not wanted.
std::optional<Leaving> wish_to_leave(Slot slot, const std::optional<PendingWrites::Progress>& write,
                                     const Insight& insight) {
  Leaving leaving;
  if (!insight.decisions.policy().evict_by_taints) {
    return write && write->wanted ? std::optional(std::move(leaving)) : std::nullopt;
  }
  const TaintEviction::Timer* timer = insight.decisions.taint_eviction().timer_of(slot);
  if (timer == nullptr || !timer->deadline) return std::nullopt;
  leaving.deadline = timer->deadline;
  leaving.conditional =
      !timer->unconditional || std::max(insight.at.now, *timer->deadline) < *timer->unconditional;
  return leaving;
}

void tell_accepted(const PendingWrites::Progress& write, const Insight& insight, Leaving& leaving) {
  leaving.how = Leaving::How::Accepted;
  leaving.step = {.what = "if it still does not show, it is asked for again",
                  .in = until(write.due, insight)};
  add_standby(insight, leaving.held);
  wait_for(leaving.held, leaving.step);
}

/// What keeps the pod now. True: some of it may still do so when the pod's time is over.
bool add_holds(const api::Pod& pod, const Insight& insight, Leaving& leaving) {
  const PodDue asked{.node = pod.node_name, .since = leaving.deadline.value_or(Instant::min())};
  std::vector<Obstacle> holds =
      leaving.conditional ? holds_beside_doubts(asked, insight) : hold_obstacles(asked, insight);
  std::vector<Obstacle> doubts;
  if (leaving.conditional) doubts = eviction_obstacles(insight);
  const bool is_held = !holds.empty() || std::ranges::any_of(doubts, [](const Obstacle& doubt) {
    return !doubt.ends_in.has_value();
  });
  add_standby(insight, leaving.held);
  add(std::move(holds), leaving.held);
  add(std::move(doubts), leaving.held);
  add(read_obstacles(pod.node_name, insight), leaving.held);
  return is_held;
}

void tell_due(const api::Pod& pod, const PendingWrites::Progress& write, const Insight& insight,
              Leaving& leaving) {
  leaving.step = {.what = "it is deleted", .in = Duration{0}};
  if (leaving.conditional) add(life_obstacles_of_pods(pod.node_name, insight), leaving.held);
  if (write.failed && write.retry_at) {
    const std::string object = History::of_pod(pod.key());
    leaving.held.push_back({.kind = "back_off",
                            .what = last_words(insight, object, last_step(object, insight)),
                            .ends_in = until(*write.retry_at, insight)});
  }
  add(turn_obstacles(pod.node_name, insight), leaving.held);
  add_policy_read(insight, leaving.held);
  wait_for(leaving.held, leaving.step);
}

/// What a read of its node has to show before it leaves.
std::string condition_of(const std::string& node, const Insight& insight) {
  const bool is_there = insight.view.nodes.slot_of(node).has_value();
  return ", if node " + node + ", read by quorum, " +
         (is_there ? "still has the taint" : "is still gone");
}

/// What holds it now may be over when its time is.
void tell_counting(const api::Pod& pod, bool is_held, const Insight& insight, Leaving& leaving) {
  leaving.how = Leaving::How::Counting;
  const bool may_wait = insight.decisions.operator_holds().may_delay();
  leaving.unless = is_held ? unless_held : may_wait ? ", if it is its turn then" : "";
  leaving.step = {.what = "it is deleted" + leaving.unless + condition_of(pod.node_name, insight),
                  .in = until(*leaving.deadline, insight)};
  wait_for(leaving.held, leaving.step);
}

}  // namespace

std::vector<Obstacle> marking_obstacles(const std::string& node, const Insight& insight) {
  std::vector<Obstacle> held = marking_obstacles(insight);
  const std::optional<Slot> slot = insight.view.nodes.slot_of(node);
  if (!slot || !insight.decisions.judges_nodes()) return held;
  add(life_obstacles(insight.decisions.node_life().pods_stay_ready_until(*slot, insight.at.now),
                     last_heard(*slot, insight).by, insight),
      held);
  return held;
}

std::optional<Leaving> leaving_of(Slot slot, const Insight& insight) {
  const api::Pod pod = insight.view.pods.at(slot);
  if (pod.finished || pod.deleting) return std::nullopt;
  const auto write = pending_of(insight).progress(slot, insight.at.now);
  std::optional<Leaving> leaving = wish_to_leave(slot, write, insight);
  if (!leaving) return std::nullopt;
  if (write && write->in_flight) {
    leaving->how = Leaving::How::UnderWay;
    leaving->step = {.what = "the API server answers"};
    return leaving;
  }
  if (write && write->accepted) {
    tell_accepted(*write, insight, *leaving);
    return leaving;
  }
  const bool is_held = add_holds(pod, insight, *leaving);
  if (write && (!leaving->deadline || *leaving->deadline <= insight.at.now)) {
    tell_due(pod, *write, insight, *leaving);
  } else {
    tell_counting(pod, is_held, insight, *leaving);
  }
  return leaving;
}

LeavingPods leaving_pods(std::string_view node, const Insight& insight) {
  LeavingPods pods;
  std::vector<std::pair<Instant, Slot>> some;
  for (const Slot pod : insight.view.pods_by_node.with(node)) {
    std::optional<Instant> due;
    if (insight.decisions.policy().evict_by_taints) {
      const TaintEviction::Timer* timer = insight.decisions.taint_eviction().timer_of(pod);
      if (timer != nullptr) due = timer->deadline;
    } else if (!insight.view.pods.at(pod).deleting && pending_of(insight).wanted(pod)) {
      due = Instant::min();
    }
    ++(due ? pods.leaving : pods.staying);
    if (due) some.emplace_back(*due, pod);
  }
  const std::size_t compared = std::min(some.size(), pods_compared_max);
  std::ranges::partial_sort(some, some.begin() + static_cast<std::ptrdiff_t>(compared));
  std::optional<Duration> least;
  for (const auto& [due, pod] : std::span(some).first(compared)) {
    std::optional<Leaving> leaving = leaving_of(pod, insight);
    if (!leaving) continue;
    // One that is held by what nobody can tell the end of leaves before those whose time runs.
    const bool runs = leaving->how == Leaving::How::Counting;
    const Duration in = leaving->step.in.value_or(runs ? Duration::max() : Duration{0});
    if (least && *least <= in) continue;
    least = in;
    pods.first = LeavingPod{pod, *std::move(leaving)};
  }
  return pods;
}

namespace {

/// The operator keeps pods from leaving that zone, or some of it, now.
bool holds_pods(const Zone& zone, const Insight& insight) {
  const OperatorHolds& holds = insight.decisions.operator_holds();
  const bool pauses =
      holds.pauses().count(Pause::Evictions) > 0 || holds.pauses().count(Pause::All) > 0;
  return pauses || (holds.in_force().policy().hold_in_disruption && zone.is_disrupted());
}

bool is_held_back(const Leaving& leaving) {
  return leaving.how == Leaving::How::Due &&
         std::ranges::any_of(leaving.held, [](const Obstacle& held) {
           return held.kind == "zone_pace" || held.kind == "paused" ||
                  held.kind == "zone_disrupted";
         });
}

}  // namespace

std::optional<LeavingPod> held_pod_of(const Zone& zone, const Insight& insight) {
  const NodeHealth& health = insight.decisions.nodes().health();
  std::optional<LeavingPod> found;
  std::size_t left = looked_at_max;
  const auto look_at = [&](Slot node) {
    if (found || left == 0 || !insight.view.nodes.holds(node)) return;
    if (health.summary(node).zone != &zone) return;
    --left;
    for (const Slot pod : insight.view.pods_by_node.with(insight.view.nodes.name_at(node))) {
      if (found || left == 0) return;
      --left;
      std::optional<Leaving> leaving = leaving_of(pod, insight);
      if (leaving && is_held_back(*leaving)) found = LeavingPod{pod, *std::move(leaving)};
    }
  };
  insight.decisions.operator_holds().each_held(look_at);
  if (!holds_pods(zone, insight)) return found;
  insight.view.nodes.each_slot([&](Slot node) {
    if (health.summary(node).ready != api::ConditionStatus::True) look_at(node);
  });
  return found;
}

}  // namespace nlc::controller::why

#include "controller/why/upcoming.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "controller/nodes/alive_until.h"
#include "controller/rules/taints.h"

namespace nlc::controller::why {
namespace {

/// Of a node's pods, and of a queue's nodes, so many are compared to find the first.
constexpr std::size_t compared_max = 16;
/// Of those before a node in its queue so many are looked at for such as let it past.
constexpr std::size_t let_past_max = 256;
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
  if (read->failed) unread.what += ", and that fails: " + reads.last_failure();
  if (read->retry_at) unread.ends_in = until(*read->retry_at, insight);
  return {std::move(unread)};
}

Action last_step(const std::string& object, const Insight& insight) {
  const PastAction* marked = insight.history.last_refusal(object, Action::MarkForDeletion);
  const PastAction* deleted = insight.history.last_refusal(object, Action::DeletePod);
  return deleted == nullptr && marked != nullptr ? Action::MarkForDeletion : Action::DeletePod;
}

/// A node that is Unknown lives until then.
std::vector<Obstacle> life_obstacles(Instant lives, const Insight& insight) {
  if (lives <= insight.at.now) return {};
  Obstacle life{.kind = "lives_again", .what = "a heartbeat came since it was marked Unknown"};
  if (insight.server.availability().foresees(insight.at.now)) {
    life.ends_in = until(lives, insight);
  } else {
    life.what += ", and whether another did is not known";
  }
  return {std::move(life)};
}

std::vector<Obstacle> life_obstacles_of_pods(const std::string& node, const Insight& insight) {
  const std::optional<Slot> slot = insight.view.nodes.slot_of(node);
  if (!slot || !insight.decisions.judges_nodes()) return {};
  return life_obstacles(pods_stay_until(insight.view, insight.decisions.nodes().health(),
                                        insight.server.availability(), *slot, insight.at.now),
                        insight);
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
  const bool may_wait = insight.decisions.eviction_holds().lets_wait();
  leaving.unless = is_held ? unless_held : may_wait ? ", if it is its turn then" : "";
  leaving.step = {.what = "it is deleted" + leaving.unless + condition_of(pod.node_name, insight),
                  .in = until(*leaving.deadline, insight)};
  wait_for(leaving.held, leaving.step);
}

}  // namespace

// --- nodes in their queues ----------------------------------------------------------------------

std::string_view awaited(const Insight& insight) {
  return insight.decisions.policy().evict_by_taints ? "for a NoExecute taint"
                                                    : "for the eviction of their pods";
}

namespace {

using Writes = NodeWrites::Kind;

Action action_of(Writes kind) {
  if (kind == Writes::Conditions) return Action::MarkUnknown;
  return kind == Writes::Labels ? Action::SetLabels : Action::SetTaints;
}

std::string_view waiting_words(Writes kind) {
  return kind == Writes::Conditions ? "its conditions wait"
         : kind == Writes::Labels   ? "its labels wait"
         : kind == Writes::Read     ? "the read of it waits"
                                    : "its taints wait";
}

/// Its turn is for that.
bool is_of_turn(const NodeWrites::Key& key) {
  const std::string_view added =
      std::string_view(key.second).substr(0, key.second.find(" removed "));
  return key.first == Writes::Read ||
         (key.first == Writes::Taints && added.find(api::effect::no_execute) != added.npos);
}

std::optional<Obstacle> obstacle_of(Slot node, const NodeWrites::Key& key, const RetryState& retry,
                                    const Insight& insight) {
  if (retry.in_flight()) {
    return Obstacle{.kind = "under_way", .what = "a write about it is not answered yet"};
  }
  const std::optional<Instant> again = retry.retry_at(insight.at.now);
  if (!again || !retry.is_repeated()) return std::nullopt;
  const std::string object = History::of_node(std::string(insight.view.nodes.name_at(node)));
  const PastAction* refusal = insight.history.last_refusal(object, action_of(key.first));
  const std::string why = key.first == Writes::Read ? insight.decisions.node_reads().last_failure()
                          : refusal == nullptr      ? "somebody undoes them"
                                                    : refusal->why;
  return Obstacle{.kind = "back_off",
                  .what = std::string(waiting_words(key.first)) + " after a failure: " + why,
                  .ends_in = until(*again, insight)};
}

Instant lives_until(Slot node, const Insight& insight) {
  return alive_until(insight.view, insight.decisions.nodes().health(),
                     insight.server.availability(), node, insight.at.now);
}

/// Before that one in a queue leaves its turn to the next.
Instant free_at(Slot node, const Insight& insight) {
  Instant free = lives_until(node, insight);
  insight.decisions.nodes().repairs().writes().each_try(
      node, [&](const NodeWrites::Key& key, const RetryState& retry) {
        if (is_of_turn(key)) free = std::max(free, retry.retry_at(insight.at.now).value_or(free));
      });
  return free;
}

/// It has its turn with the next token, if nobody is before it.
bool is_free(Slot node, const Zone& zone, const Insight& insight) {
  const Instant token = zone.evictions.next_token().value_or(insight.at.now);
  return free_at(node, insight) <= std::max(token, insight.at.now);
}

/// `before`: so many have their turns earlier.
Turn turn_at(std::size_t place, std::size_t before, Slot node, const Insight& insight) {
  const Zone& zone = *insight.decisions.nodes().health().summary(node).zone;
  Turn turn{.place = place};
  const std::optional<Instant> token = zone.evictions.next_token();
  if (token && zone.evictions.rate() > 0) {
    const double further = static_cast<double>(before) / zone.evictions.rate();
    turn.token_in = until(*token, insight) +
                    std::chrono::duration_cast<Duration>(std::chrono::duration<double>(further));
  }
  const bool is_due = turn.token_in && *turn.token_in <= Duration{0};
  turn.held = life_obstacles(lives_until(node, insight), insight);
  add(pause_obstacles(node, insight), turn.held);
  add(doubts_of_nodes(insight), turn.held);
  insight.decisions.nodes().repairs().writes().each_try(
      node, [&](const NodeWrites::Key& key, const RetryState& retry) {
        std::optional<Obstacle> held = obstacle_of(node, key, retry, insight);
        if (held && (held->ends_in ? is_of_turn(key) : is_due)) add({*held}, turn.held);
      });
  if (is_due) add_policy_read(insight, turn.held);
  return turn;
}

/// Those that are not free let the next one go.
Slot first_to_leave(const Zone& zone, const Insight& insight) {
  std::size_t left = compared_max;
  for (const auto& [since, node] : zone.queue) {
    if (is_free(node, zone, insight)) return node;
    if (--left == 0) break;
  }
  return zone.queue.begin()->second;
}

}  // namespace

std::vector<Obstacle> write_obstacles(Slot node, const Insight& insight) {
  std::vector<Obstacle> held;
  insight.decisions.nodes().repairs().writes().each_try(
      node, [&](const NodeWrites::Key& key, const RetryState& retry) {
        if (std::optional<Obstacle> one = obstacle_of(node, key, retry, insight)) add({*one}, held);
      });
  return held;
}

Turn turn_of(Slot node, const Insight& insight) {
  const NodeLifecycle& nodes = insight.decisions.nodes();
  const Zone& zone = *nodes.health().summary(node).zone;
  const auto own = zone.queue.find(*nodes.repairs().queue().waiting(node));
  const auto before = static_cast<std::size_t>(std::distance(zone.queue.begin(), own));
  std::size_t earlier = before;
  std::size_t left = let_past_max;
  for (auto other = zone.queue.begin(); other != own && left > 0; ++other, --left) {
    if (!is_free(other->second, zone, insight)) --earlier;
  }
  return turn_at(before + 1, earlier, node, insight);
}

Coming Turn::coming(std::string what) && {
  Coming coming{.step = {.what = std::move(what), .in = token_in}, .held = std::move(held)};
  stand_behind(coming.held, coming.step);
  return coming;
}

Coming first_turn(const Zone& zone, const std::string& more, const Insight& insight) {
  const Slot first = first_to_leave(zone, insight);
  Turn turn = turn_at(1, 0, first, insight);
  add_standby(insight, turn.held);
  const std::string node(insight.view.nodes.name_at(first));
  std::string what = insight.decisions.policy().evict_by_taints
                         ? "node " + node + " gets its NoExecute taint"
                         : "the pods of node " + node + " begin to leave";
  what += more;
  if (!turn.token_in) what += ", once the zone's state is another";
  return std::move(turn).coming(std::move(what));
}

bool waits_unless_paused(Slot node, const Insight& insight) {
  if (!insight.decisions.eviction_holds().pauses().pauses_evictions(node)) return false;
  if (insight.decisions.policy().evict_by_taints) {
    return no_execute_need(insight.view.nodes.at(node)) == NoExecuteNeed::Queue;
  }
  const NodeTimeouts& timeouts = insight.decisions.nodes().repairs().timeouts();
  const auto end = timeouts.end_of(node);
  return end && !timeouts.is_evicting(node) &&
         insight.server.availability().at(insight.at.now) > *end;
}

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
    if (!end || insight.decisions.eviction_holds().pauses().pauses_evictions(node)) return;
    if (zone != nullptr && insight.decisions.nodes().health().summary(node).zone != zone) return;
    first = std::min(first.value_or(std::pair{*end, node}), std::pair{*end, node});
  });
  if (!first) return std::nullopt;
  return timeout_of(first->second, "node " + std::string(insight.view.nodes.name_at(first->second)),
                    insight);
}

// --- pods ---------------------------------------------------------------------------------------

std::vector<Obstacle> marking_obstacles(const std::string& node, const Insight& insight) {
  std::vector<Obstacle> held = marking_obstacles(insight);
  const std::optional<Slot> slot = insight.view.nodes.slot_of(node);
  if (!slot || !insight.decisions.judges_nodes()) return held;
  add(life_obstacles(pods_stay_ready_until(insight.view, insight.decisions.nodes().health(),
                                           insight.server.availability(), *slot, insight.at.now),
                     insight),
      held);
  return held;
}

std::optional<Leaving> leaving_of(Slot slot, const Insight& insight) {
  const Instant now = insight.at.now;
  const api::Pod pod = insight.view.pods.at(slot);
  if (pod.finished || pod.deleting) return std::nullopt;
  const auto write = pending_of(insight).progress(slot, now);
  Leaving leaving;
  if (insight.decisions.policy().evict_by_taints) {
    const TaintEviction::Timer* timer = insight.decisions.taint_eviction().timer_of(slot);
    if (timer == nullptr || !timer->deadline) return std::nullopt;
    leaving.deadline = timer->deadline;
    leaving.conditional =
        !timer->unconditional || std::max(now, *timer->deadline) < *timer->unconditional;
  } else if (!write || !write->wanted) {
    return std::nullopt;
  }
  if (write && write->in_flight) {
    leaving.how = Leaving::How::UnderWay;
    leaving.step = {.what = "the API server answers"};
    return leaving;
  }
  if (write && write->accepted) {
    leaving.how = Leaving::How::Accepted;
    leaving.step = {.what = "if it still does not show, it is asked for again",
                    .in = until(write->due, insight)};
    add_standby(insight, leaving.held);
    wait_for(leaving.held, leaving.step);
    return leaving;
  }
  const PodDue asked{.node = pod.node_name, .since = leaving.deadline.value_or(Instant::min())};
  std::vector<Obstacle> holds =
      leaving.conditional ? holds_beside_doubts(asked, insight) : hold_obstacles(asked, insight);
  const bool is_held = !holds.empty();
  add_standby(insight, leaving.held);
  add(std::move(holds), leaving.held);
  if (leaving.conditional) add(eviction_obstacles(insight), leaving.held);
  add(read_obstacles(pod.node_name, insight), leaving.held);
  if (write && (!leaving.deadline || *leaving.deadline <= now)) {
    tell_due(pod, *write, insight, leaving);
  } else {
    leaving.how = Leaving::How::Counting;
    tell_counting(pod, is_held, insight, leaving);
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
  const std::size_t compared = std::min(some.size(), compared_max);
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

std::optional<LeavingPod> held_pod_of(const Zone& zone, const Insight& insight) {
  std::optional<LeavingPod> found;
  std::size_t left = looked_at_max;
  insight.decisions.eviction_holds().each_held([&](Slot node) {
    if (found || left == 0 || !insight.view.nodes.holds(node)) return;
    if (insight.decisions.nodes().health().summary(node).zone != &zone) return;
    --left;
    for (const Slot pod : insight.view.pods_by_node.with(insight.view.nodes.name_at(node))) {
      if (found || left == 0) return;
      --left;
      std::optional<Leaving> leaving = leaving_of(pod, insight);
      const bool waits = leaving && std::ranges::any_of(leaving->held, [](const Obstacle& held) {
                           return held.kind == "zone_pace";
                         });
      if (waits) found = LeavingPod{pod, *std::move(leaving)};
    }
  });
  return found;
}

}  // namespace nlc::controller::why

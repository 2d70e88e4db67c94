#include "controller/why/turns.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "controller/rules/taints.h"
#include "controller/why/obstacles.h"
#include "controller/why/wording.h"

namespace nlc::controller::why {
namespace {

/// Of a queue's nodes so many are compared to find the first to leave it.
constexpr std::size_t nodes_compared_max = 16;
/// Of those before a node in its queue so many are looked at for such as let it past.
constexpr std::size_t let_past_max = 256;

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

/// A node's turn is for such a write.
bool is_of_turn(const NodeWrites::Key& key) {
  const std::string_view added = std::string_view(key.words).substr(0, key.words.find(" removed "));
  return key.kind == Writes::Read ||
         (key.kind == Writes::Taints && added.find(api::effect::no_execute) != added.npos);
}

std::optional<Obstacle> obstacle_of(Slot node, const NodeWrites::Key& key, const RetryState& retry,
                                    const Insight& insight) {
  if (retry.in_flight()) {
    return Obstacle{.kind = "under_way", .what = "a write about it is not answered yet"};
  }
  const std::optional<Instant> again = retry.retry_at(insight.at.now);
  if (!again || !retry.is_repeated()) return std::nullopt;
  const std::string object = History::of_node(std::string(insight.view.nodes.name_at(node)));
  const PastAction* refusal = insight.history.last_refusal(object, action_of(key.kind));
  const std::string why = key.kind == Writes::Read ? insight.decisions.node_reads().last_failure()
                          : refusal != nullptr && retry.has_failed() ? refusal->why
                                                                     : "somebody undoes them";
  return Obstacle{.kind = "back_off",
                  .what = std::string(waiting_words(key.kind)) + " after a failure: " + why,
                  .ends_in = until(*again, insight)};
}

Instant lives_until(Slot node, const Insight& insight) {
  return insight.decisions.node_life().alive_until(node, insight.at.now);
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

/// When its next token may be used.
Instant next_turn(const Zone& zone, const Insight& insight) {
  return std::max(zone.evictions.next_token().value_or(insight.at.now), insight.at.now);
}

/// The node has its turn with the next token, if nobody is before it.
bool is_free(Slot node, const Zone& zone, const Insight& insight) {
  return free_at(node, insight) <= next_turn(zone, insight);
}

/// `before`: so many have their turns earlier.
Turn turn_at(std::size_t place, std::size_t before, Slot node, const Insight& insight) {
  const Zone& zone = *insight.decisions.nodes().health().summary(node).zone;
  Turn turn{.place = place};
  if (const auto token = zone.evictions.next_token_after(before, insight.at.now)) {
    turn.token_in = until(*token, insight);
  }
  const bool is_due = turn.token_in && *turn.token_in <= Duration{0};
  turn.held = life_obstacles(lives_until(node, insight), last_heard(node, insight).by, insight);
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

/// Those that are not free let the next one go; where none is, the one that is free first goes.
Slot first_to_leave(const Zone& zone, const Insight& insight) {
  const auto leaves_at = [&insight, turn = next_turn(zone, insight)](const Waiting& waiting) {
    return std::max(free_at(waiting.second, insight), turn);
  };
  const auto compared = std::views::take(zone.queue, nodes_compared_max);
  return (*std::ranges::min_element(compared, {}, leaves_at)).second;
}

/// The read that has to show a silent node's Lease unmoved.
std::vector<Obstacle> lease_obstacles(Slot node, const Insight& insight) {
  const LeaseReads& reads = insight.decisions.nodes().health().reads();
  const LeaseReads::Progress read = reads.progress(node);
  if (read.asked) {
    return {{.kind = "lease_read",
             .what = "its Lease is being read for " + in_words(insight.at.now - *read.asked)}};
  }
  if (!read.failing) return {};
  return {{.kind = "lease_unread",
           .what = "its Lease could not be read; the last such read said: " + reads.unread().why,
           .ends_in = until(read.read_after, insight)}};
}

}  // namespace

std::string_view awaited(const Insight& insight) {
  return insight.decisions.policy().evict_by_taints ? "for a NoExecute taint"
                                                    : "for the eviction of their pods";
}

std::vector<Obstacle> write_obstacles(Slot node, const Insight& insight) {
  std::vector<Obstacle> held;
  insight.decisions.nodes().repairs().writes().each_try(
      node, [&](const NodeWrites::Key& key, const RetryState& retry) {
        if (std::optional<Obstacle> one = obstacle_of(node, key, retry, insight)) add({*one}, held);
      });
  return held;
}

bool is_unmarked(Slot node, const Insight& insight) {
  const NodeHealth& health = insight.decisions.nodes().health();
  return health.summary(node).ready != api::ConditionStatus::Unknown &&
         !health.heartbeats().in_grace(node, insight.at.now);
}

Coming marking_of(Slot node, const std::string& whose, const Insight& insight) {
  const bool sure = insight.decisions.nodes().health().is_silent_for_sure(node, insight.at.now);
  Coming marking{.step = {.what = whose + (sure ? " conditions are written Unknown"
                                                : " Lease is read; if it has not moved, its "
                                                  "conditions are written Unknown"),
                          .in = Duration{0}},
                 .held = judgement_obstacles(insight)};
  if (!sure) add(lease_obstacles(node, insight), marking.held);
  add(unwatched_obstacles(insight), marking.held);
  add(write_obstacles(node, insight), marking.held);
  add_standby(insight, marking.held);
  wait_for(marking.held, marking.step);
  return marking;
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
  if (!insight.decisions.operator_holds().pauses().pauses_evictions(node)) return false;
  if (insight.decisions.policy().evict_by_taints) {
    return no_execute_need(insight.view.nodes.at(node)) == NoExecuteNeed::Queue;
  }
  const NodeTimeouts& timeouts = insight.decisions.nodes().repairs().timeouts();
  const auto end = timeouts.end_of(node);
  return end && !timeouts.is_evicting(node) &&
         insight.server.availability().at(insight.at.now) > *end;
}

}  // namespace nlc::controller::why

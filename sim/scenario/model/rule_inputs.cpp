#include "sim/scenario/model/rule_inputs.h"

#include <algorithm>
#include <type_traits>
#include <utility>

#include "sim/rules/node_facts.h"
#include "sim/rules/operator_policy.h"
#include "sim/scenario/model/disturbances.h"
#include "sim/scenario/model/peace.h"
#include "sim/scenario/model/restores.h"

namespace nlc::sim::scenario {
namespace {

using rules::RuleInputs;

/// To the end of the day where nothing says until when a step lasts.
RuleInputs::Span span_of(const Step& step, Instant origin) {
  const bool ends = step.until > step.from || !lasts(step.action);
  return {.from = origin + step.from, .until = ends ? origin + step.until : Instant::max()};
}

/// `fact` is what there is to know of a step, if anything.
template <typename Fact>
auto facts_of(const Scenario& scenario, Fact fact) {
  std::vector<typename std::invoke_result_t<Fact, const Step&>::value_type> facts;
  for (const Step& step : scenario.timeline) {
    if (auto known = fact(step)) facts.push_back(*std::move(known));
  }
  return facts;
}

template <typename Fact>
std::vector<Fact> sorted(std::vector<Fact> facts) {
  std::ranges::sort(facts, {}, &Fact::from);
  return facts;
}

/// When a step keeps kubelets from being heard; nothing when it does not.
std::optional<RuleInputs::Outage> outage_by(const Step& step, const Scenario& scenario,
                                            Instant origin) {
  const auto [from, until] = span_of(step, origin);
  if (const auto* restore = step.as<Restore>()) {
    if (!backup_of(step, scenario)) return std::nullopt;
    return RuleInputs::Outage{.from = from, .until = from + restore->down};
  }
  if (step.as<PauseApi>() != nullptr) return RuleInputs::Outage{.from = from, .until = until};
  const auto refused = refused_heartbeats(step);
  if (!refused) return std::nullopt;
  return RuleInputs::Outage{.from = from, .until = until, .refused = *refused};
}

/// A node is believed that is told of again until nodes are listed anew.
std::optional<RuleInputs::ToldAgain> told_again_by(const Step& step, const Scenario& scenario,
                                                   Instant origin) {
  const auto* replay = step.as<Replay>();
  if (replay == nullptr || !replay->as_new || replay->object.kind != "Node") return std::nullopt;
  Instant until = Instant::max();
  for (const Step& later : scenario.timeline) {
    if (later.from < step.from || !lists_nodes_anew(later)) continue;
    until = std::min(until, origin + later.from);
  }
  return RuleInputs::ToldAgain{
      .node = replay->object.name, .from = origin + step.from, .until = until};
}

std::optional<RuleInputs::LateAnswers> late_answers_by(const Step& step, const Scenario&,
                                                       Instant origin) {
  const Duration by = answers_writes_of_leases_late(step);
  if (by == Duration{0}) return std::nullopt;
  return RuleInputs::LateAnswers{.during = span_of(step, origin), .by = by};
}

/// What a backup brought back, and what a watch told once more, may be believed to the end.
std::optional<RuleInputs::Span> nodes_in_doubt_by(const Step& step, const Scenario&,
                                                  Instant origin) {
  if (hides_nothing(step)) return std::nullopt;
  RuleInputs::Span doubt = span_of(step, origin);
  const bool may_stay = is_one_of<Restore, Replay>(step.action);
  const bool any_time = step.when || step.before_request;
  const bool passes = doubt.until != Instant::max() && !any_time && !may_stay;
  doubt.until = passes ? doubt.until + usual_delays : Instant::max();
  return doubt;
}

/// Who asks and writes comes to know of these, a standby may not.
bool takes_back_or_tells_again(const Scenario& scenario) {
  return has_step<Replay>(scenario) ||
         has_step<Restore>(scenario, [&](const Restore&, const Step& step) {
           return backup_of(step, scenario).has_value();
         });
}

/// Three writes of each pod, where all priorities but the election have their turns.
constexpr double requests_before_a_deletion = 3 * (client::priority_count - 1);

const nlohmann::json::json_pointer pace_of_pods("/data/pod-evictions-per-second");

/// Pods in a second as the slowest policy of an operator has it; 0: none limits them.
double slowest_pace(const Scenario& scenario) {
  double slowest = 0;
  for (const Step& step : scenario.timeline) {
    const auto* apply = step.as<Apply>();
    if (apply == nullptr) continue;
    for (const nlohmann::json& object : apply->objects) {
      if (!object.contains(pace_of_pods) || !object.at(pace_of_pods).is_string()) continue;
      rules::OperatorPolicy policy;
      policy.read({.data = {{pace_of_pods.back(), object.at(pace_of_pods)}}});
      const double pace = policy.pods_per_second();
      if (pace > 0) slowest = slowest > 0 ? std::min(slowest, pace) : pace;
    }
  }
  return slowest;
}

/// Each as often as that, at so many a second; 0: no limit.
Duration time_of_pods(const Scenario& scenario, double each, double per_second) {
  if (per_second <= 0) return Duration{0};
  const auto pods = std::ranges::count_if(scenario.given, [](const nlohmann::json& object) {
    return object.value("kind", "") == "Pod";
  });
  const double seconds = each * static_cast<double>(pods) / per_second;
  return std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds));
}

/// What shows whose the lock is.
std::optional<RuleInputs::Lock> lock_of(const program::LeaderElectFlags& flags) {
  if (!flags.enabled) return std::nullopt;
  const std::string& kind = flags.resource_lock;
  const bool has_lease = kind.ends_with("leases");
  return RuleInputs::Lock{.resource = has_lease ? &rules::leases() : &core_resource(kind),
                          .key = flags.resource_namespace + "/" + flags.resource_name};
}

}  // namespace

rules::RuleInputs rule_inputs_of(const Scenario& scenario, const program::Flags& flags,
                                 Instant origin) {
  const controller::Policy& policy = flags.loop.policy;
  const client::LimitOptions& limits = flags.loop.limits;
  const auto when = [&](bool (&such)(const Step&)) {
    return facts_of(scenario, [&](const Step& step) {
      return such(step) ? std::optional(span_of(step, origin)) : std::nullopt;
    });
  };
  const auto all_by = [&](const auto& fact) {
    return facts_of(scenario, [&](const Step& step) { return fact(step, scenario, origin); });
  };
  const auto peace = peace_begins(scenario, flags);
  return {.grace = policy.monitor_grace,
          .monitor_period = policy.monitor_period,
          .eviction_rate = policy.eviction_rate,
          .secondary_eviction_rate = policy.secondary_eviction_rate,
          .large_zone = static_cast<std::size_t>(std::max(0, policy.large_zone)),
          .unhealthy_zone_threshold = policy.unhealthy_zone_threshold,
          .judges_nodes = flags.loop.controllers.node_lifecycle,
          .evicts_pods = flags.loop.controllers.taint_eviction,
          .holds_pods_ready = policy.hold_pods_ready_in_full_disruption,
          .pod_timeout =
              policy.evict_by_taints ? std::nullopt : std::optional(policy.pod_eviction_timeout),
          .requests_wait =
              time_of_pods(scenario, requests_before_a_deletion, limits.requests_per_second),
          .pods_wait = time_of_pods(scenario, 1, slowest_pace(scenario)),
          .blind_after = policy.blind_after,
          .outages = sorted(all_by(outage_by)),
          .leases_unwatched = when(hides_leases),
          .answers_late = all_by(late_answers_by),
          .leases_unlisted = sorted(when(lets_nobody_list_leases)),
          .lease_watch_held = when(holds_watches_of_leases),
          .leases_read_late = when(reads_single_leases_late),
          .node_watch_held = when(holds_watches_of_nodes),
          .nodes_in_doubt = all_by(nodes_in_doubt_by),
          .nodes_mutated = when(mutates_nodes),
          .watches_refused = when(refuses_watches),
          .restores = restores_of(scenario, {.blind_after = policy.blind_after,
                                             .without_leader = without_leader(flags.leader_elect)}),
          .told_again = all_by(told_again_by),
          .told_to_leaders_alone = takes_back_or_tells_again(scenario),
          .lock = lock_of(flags.leader_elect),
          .requests_per_second = limits.requests_per_second,
          .burst = static_cast<std::size_t>(std::max(1, limits.burst)),
          .peace_begins = peace ? origin + *peace : Instant::max(),
          .marked_within = marked_within(scenario, flags)};
}

}  // namespace nlc::sim::scenario

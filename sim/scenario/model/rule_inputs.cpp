#include "sim/scenario/model/rule_inputs.h"

#include <algorithm>
#include <string_view>

#include "sim/rules/node_facts.h"
#include "sim/rules/operator_policy.h"
#include "sim/scenario/model/name_pattern.h"
#include "sim/scenario/model/peace.h"

namespace nlc::sim::scenario {
namespace {

bool meets(const RequestFilter& requests, std::string_view verb, std::string_view resource) {
  const bool meets_verb = is_any(requests.verb) || requests.verb == verb;
  return meets_verb && is_wanted(requests.resources, resource);
}

/// What is asked of leases in this way.
bool meets_leases(const RequestFilter& requests, std::string_view verb) {
  return meets(requests, verb, "leases");
}

/// Those by which kubelets say that they live, and not the locks of controllers.
bool meets_heartbeats(const RequestFilter& asked) {
  const bool there = is_any(asked.namespace_name) || asked.namespace_name == "kube-node-lease";
  return there && is_any(asked.subresource) && meets_leases(asked, "PUT");
}

bool meets_statuses(const RequestFilter& asked) {
  const bool status = asked.subresource == "status" || asked.subresource == "*";
  return status && (meets(asked, "PUT", "nodes") || meets(asked, "PATCH", "nodes"));
}

/// What kubelets say, whichever kubelets, and is not taken.
std::optional<rules::RuleInputs::Refused> refused_by(const Admission& admission) {
  const RequestFilter& asked = admission.requests;
  const bool of_some = !asked.names.empty() && std::ranges::none_of(asked.names, is_pattern);
  const bool refuses =
      admission.action == Admission::Action::Refuse || admission.action == Admission::Action::Hang;
  if (!admission.of_anybody || !refuses || of_some) return std::nullopt;
  const bool leases = meets_heartbeats(asked);
  const bool statuses = meets_statuses(asked);
  using Refused = rules::RuleInputs::Refused;
  if (leases && statuses) return Refused::Heartbeats;
  if (leases) return Refused::Leases;
  return statuses ? std::optional(Refused::Statuses) : std::nullopt;
}

/// To the end of the day where nothing says until when a step lasts.
rules::RuleInputs::Span span_of(const Step& step, Instant origin) {
  const bool ends = step.until > step.from || !lasts(step.action);
  return {.from = origin + step.from, .until = ends ? origin + step.until : Instant::max()};
}

/// So long does a step keep kubelets from being heard; nothing when it does not.
std::optional<rules::RuleInputs::Outage> outage_by(const Step& step, Instant origin) {
  const auto [from, until] = span_of(step, origin);
  if (const auto* restore = step.as<Restore>()) {
    return rules::RuleInputs::Outage{.from = from, .until = from + restore->down};
  }
  if (std::holds_alternative<PauseApi>(step.action)) {
    return rules::RuleInputs::Outage{.from = from, .until = until};
  }
  const auto* admission = step.as<Admission>();
  const auto refused = admission == nullptr ? std::nullopt : refused_by(*admission);
  if (!refused) return std::nullopt;
  return rules::RuleInputs::Outage{.from = from, .until = until, .refused = *refused};
}

bool mutates_nodes(const Step& step) {
  const auto* admission = step.as<Admission>();
  return admission != nullptr && !admission->mutation.merge.is_null() &&
         is_wanted(admission->requests.resources, "nodes");
}

bool lists_nodes_anew(const Step& step) {
  const auto* end = step.as<EndWatches>();
  return end != nullptr && end->how == EndWatches::How::Expired &&
         (end->resource.empty() || end->resource == "nodes");
}

std::vector<rules::RuleInputs::ToldAgain> told_again(const Scenario& scenario, Instant origin) {
  std::vector<rules::RuleInputs::ToldAgain> told;
  for (const Step& step : scenario.timeline) {
    const auto* replay = step.as<Replay>();
    if (replay == nullptr || !replay->as_new || replay->object.kind != "Node") continue;
    Instant until = Instant::max();
    for (const Step& later : scenario.timeline) {
      if (later.from < step.from || !lists_nodes_anew(later)) continue;
      until = std::min(until, origin + later.from);
    }
    told.push_back({.node = replay->object.name, .from = origin + step.from, .until = until});
  }
  return told;
}

/// Who has lost his watch of leases waits for a list before he follows them again.
bool keeps_from_listing_leases(const FailApi& fault) {
  return fault.requests.verb == "LIST" && is_wanted(fault.requests.resources, "leases");
}

bool holds_watches_of_nodes(const Step& step) {
  const auto* hold = step.as<HoldCache>();
  return hold != nullptr && hold->resource == "nodes";
}

bool holds_watches_of_leases(const Step& step) {
  const auto* hold = step.as<HoldCache>();
  return hold != nullptr && hold->resource == "leases" && hold->key.empty();
}

/// By somebody's rules, as where the role lacks the verb; what is listed is answered.
bool refuses_watches(const Step& step) {
  const auto* fault = step.as<FailApi>();
  return fault != nullptr && fault->requests.verb == "WATCH" && !fault->times &&
         fault->action == FailApi::Action::Answer;
}

/// Watches of leases break off before they have told anything, or are lost like all else.
bool loses_watches_of_leases(const FailApi& fault) {
  const bool loses = fault.action == FailApi::Action::Tear || fault.share < 1;
  return loses && is_wanted(fault.requests.resources, "leases");
}

/// By so much; 0: they are not, or are not taken before.
Duration answers_writes_of_leases_late(const Step& step) {
  const auto* fault = step.as<FailApi>();
  if (fault == nullptr || fault->action != FailApi::Action::Delay || !fault->applied) return {};
  return meets_leases(fault->requests, "PUT") ? fault->delay : Duration{0};
}

bool cuts_off(const Step& step) {
  const auto* link = step.as<SetLink>();
  return link != nullptr && link->link != Link::Up;
}

/// All that time, some replica or all.
bool lets_nobody_list_leases(const Step& step) {
  const auto* fault = step.as<FailApi>();
  if (fault == nullptr) return cuts_off(step);
  const bool always = !fault->times && fault->share >= 1;
  return always && fault->action != FailApi::Action::Delay && keeps_from_listing_leases(*fault);
}

/// Leases that are asked for in this way are answered as they were.
bool shows_leases_late(const Step& step, std::string_view verb) {
  const auto* reads = step.as<StaleReads>();
  return reads != nullptr && meets_leases(reads->requests, verb);
}

bool reads_single_leases_late(const Step& step) {
  return shows_leases_late(step, "GET") &&
         std::get<StaleReads>(step.action).requests.from_cache != true;
}

/// Watches of leases stand still, show them late or are refused, or some replica has none: it may
/// be the one that leads later.
bool hides_leases(const Step& step) {
  const auto* fault = step.as<FailApi>();
  if (fault != nullptr) {
    return keeps_from_listing_leases(*fault) || loses_watches_of_leases(*fault) ||
           (refuses_watches(step) && is_wanted(fault->requests.resources, "leases"));
  }
  return holds_watches_of_leases(step) || shows_leases_late(step, "WATCH") || cuts_off(step);
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

/// Of the last backup before it; nothing when there is none.
std::optional<Duration> taken_at(const Step& restore, const Scenario& scenario) {
  std::optional<Duration> taken;
  for (const Step& step : scenario.timeline) {
    if (!std::holds_alternative<Backup>(step.action) || step.from > restore.from) continue;
    taken = std::max(taken.value_or(step.from), step.from);
  }
  return taken;
}

/// Some replica saw nothing at a time between these, and leads or may lead later.
bool saw_nothing(Duration from, Duration until, const Scenario& scenario) {
  return std::ranges::any_of(scenario.timeline, [&](const Step& step) {
    const auto* signal = step.as<SignalController>();
    const bool pauses = signal != nullptr && signal->signal == SignalController::Signal::Pause;
    const bool covers = step.from <= until && (step.until <= step.from || step.until >= from);
    return (pauses || cuts_off(step)) && covers;
  });
}

/// A state of after the backup, which that restore took back.
bool is_lost(const PastMoment& state, Duration taken, const Step& restore) {
  return state.at && *state.at > taken && *state.at <= restore.from;
}

/// A watch tells of a state that a restore had taken back.
bool tells_of_what_is_lost(const Step& step, const Scenario& scenario) {
  const auto* replay = step.as<Replay>();
  if (replay == nullptr) return false;
  return std::ranges::any_of(scenario.timeline, [&](const Step& other) {
    if (!std::holds_alternative<Restore>(other.action) || other.from > step.from) return false;
    const std::optional<Duration> taken = taken_at(other, scenario);
    return taken && is_lost(replay->as_of, *taken, other);
  });
}

/// Watches show nodes or pods as they were before a restore that they began after.
bool shows_what_is_lost(const Step& restore, Duration taken, const Scenario& scenario) {
  return std::ranges::any_of(scenario.timeline, [&](const Step& step) {
    const auto* reads = step.as<StaleReads>();
    return reads != nullptr && step.from >= restore.from && reads->requests.verb == "WATCH" &&
           is_lost(reads->as_of, taken, restore);
  });
}

/// No stream shows what leases are.
bool watches_no_leases(const Scenario& scenario) {
  return std::ranges::any_of(scenario.timeline, [](const Step& step) {
    return refuses_watches(step) && hides_leases(step);
  });
}

/// Who was away at a restore of that backup, or had been since it was taken, may not see it; and
/// behind such a time, or while nobody leads again, whose writes would show it, may believe what
/// watches show from before it.
void note_who_missed(const Step& restore, Duration taken, const Scenario& scenario,
                     Duration without_leader, rules::RuleInputs& inputs) {
  const bool away = saw_nothing(taken, restore.from, scenario);
  const bool away_at_it = saw_nothing(restore.from, restore.from, scenario);
  const bool unled = saw_nothing(taken - without_leader, restore.from, scenario);
  const bool misled =
      (unled || watches_no_leases(scenario)) && shows_what_is_lost(restore, taken, scenario);
  if (away || misled) inputs.restored_unseen = true;
  if (misled || (away && !away_at_it)) inputs.restored_behind = true;
}

/// What users and kubelets write is seen, and a process that begins reads all anew.
bool hides_nothing(const Action& action) {
  return is_one_of<Apply, MergePatch, ApplyPatch, Delete, Heartbeat, RenewLease, SpeakProtobuf,
                   Backup, StartController, Remark>(action);
}

/// What a backup brought back, and what a watch told once more, may be believed to the end.
std::optional<rules::RuleInputs::Span> nodes_in_doubt(const Step& step, Instant origin) {
  if (hides_nothing(step.action)) return std::nullopt;
  rules::RuleInputs::Span doubt = span_of(step, origin);
  const bool may_stay =
      std::holds_alternative<Restore>(step.action) || std::holds_alternative<Replay>(step.action);
  const bool any_time = step.when || step.before_request;
  const bool passes = doubt.until != Instant::max() && !any_time && !may_stay;
  doubt.until = passes ? doubt.until + usual_delays : Instant::max();
  return doubt;
}

/// What shows whose the lock is.
std::optional<rules::RuleInputs::Lock> lock_of(const program::LeaderElectFlags& flags) {
  if (!flags.enabled) return std::nullopt;
  const std::string& kind = flags.resource_lock;
  const bool has_lease = kind.ends_with("leases");
  return rules::RuleInputs::Lock{.resource = has_lease ? &rules::leases() : &core_resource(kind),
                                 .key = flags.resource_namespace + "/" + flags.resource_name};
}

}  // namespace

rules::RuleInputs rule_inputs_of(const Scenario& scenario, const program::Flags& flags,
                                 Instant origin) {
  const controller::Policy& policy = flags.loop.policy;
  rules::RuleInputs inputs{
      .grace = policy.monitor_grace,
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
          time_of_pods(scenario, requests_before_a_deletion, flags.loop.limits.requests_per_second),
      .pods_wait = time_of_pods(scenario, 1, slowest_pace(scenario)),
      .blind_after = policy.blind_after,
      .outages = {},
      .leases_unwatched = {},
      .restored_at_once = false,
      .restored_unseen = false,
      .restored_behind = false,
      .told_again = told_again(scenario, origin),
      .lock = lock_of(flags.leader_elect),
      .requests_per_second = flags.loop.limits.requests_per_second,
      .burst = static_cast<std::size_t>(std::max(1, flags.loop.limits.burst)),
      .marked_within = marked_within(scenario, flags)};
  if (const auto begins = peace_begins(scenario, flags)) inputs.peace_begins = origin + *begins;
  for (const Step& step : scenario.timeline) {
    const rules::RuleInputs::Span span = span_of(step, origin);
    if (const auto doubt = nodes_in_doubt(step, origin)) inputs.nodes_in_doubt.push_back(*doubt);
    if (hides_leases(step)) inputs.leases_unwatched.push_back(span);
    if (lets_nobody_list_leases(step)) inputs.leases_unlisted.push_back(span);
    if (const Duration by = answers_writes_of_leases_late(step); by > Duration{0}) {
      inputs.answers_late.push_back({.during = span, .by = by});
    }
    if (holds_watches_of_nodes(step)) inputs.node_watch_held.push_back(span);
    if (holds_watches_of_leases(step)) inputs.lease_watch_held.push_back(span);
    if (mutates_nodes(step)) inputs.nodes_mutated.push_back(span);
    if (refuses_watches(step)) inputs.watches_refused.push_back(span);
    if (reads_single_leases_late(step)) inputs.leases_read_late.push_back(span);
    if (tells_of_what_is_lost(step, scenario)) inputs.restored_unseen = true;
    const bool restores = std::holds_alternative<Restore>(step.action);
    const auto taken = restores ? taken_at(step, scenario) : std::nullopt;
    if (restores && !taken) continue;
    if (restores || std::holds_alternative<Replay>(step.action)) {
      inputs.told_to_leaders_alone = true;
    }
    const auto outage = outage_by(step, origin);
    if (!outage) continue;
    if (taken && outage->until - (origin + *taken) <= policy.blind_after) {
      inputs.restored_at_once = true;
    }
    if (taken) note_who_missed(step, *taken, scenario, without_leader(flags.leader_elect), inputs);
    inputs.outages.push_back(*outage);
  }
  std::ranges::sort(inputs.outages, {}, &rules::RuleInputs::Outage::from);
  std::ranges::sort(inputs.leases_unlisted, {}, &rules::RuleInputs::Span::from);
  return inputs;
}

}  // namespace nlc::sim::scenario

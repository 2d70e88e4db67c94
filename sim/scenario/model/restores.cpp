#include "sim/scenario/model/restores.h"

#include <algorithm>

#include "sim/scenario/model/disturbances.h"

namespace nlc::sim::scenario {
namespace {

/// A restore of a case, and when its backup was taken.
struct TakenBack {
  const Step& restore;
  Duration taken;
};

std::vector<TakenBack> all_taken_back(const Scenario& scenario) {
  std::vector<TakenBack> all;
  for (const Step& step : scenario.timeline) {
    if (step.as<Restore>() == nullptr) continue;
    if (const auto taken = backup_of(step, scenario)) all.push_back({step, *taken});
  }
  return all;
}

/// A state of after the backup, which that restore took back.
bool is_lost(const PastMoment& state, const TakenBack& lost) {
  return state.at && *state.at > lost.taken && *state.at <= lost.restore.from;
}

/// Some replica saw nothing at a time between these, and leads or may lead later.
bool saw_nothing(Duration from, Duration until, const Scenario& scenario) {
  return std::ranges::any_of(scenario.timeline, [&](const Step& step) {
    const auto* signal = step.as<SignalController>();
    const bool pauses = signal != nullptr && signal->signal == SignalController::Signal::Pause;
    const bool overlaps = step.from <= until && (step.until <= step.from || step.until >= from);
    return (pauses || cuts_off(step)) && overlaps;
  });
}

/// A watch tells of a state that a restore had taken back.
bool tells_of_what_is_lost(const TakenBack& lost, const Scenario& scenario) {
  return has_step<Replay>(scenario, [&](const Replay& replay, const Step& step) {
    return step.from >= lost.restore.from && is_lost(replay.as_of, lost);
  });
}

/// Watches show nodes or pods as they were before a restore that they began after.
bool shows_what_is_lost(const TakenBack& lost, const Scenario& scenario) {
  return has_step<StaleReads>(scenario, [&](const StaleReads& reads, const Step& step) {
    return step.from >= lost.restore.from && reads.requests.verb == "WATCH" &&
           is_lost(reads.as_of, lost);
  });
}

/// No stream shows what leases are.
bool watches_no_leases(const Scenario& scenario) {
  return std::ranges::any_of(scenario.timeline, [](const Step& step) {
    return refuses_watches(step) && hides_leases(step);
  });
}

/// Behind a time in which it was away, or while nobody leads again, whose writes would show the
/// restore, a replica may believe what watches show from before it.
bool misleads(const TakenBack& lost, Duration without_leader, const Scenario& scenario) {
  const bool unled = saw_nothing(lost.taken - without_leader, lost.restore.from, scenario);
  return (unled || watches_no_leases(scenario)) && shows_what_is_lost(lost, scenario);
}

}  // namespace

std::optional<Duration> backup_of(const Step& restore, const Scenario& scenario) {
  std::optional<Duration> taken;
  for (const Step& step : scenario.timeline) {
    if (step.as<Backup>() == nullptr || step.from > restore.from) continue;
    taken = std::max(taken.value_or(step.from), step.from);
  }
  return taken;
}

rules::RuleInputs::Restores restores_of(const Scenario& scenario, const RestoreLimits& limits) {
  rules::RuleInputs::Restores restores;
  for (const TakenBack& lost : all_taken_back(scenario)) {
    const Duration at = lost.restore.from;
    const Duration back = at + lost.restore.as<Restore>()->down;
    const bool away = saw_nothing(lost.taken, at, scenario);
    const bool away_at_it = saw_nothing(at, at, scenario);
    const bool misled = misleads(lost, limits.without_leader, scenario);
    restores.unnoticed = restores.unnoticed || back - lost.taken <= limits.blind_after;
    restores.missed = restores.missed || away || misled || tells_of_what_is_lost(lost, scenario);
    restores.watched_across = restores.watched_across || misled || (away && !away_at_it);
  }
  return restores;
}

}  // namespace nlc::sim::scenario

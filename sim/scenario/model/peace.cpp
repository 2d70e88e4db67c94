#include "sim/scenario/model/peace.h"

#include <algorithm>

namespace nlc::sim::scenario {
namespace {

/// What kubelets do, and in which encoding a server answers.
bool is_no_trouble(const Action& action) {
  return is_one_of<Heartbeat, RenewLease, SpeakProtobuf, Remark>(action);
}

bool ends_a_process(const Action& action) {
  const auto* sent = std::get_if<SignalController>(&action);
  return sent != nullptr && (sent->signal == SignalController::Signal::Stop ||
                             sent->signal == SignalController::Signal::Kill);
}

/// For how long it goes on when its step is over.
Duration afterwards(const Action& action) {
  if (const auto* restore = std::get_if<Restore>(&action)) return restore->down;
  if (const auto* restart = std::get_if<RestartController>(&action)) return restart->down;
  return Duration{0};
}

/// One that acts.
bool starts_after(const Scenario& scenario, Duration offset) {
  return has_step<StartController>(scenario, [offset](const auto& start, const Step& step) {
    const bool observes = std::ranges::count(start.flags, "observe", &Settings::value_type::first);
    return step.from >= offset && !observes;
  });
}

bool any_restarts_by_itself(const Scenario& scenario) {
  return has_step<StartController>(
      scenario, [](const auto& start, const Step&) { return start.restarts.has_value(); });
}

/// A write that the server refuses for good, or that others undo again and again, is tried again
/// after the longest back-off.
bool defeats_writes(const Step& step) {
  if (step.every && !is_no_trouble(step.action)) return true;
  if (const auto* admission = step.as<Admission>()) {
    return admission->action == Admission::Action::Refuse ||
           admission->action == Admission::Action::Mutate;
  }
  const auto* fault = step.as<FailApi>();
  if (fault == nullptr || fault->action != FailApi::Action::Answer) return false;
  const int status = fault->respond.status;
  return status >= 400 && status < 500 && status != 401 && status != 409 && status != 429;
}

/// What is due of each object, where half of a limit is left for it.
Duration waits_for_limit(const Scenario& scenario, double requests_per_second) {
  if (requests_per_second <= 0) return Duration{0};
  constexpr double of_each_object = 10;
  const double seconds = 2 * of_each_object * static_cast<double>(scenario.given.size());
  return std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds / requests_per_second));
}

constexpr Duration longest_back_off = std::chrono::minutes(5);

}  // namespace

bool lasts(const Action& action) {
  if (const auto* link = std::get_if<SetLink>(&action)) return link->link != Link::Up;
  if (const auto* calendar = std::get_if<SetCalendar>(&action)) {
    return calendar->offset != Duration{0};
  }
  if (const auto* sent = std::get_if<SignalController>(&action)) {
    return sent->signal == SignalController::Signal::Pause;
  }
  return is_one_of<FailApi, HoldCache, PauseApi, Admission, StaleReads, ServerClockOff,
                   ShortHistory, SmallPages>(action);
}

std::optional<Duration> peace_begins(const Scenario& scenario, const program::Flags& flags) {
  const bool exits =
      flags.leader_elect.enabled && flags.leader_elect.on_lost == program::OnLost::Exit;
  if (exits && !any_restarts_by_itself(scenario)) return std::nullopt;
  // Without any start the controller is there from the beginning.
  const bool starts = has_step<StartController>(scenario);
  if (starts && !starts_after(scenario, Duration{0})) return std::nullopt;
  Duration begins{0};
  for (const Step& step : scenario.timeline) {
    if (is_no_trouble(step.action)) continue;
    const bool has_end = step.until > step.from;
    const bool any_time = step.when || (step.before_request && !has_end);
    if (any_time || (lasts(step.action) && !has_end)) return std::nullopt;
    if (ends_a_process(step.action) && !starts_after(scenario, step.until)) return std::nullopt;
    begins = std::max(begins, std::max(step.from, step.until) + afterwards(step.action));
  }
  return begins;
}

Duration without_leader(const program::LeaderElectFlags& elect) {
  if (!elect.enabled) return Duration{0};
  return 2 * elect.lease_duration + 3 * elect.retry_period + std::chrono::seconds(10);
}

Duration marked_within(const Scenario& scenario, const program::Flags& flags) {
  const controller::Policy& policy = flags.loop.policy;
  const bool defeated = std::ranges::any_of(scenario.timeline, defeats_writes);
  return 2 * policy.monitor_grace + policy.monitor_period + without_leader(flags.leader_elect) +
         usual_delays + (defeated ? longest_back_off : Duration{0}) +
         waits_for_limit(scenario, flags.loop.limits.requests_per_second);
}

}  // namespace nlc::sim::scenario

#include "sim/scenario/stage/replica_steps.h"

#include <algorithm>
#include <utility>

namespace nlc::sim::scenario {
namespace {

constexpr Duration other_leader_period = std::chrono::seconds(2);

}  // namespace

std::optional<std::string> ReplicaSteps::replica_of(const Target& target, const Step& step) {
  if (!target.leader) return target.replica;
  const std::vector<std::string> leaders = env_.replicas.leaders();
  if (!leaders.empty()) return leaders.front();
  env_.timetable.cannot(step, "nobody leads");
  return std::nullopt;
}

/// Of several requests of one moment each calls for the step, and a process obeys after them.
bool ReplicaSteps::was_taken_now(const Step& step) {
  const Duration now = env_.timetable.offset();
  const auto [taken, first] = taken_at_.emplace(&step, now);
  return !first && std::exchange(taken->second, now) == now;
}

Replicas::Refused ReplicaSteps::cannot(const Step& step) {
  return [this, &step](const std::string& why) { env_.timetable.cannot(step, why); };
}

void ReplicaSteps::take(const StartController& start, const Step& step) {
  if (env_.replicas.process(start.replica) != nullptr) {
    return env_.timetable.cannot(step, "what is to start runs already, or is still stopping");
  }
  if (start.held_until) hold_leadership(*start.held_until);
  if (start.restarts) env_.replicas.restarts_by_itself(start.replica, *start.restarts);
  env_.replicas.start(start.replica);
}

void ReplicaSteps::take(const SignalController& sent, const Step& step) {
  if (was_taken_now(step)) return;
  const auto replica = replica_of(sent.target, step);
  if (!replica) return;
  const bool lasts = sent.signal == Replicas::Signal::Pause && Timetable::has_end(step);
  if (lasts) return pause(*replica, step);
  env_.replicas.signal(*replica, sent.signal, cannot(step));
}

/// Pauses that overlap are one, to the end of the last. That wakes no later life.
void ReplicaSteps::pause(const std::string& name, const Step& step) {
  const Duration now = env_.timetable.offset();
  LastingPause& lasting = pauses_[name];
  if (lasting.until >= now && env_.replicas.is_paused(name)) {
    lasting.until = std::max(lasting.until, step.until);
  } else {
    env_.replicas.signal(name, Replicas::Signal::Pause, cannot(step));
    lasting = {.from = now, .until = step.until};
  }
  env_.timetable.at_end_of(step, [this, name, until = step.until] {
    const LastingPause& last = pauses_[name];
    if (last.until != until || env_.replicas.began(name) > last.from) return;
    env_.replicas.signal(name, Replicas::Signal::Resume);
  });
}

void ReplicaSteps::take(const RestartController& restart, const Step& step) {
  if (was_taken_now(step)) return;
  const auto replica = replica_of(restart.target, step);
  if (replica) env_.replicas.restart(*replica, restart.down, cannot(step));
}

void ReplicaSteps::take(const SetLink& cut, const Step& step) {
  const auto replica = replica_of(cut.target, step);
  if (!replica) return;
  env_.timetable.keep(
      "link of " + *replica, step,
      [this, name = *replica, link = cut.link] { env_.replicas.set_link(name, link); },
      [this, name = *replica] {
        env_.timetable.story().tell(
            "step", "the link of " + (name.empty() ? "the controller" : name) + " is up");
        env_.replicas.set_link(name, Link::Up);
      });
}

void ReplicaSteps::take(const SetCalendar& calendar, const Step& step) {
  const auto replica = replica_of(calendar.target, step);
  if (!replica) return;
  const auto set = [this, name = *replica](Duration ahead) {
    env_.replicas.set_calendar(name, ahead);
  };
  env_.timetable.keep("calendar of " + *replica, step, set, calendar.offset, Duration{0});
}

/// Somebody else renews the lease, for the last time so that it runs out then.
void ReplicaSteps::hold_leadership(Duration until) {
  const program::LeaderElectFlags& elect = env_.leader_elect;
  const Duration last = until - elect.lease_duration;
  const WallTime renewed =
      env_.time.wall_now() + std::chrono::floor<std::chrono::microseconds>(
                                 std::min(last - env_.timetable.offset(), Duration{0}));
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(elect.lease_duration);
  env_.external_actors.put(
      {{"apiVersion", "coordination.k8s.io/v1"},
       {"kind", "Lease"},
       {"metadata", {{"name", elect.resource_name}, {"namespace", elect.resource_namespace}}},
       {"spec",
        {{"holderIdentity", "somebody-else"},
         {"leaseDurationSeconds", seconds.count()},
         {"renewTime", rfc3339_micro(renewed)}}}});
  if (env_.timetable.offset() >= last) return;
  env_.timetable.at(std::min(last, env_.timetable.offset() + other_leader_period),
                    [this, until] { hold_leadership(until); });
}

}  // namespace nlc::sim::scenario

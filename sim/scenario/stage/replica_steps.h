#pragma once

#include <map>
#include <optional>
#include <string>

#include "program/flags.h"
#include "sim/scenario/model/steps.h"
#include "sim/scenario/stage/external_actors.h"
#include "sim/scenario/stage/replicas.h"
#include "sim/scenario/stage/timetable.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

/// What happens to the controller's replicas and their machines: one function for each kind of
/// step.
class ReplicaSteps {
 public:
  struct Env {
    VirtualTime& time;
    Replicas& replicas;
    ExternalActors& external_actors;
    const program::LeaderElectFlags& leader_elect;
    Timetable& timetable;
  };
  explicit ReplicaSteps(Env env) : env_(env) {}

  void take(const StartController& start, const Step& step);
  void take(const SignalController& signal, const Step& step);
  void take(const RestartController& restart, const Step& step);
  void take(const SetLink& link, const Step& step);
  void take(const SetCalendar& calendar, const Step& step);

 private:
  std::optional<std::string> replica_of(const Target& target, const Step& step);
  bool was_taken_now(const Step& step);
  void pause(const std::string& name, const Step& step);
  /// What is refused cannot be taken as a step; the step outlives it.
  Replicas::Refused cannot(const Step& step);
  void hold_leadership(Duration until);

  struct LastingPause {
    Duration from{0};
    Duration until{0};
  };

  const Env env_;
  std::map<std::string, LastingPause> pauses_;  ///< the last of each replica that has an end
  std::map<const Step*, Duration> taken_at_;    ///< when each was taken last, as an offset
};

}  // namespace nlc::sim::scenario

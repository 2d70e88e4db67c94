#pragma once

#include <functional>

#include "sim/apiserver/api_server.h"
#include "sim/scenario/model/steps.h"
#include "sim/scenario/stage/admissions.h"
#include "sim/scenario/stage/old_states.h"
#include "sim/scenario/stage/request_interceptor.h"
#include "sim/scenario/stage/timetable.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

/// What happens to the API server and on the way to it: one function for each kind of step.
class ServerSteps {
 public:
  struct Env {
    VirtualTime& time;
    ApiServer& server;
    Admissions& admissions;
    RequestInterceptor& interceptor;
    Timetable& timetable;
    std::function<void()> answers_again;  ///< a pause is over
    std::function<void()> restoring;      ///< a backup takes the place of what is there
    std::function<void()> restored;
  };
  explicit ServerSteps(Env env);

  void take(const FailApi& failure, const Step& step);
  void take(const HoldCache& hold, const Step& step);
  void take(const PauseApi& pause, const Step& step);
  void take(const Backup& backup, const Step& step);
  void take(const Restore& restore, const Step& step);
  void take(const Admission& admission, const Step& step);
  void take(const StaleReads& reads, const Step& step);
  void take(const ServerClockOff& off, const Step& step);
  void take(const EndWatches& end, const Step& step);
  void take(const ShortHistory& history, const Step& step);
  void take(const SmallPages& pages, const Step& step);
  void take(const SpeakProtobuf& speak, const Step& step);
  void take(const Replay& replay, const Step& step);

  /// `step` will ask for the cluster as it was at some moment, which is to be kept when it comes.
  /// Before anything else happens at that moment.
  void keep_for(const Step& step);

 private:
  void be_gone_until(Instant back);
  void bring_back(bool bump_revision);

  Env env_;
  OldStates old_states_;
};

}  // namespace nlc::sim::scenario

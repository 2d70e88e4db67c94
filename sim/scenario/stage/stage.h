#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "program/flags.h"
#include "runtime/result.h"
#include "sim/apiserver/api_server.h"
#include "sim/rules/rules.h"
#include "sim/scenario/model/scenario.h"
#include "sim/scenario/stage/admissions.h"
#include "sim/scenario/stage/beating.h"
#include "sim/scenario/stage/change_log.h"
#include "sim/scenario/stage/external_actors.h"
#include "sim/scenario/stage/old_states.h"
#include "sim/scenario/stage/onlooker.h"
#include "sim/scenario/stage/replicas.h"
#include "sim/scenario/stage/request_interceptor.h"
#include "sim/scenario/stage/story.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

struct StageOptions {
  std::vector<std::pair<std::string, std::string>> flags;  ///< win over those of the case
  Story::Listener trace;
  std::uint64_t seed = 7;
  std::optional<std::uint64_t>
      stop_at_write;      ///< the process dies with that write, and starts anew
  bool keep_log = false;  ///< for those who want to read it afterwards
  bool judge = false;     ///< by the rules that hold on every day
};

/// A case, performed: the embedded API server with what is given, the controller, and what the
/// timeline brings, in virtual time. Knows nothing of expectations; whoever wants to know what
/// happened reads the storage, the door and the changes.
class Stage {
 public:
  /// Fails when the controller does not take the flags. The scenario must outlive the stage.
  static Result<std::unique_ptr<Stage>> open(const Scenario& scenario, StageOptions options);

  /// The next moment at which something happens, as an offset.
  Duration next() const;
  /// Lets time pass up to and including that moment.
  void run_until(Duration offset);

  /// Tells it of everything from now on; it must outlive the stage.
  void show_to(Onlooker& onlooker);

  Duration offset() const { return story_.offset(); }
  Instant origin() const { return story_.origin(); }
  WallTime start() const { return scenario_.start; }
  const Storage& storage() const { return server_.storage(); }
  const RequestInterceptor& interceptor() const { return interceptor_; }
  const ChangeLog& changes() const { return *changes_; }
  /// Null where nobody judges.
  const rules::Rules* rules() const { return rules_ ? &*rules_ : nullptr; }
  const program::Flags& flags() const { return flags_; }
  /// Which of the controllers of kube-controller-manager the flags let run.
  bool runs(const std::string& controller) const;
  const Replicas& replicas() const { return *replicas_; }
  const std::vector<LogLine>& log() const { return log_; }
  /// Steps that could not be taken when their time came: such a case has said nothing.
  const std::vector<Failure>& impossible() const { return impossible_; }

 private:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  Stage(const Scenario& scenario, StageOptions options, Settings settings, program::Flags flags);

  void load_given();
  void keep_old_states();
  void schedule(const Step& step);
  void at(Duration offset, std::function<void()> work);
  void repeat(const Step& step, Duration offset);
  void beat(const Beating::Part& part, const Beat& beat);
  void tell_of_beats(const Step& step, bool arrived);
  void begin(const Step& step);
  void perform(const Step& step);
  void write(const Step& step);
  void write_after_pause();
  void settle();
  void record(ChangeLog::Author author);

  // stage_steps.cpp: one for each kind of step that is no write of somebody else's.
  void take(const FailApi& failure, const Step& step);
  void take(const HoldCache& hold, const Step& step);
  void take(const PauseApi& pause, const Step& step);
  void take(const Backup& backup, const Step& step);
  void take(const Restore& restore, const Step& step);
  void take(const Admission& admission, const Step& step);
  void take(const StaleReads& reads, const Step& step);
  void take(const ServerClockOff& off, const Step& step);
  void take(const EndWatches& end, const Step& step);
  void take(const Replay& replay, const Step& step);
  void take(const StartController& start, const Step& step);
  void take(const StopController& stop, const Step& step);
  void take(const KillController& kill, const Step& step);
  void take(const PauseController& pause, const Step& step);
  void take(const ResumeController& resume, const Step& step);
  void take(const RestartController& restart, const Step& step);
  void take(const SetLink& link, const Step& step);
  void take(const SetCalendar& calendar, const Step& step);
  void take(const Remark& remark, const Step& step);
  std::optional<std::string> replica_of(const Target& target, const Step& step);
  void cannot(const Step& step, const std::string& why);
  Instant end_of(const Step& step) const;
  void be_gone_until(Instant back);
  void bring_back(bool bump_revision);
  void store_later(Duration delay, std::function<void()> store);
  void hold_leadership(Duration until);

  const Scenario& scenario_;
  const StageOptions options_;
  const Settings settings_;
  const program::Flags flags_;
  VirtualTime time_;
  Story story_;
  ApiServer server_;
  Admissions admissions_{time_};
  OldStates old_states_{time_, time_};
  ExternalActors external_actors_;
  RequestInterceptor interceptor_;
  Beating beating_;
  Onlooker* onlooker_ = nullptr;
  std::optional<ChangeLog> changes_;
  std::optional<rules::Rules> rules_;
  std::vector<const Step*> awaited_;      ///< until their `when` is true
  std::vector<const Step*> after_pause_;  ///< writes that wait for the server
  std::vector<Timer> timers_;
  std::vector<LogLine> log_;
  std::vector<Failure> impossible_;
  std::optional<Replicas> replicas_;  ///< last: they hold on to all the others
};

}  // namespace nlc::sim::scenario

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/result.h"
#include "sim/apiserver/api_server.h"
#include "sim/rules/rules.h"
#include "sim/scenario/model/scenario.h"
#include "sim/scenario/stage/admissions.h"
#include "sim/scenario/stage/case_flags.h"
#include "sim/scenario/stage/change_log.h"
#include "sim/scenario/stage/external_actors.h"
#include "sim/scenario/stage/heartbeat_steps.h"
#include "sim/scenario/stage/onlooker.h"
#include "sim/scenario/stage/replica_steps.h"
#include "sim/scenario/stage/replicas.h"
#include "sim/scenario/stage/request_interceptor.h"
#include "sim/scenario/stage/server_steps.h"
#include "sim/scenario/stage/story.h"
#include "sim/scenario/stage/timetable.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

struct StageOptions {
  Settings flags;  ///< win over those of the case
  Story::Listener trace;
  std::uint64_t seed = 7;
  std::optional<std::uint64_t>
      stop_at_write;      ///< the process dies with that write, and starts anew
  bool keep_log = false;  ///< for those who want to read it afterwards
  bool judge = false;     ///< by the rules that hold on every day
};

/// A case, performed: the embedded API server with what is given, the controller, and what the
/// timeline brings, in virtual time. Knows nothing of expectations; whoever wants to know what
/// happened reads the storage, the interceptor and the changes.
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
  const program::Flags& flags() const { return flags_.common; }
  /// Which of the controllers of kube-controller-manager the flags let run.
  bool runs(const std::string& controller) const;
  const Replicas& replicas() const { return replicas_; }
  const std::vector<LogLine>& log() const { return replicas_.log(); }
  /// Steps that could not be taken when their time came: such a case has said nothing.
  const std::vector<Failure>& impossible() const { return timetable_.impossible(); }

 private:
  Stage(const Scenario& scenario, StageOptions options, CaseFlags flags);

  void schedule(const Step& step);
  void repeat(const Step& step, Duration offset);
  void send(const HeartbeatSteps::Part& part, const TimedHeartbeat& heartbeat);
  void tell_of_heartbeats(const Step& step, bool arrived);
  void begin(const Step& step);
  void perform(const Step& step);
  void write(const Step& step);
  void write_after_pause();
  void tell_of_requests();
  void settle();
  void begin_anew();
  void record(ChangeLog::Author author);
  void store_later(Duration delay, std::function<void()> store);

  const Scenario& scenario_;
  const StageOptions options_;
  const CaseFlags flags_;
  VirtualTime time_;
  Story story_;
  ApiServer server_;
  Admissions admissions_{time_};
  Timetable timetable_{time_, story_};
  ExternalActors external_actors_{
      {.server = server_,
       .clock = time_,
       .admissions = admissions_,
       .later = [this](Duration delay, auto store) { store_later(delay, std::move(store)); }}};
  RequestInterceptor interceptor_{{time_, time_, server_, admissions_, story_, options_.seed}};
  ServerSteps server_steps_{{.time = time_,
                             .server = server_,
                             .admissions = admissions_,
                             .interceptor = interceptor_,
                             .timetable = timetable_,
                             .answers_again = [this] { write_after_pause(); },
                             .restoring = [this] { record(ChangeLog::Author::Controller); },
                             .restored = [this] { begin_anew(); }}};
  HeartbeatSteps heartbeat_steps_{
      {.executor = time_,
       .origin = origin(),
       .seed = options_.seed,
       .perform = [this](const auto& part, const auto& what) { send(part, what); }}};
  Onlooker* onlooker_ = nullptr;
  std::optional<ChangeLog> changes_;
  std::optional<rules::Rules> rules_;
  std::size_t judged_requests_ = 0;       ///< of those that were sent
  std::vector<const Step*> awaited_;      ///< until their `when` is true
  std::vector<const Step*> after_pause_;  ///< writes that wait for the server
  Replicas replicas_;                     ///< last: they hold on to all the others
  ReplicaSteps replica_steps_{{.time = time_,
                               .replicas = replicas_,
                               .external_actors = external_actors_,
                               .leader_elect = flags_.common.leader_elect,
                               .timetable = timetable_}};
};

}  // namespace nlc::sim::scenario

#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/flags.h"
#include "runtime/result.h"
#include "sim/api_server.h"
#include "sim/scenario/beating.h"
#include "sim/scenario/chronicle.h"
#include "sim/scenario/door.h"
#include "sim/scenario/onlooker.h"
#include "sim/scenario/outsider.h"
#include "sim/scenario/process.h"
#include "sim/scenario/scenario.h"
#include "sim/scenario/story.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

struct StageOptions {
  std::vector<std::pair<std::string, std::string>> flags;  ///< win over those of the case
  Story::Listener trace;
  std::uint64_t seed = 7;
  std::optional<std::uint64_t>
      stop_at_write;  ///< the process dies with that write, and starts anew
};

/// A case, performed: the embedded API server with what is given, the controller, and what the
/// timeline brings, in virtual time. Knows nothing of expectations; whoever wants to know what
/// happened reads the storage, the door and the chronicle.
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
  const Door& door() const { return door_; }
  const Chronicle& chronicle() const { return *chronicle_; }
  const controller::Flags& flags() const { return flags_; }
  /// Which of the controllers of kube-controller-manager the flags let run.
  bool runs(const std::string& controller) const;
  /// Null before the start and between two lives.
  const Process* process() const { return process_.get(); }
  /// When the present life began.
  Duration began() const { return began_; }

 private:
  using Settings = std::vector<std::pair<std::string, std::string>>;

  Stage(const Scenario& scenario, StageOptions options, Settings settings, controller::Flags flags);

  void load_given();
  void schedule(const Step& step);
  void at(Duration offset, std::function<void()> work);
  void repeat(const Step& step, Duration offset);
  void beat(const Beating::Part& part, const Beat& beat);
  void tell_of_beats(const Step& step, bool arrived);
  void begin(const Step& step);
  void perform(const Step& step);
  void write(const Step& step);
  void write_after_pause();
  void hold(const HoldCache& hold, const Step& step);
  void pause(const Step& step);
  void start_process();
  void start_standby(const StartController& start);
  void hold_leadership(Duration until);
  void kill_process(Duration down);
  void settle();

  const Scenario& scenario_;
  const StageOptions options_;
  const Settings settings_;
  const controller::Flags flags_;
  VirtualTime time_;
  Story story_;
  StoryLog log_{story_};
  ApiServer server_;
  Outsider outsider_{server_, time_};
  Door door_;
  Beating beating_;
  Onlooker* onlooker_ = nullptr;
  std::optional<Chronicle> chronicle_;
  std::vector<const Step*> awaited_;      ///< until their `when` is true
  std::vector<const Step*> after_pause_;  ///< writes that wait for the server
  std::vector<Timer> timers_;
  Duration began_{0};
  std::uint64_t lives_ = 0;
  std::unique_ptr<Process> process_;
};

}  // namespace nlc::sim::scenario

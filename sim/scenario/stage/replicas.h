#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "sim/rules/rules.h"
#include "sim/scenario/model/replica_steps.h"
#include "sim/scenario/stage/case_flags.h"
#include "sim/scenario/stage/process.h"
#include "sim/scenario/stage/request_interceptor.h"
#include "sim/scenario/stage/story.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

/// The controller's replicas by name, each on a machine of its own: a process, or none at the
/// moment, with its link to the server and its calendar. All of them have the same flags but for
/// those with flags of their own. Where a case names no replica there is one, whose name is empty.
///
/// Processes end between two pieces of work and never inside one: whoever asks for it may be in the
/// middle of a request of that very process.
class Replicas {
 public:
  using Signal = SignalController::Signal;
  /// Hears why something could not be done when its turn came.
  using Refused = std::function<void(const std::string& why)>;
  struct Env {
    VirtualTime& time;
    RequestInterceptor& interceptor;
    const Story& story;
    const CaseFlags& flags;
    std::uint64_t seed;
    bool keep_log = false;
  };
  explicit Replicas(Env env);
  ~Replicas();
  Replicas(const Replicas&) = delete;
  Replicas& operator=(const Replicas&) = delete;

  /// One that runs goes on.
  void start(const std::string& name);
  /// When it ends by itself with an error it starts anew so much later.
  void restarts_by_itself(const std::string& name, Duration down) { restarts_[name] = down; }
  /// One that is paused is stopped when it is resumed. Refused is what would change nothing: none
  /// runs, or it is stopping or paused already, or is not paused.
  void signal(const std::string& name, Signal signal, Refused refused = unheard);
  /// Kills it; a new process without memory starts so much later, unless it is started or killed
  /// before. Refused where none runs.
  void restart(const std::string& name, Duration down, Refused refused = unheard);
  void set_link(const std::string& name, Link link);
  /// How far the calendar of its machine is ahead.
  void set_calendar(const std::string& name, Duration ahead);

  /// Its flags let it do nothing.
  bool observes(const std::string& name) const;
  /// Its process's name in the election, of its last life between two; empty where it contends for
  /// nothing that it could write by, or by flags of its own.
  std::string contends_as(const std::string& name) const;
  /// Null before its start and between two lives.
  const Process* process(const std::string& name) const;
  bool is_paused(const std::string& name) const;
  /// When the present life of that replica began.
  Duration began(const std::string& name) const;
  /// Those that may write at this moment, in the order of their names.
  std::vector<std::string> leaders() const;
  /// The same, as the rules know them.
  std::vector<rules::Rules::Leader> leading_lives() const;
  /// Whether those are others than when this was asked last; at first there were none.
  bool leaders_changed();
  /// In the order of their names.
  std::vector<std::string> running() const;
  /// Who is asked where no replica is named: the only one; of several the one that leads, and null
  /// while none or more than one does.
  const Process* spokesman() const;
  /// The lines of all logs, where they are kept.
  const std::vector<LogLine>& log() const { return log_; }
  /// Whether every replica that was ever started runs.
  bool all_run() const;

 private:
  class Machine;

  static void unheard(const std::string&) {}
  Machine& machine(const std::string& name);
  void post(std::function<void()> work);

  const Env env_;
  std::vector<LogLine> log_;
  std::map<std::string, std::unique_ptr<Machine>> machines_;
  std::map<std::string, Duration> restarts_;
  std::vector<Timer> timers_;
};

}  // namespace nlc::sim::scenario

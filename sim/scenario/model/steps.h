#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "runtime/time.h"
#include "sim/scenario/model/object_steps.h"
#include "sim/scenario/model/replica_steps.h"
#include "sim/scenario/model/server_steps.h"

/// What can happen on a timeline. All of it comes from outside the controller.
namespace nlc::sim::scenario {

/// A remark, or something that nobody outside can bring about.
struct Remark {
  std::string text;
};

using Action =
    std::variant<Apply, MergePatch, ApplyPatch, Delete, Heartbeat, RenewLease, FailApi, HoldCache,
                 PauseApi, Backup, Restore, Admission, StaleReads, ServerClockOff, EndWatches,
                 ShortHistory, SmallPages, SpeakProtobuf, Replay, StartController, SignalController,
                 RestartController, SetLink, SetCalendar, Remark>;

/// Something that is true of one object: "node0 Ready is Unknown", "node0 has k:NoExecute",
/// "pod0 deletion requested".
struct Fact {
  enum class Kind : std::uint8_t { Condition, HasTaint, LacksTaint, DeletionRequested, Exists };
  std::string object;  ///< a node's name, or a pod's, with or without its namespace
  Kind kind = Kind::Exists;
  std::string condition;
  std::string status;
  TaintName taint;
  std::string text;  ///< as the file says it
};

struct Step {
  Duration from{0};
  Duration until{0};              ///< of repeated and lasting steps; else equal to `from`
  std::optional<Duration> every;  ///< repeats from `from` until `until`, both included
  std::optional<Fact> when;       ///< once, as soon as this is true after `from`
  std::optional<RequestFilter> before_request;  ///< just before such a request is executed
  std::optional<std::uint64_t> times;           ///< of `before_request`
  Action action;
  std::string text;  ///< for the trace
  int line = 0;      ///< where it stands in its file

  /// Null where it is an action of another kind.
  template <typename Kind>
  const Kind* as() const {
    return std::get_if<Kind>(&action);
  }
};

template <typename... Kinds>
bool is_one_of(const Action& action) {
  return (std::holds_alternative<Kinds>(action) || ...);
}

}  // namespace nlc::sim::scenario

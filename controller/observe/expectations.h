#pragma once

#include <map>
#include <optional>
#include <string>

#include "controller/decisions/decisions.h"
#include "controller/observe/matcher.h"
#include "controller/rules/view.h"
#include "controller/server/api_server_health.h"

namespace nlc::controller::observe {

/// What ours would have done about what others do, and why the two may differ: told by what ours
/// knows, which decides nothing here.
///
/// On one thread; it reads the view and the decisions by reference.
class Expectations {
 public:
  struct Env {
    View view;
    const Decisions& decisions;
    const ApiServerHealth& server;
  };
  explicit Expectations(Env env) : env_(env) {}

  /// When it would be decided here if nothing changes; nothing: never, and why not.
  struct Expected {
    std::optional<Instant> due;
    Why why = {};
  };
  static constexpr Instant unknown = Instant::max();  ///< some time, nobody knows when

  /// Of a change of that node, which the view shows and the decisions have not been told.
  Expected of(const Change& change, Slot slot, const api::Node& before, const api::Node& node,
              Instant now) const;
  /// Of the deletion of that pod, told in the same way.
  Expected of_deletion(Slot slot, const api::Pod& pod, Instant now) const;
  /// Of one that was seen and is still open.
  Expected of(const Matcher::Open& open, Instant now) const;

  // Why nobody else did what was decided here at `ours`.

  Why why_dropped(const Change& change, Instant ours, Instant now) const;
  Why why_given_up(const Change& change, Instant ours) const;

  // What that is told by.

  /// The moment has come on: is judgement held?
  void follow(Instant now);
  /// A NoExecute taint of such a controller appeared.
  void taint_seen(Slot slot, Instant now);

 private:
  bool is_paused(const Change& change, Slot node) const;
  Expected silence(Slot slot, Instant now) const;
  Expected taint_added(const Change& change, Slot slot, const api::Node& before,
                       const api::Node& node, Instant now) const;
  Expected turn(Slot slot, Instant now) const;
  Expected taint_removed(const Change& change, const api::Node& node, Instant now) const;
  std::optional<Why> keeps(const api::Pod& pod, const TaintEviction::Timer& timer,
                           Instant now) const;
  Expected never(Instant now, Why why = {}) const;
  std::optional<Slot> slot_of(const Change& change) const;
  bool was_held_since(Instant when) const { return held_ && *held_ >= when; }
  bool zone_moved_since(const Change& change, Instant when) const;

  const Env env_;
  std::optional<Instant> held_;                  ///< the last moment of it
  std::map<std::string, Instant> last_turns_{};  ///< by zone: the last taint that was seen
};

}  // namespace nlc::controller::observe

#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sim/scenario/model/outcome.h"
#include "sim/scenario/model/steps.h"
#include "sim/scenario/stage/story.h"
#include "sim/virtual_time.h"

namespace nlc::sim::scenario {

/// What is to happen when, as offsets from the start of a case, and what could not happen.
class Timetable {
 public:
  Timetable(VirtualTime& time, Story& story) : time_(time), story_(story) {}

  Duration offset() const { return story_.offset(); }
  Story& story() { return story_; }

  void at(Duration offset, std::function<void()> work);
  /// When a lasting step is over; never for one that goes on for ever.
  void at_end_of(const Step& step, std::function<void()> work);
  /// A state that is so while the step lasts. Of several steps about one thing that which began
  /// last has its way; once that is over the one before it has, if it still lasts, or `back` is
  /// called.
  void keep(const std::string& thing, const Step& step, std::function<void()> set,
            std::function<void()> back);
  /// The same of a value, and of what it is otherwise.
  template <typename Set, typename Value>
  void keep(const std::string& thing, const Step& step, Set set, Value value, Value otherwise) {
    keep(
        thing, step, [set, value] { set(value); }, [set, otherwise] { set(otherwise); });
  }
  static bool has_end(const Step& step) { return step.until > step.from; }
  Instant end_of(const Step& step) const;

  /// A step that could not be taken when its time came: such a case has said nothing.
  void cannot(const Step& step, const std::string& why);
  const std::vector<Failure>& impossible() const { return impossible_; }

 private:
  struct Kept {
    std::uint64_t number;
    std::function<void()> set;
  };
  void end(const std::string& thing, std::uint64_t number, const std::function<void()>& back);

  VirtualTime& time_;
  Story& story_;
  std::vector<Timer> timers_;
  std::map<std::string, std::vector<Kept>> kept_;  ///< by what they are about, as they began
  std::uint64_t kept_ever_ = 0;
  std::vector<Failure> impossible_;
};

}  // namespace nlc::sim::scenario

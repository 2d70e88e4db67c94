#include "sim/scenario/stage/timetable.h"

#include <utility>

namespace nlc::sim::scenario {

void Timetable::at(Duration offset, std::function<void()> work) {
  timers_.push_back(time_.run_at(story_.origin() + offset, std::move(work)));
}

void Timetable::at_end_of(const Step& step, std::function<void()> work) {
  if (has_end(step)) at(step.until, std::move(work));
}

Instant Timetable::end_of(const Step& step) const {
  return has_end(step) ? story_.origin() + step.until : Instant::max();
}

void Timetable::cannot(const Step& step, const std::string& why) {
  impossible_.push_back(
      {.expectation = step.text, .seen = "at " + offset_text(offset()) + ": " + why});
  story_.tell("step", why);
}

}  // namespace nlc::sim::scenario

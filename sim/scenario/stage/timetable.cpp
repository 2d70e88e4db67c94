#include "sim/scenario/stage/timetable.h"

#include <utility>

namespace nlc::sim::scenario {

void Timetable::at(Duration offset, std::function<void()> work) {
  timers_.push_back(time_.run_at(story_.origin() + offset, std::move(work)));
}

void Timetable::at_end_of(const Step& step, std::function<void()> work) {
  if (has_end(step)) at(step.until, std::move(work));
}

void Timetable::keep(const std::string& thing, const Step& step, std::function<void()> set,
                     std::function<void()> back) {
  set();
  const std::uint64_t number = ++kept_ever_;
  kept_[thing].push_back({number, std::move(set)});
  at_end_of(step, [this, thing, number, back = std::move(back)] { end(thing, number, back); });
}

void Timetable::end(const std::string& thing, std::uint64_t number,
                    const std::function<void()>& back) {
  std::vector<Kept>& kept = kept_[thing];
  const bool had_its_way = kept.back().number == number;
  std::erase_if(kept, [number](const Kept& one) { return one.number == number; });
  if (!had_its_way) return;
  kept.empty() ? back() : kept.back().set();
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

#include "sim/scenario/viewing.h"

#include <algorithm>

namespace nlc::sim::scenario {

Duration end_of(const Scenario& scenario) {
  Duration end{0};
  for (const Step& step : scenario.timeline) end = std::max(end, step.until);
  for (const Expectation& expectation : scenario.expect) {
    end = std::max(end, expectation.when.until);
  }
  return end;
}

std::optional<Error> view(const Scenario& scenario, const Viewing& viewing) {
  auto stage = Stage::open(scenario, {.flags = viewing.flags, .trace = {}, .seed = viewing.seed});
  if (!stage) return stage.error();
  viewing.begin(**stage);
  const Duration end = end_of(scenario);
  const bool each = viewing.every == Duration{0};
  for (Duration stop{0};; stop = each ? end : std::min(stop + viewing.every, end)) {
    while ((*stage)->next() <= stop) {
      (*stage)->run_until((*stage)->next());
      if (each) viewing.look(**stage);
    }
    (*stage)->run_until(stop);
    viewing.look(**stage);
    if (stop == end) return std::nullopt;
  }
}

}  // namespace nlc::sim::scenario

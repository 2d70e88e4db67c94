#include "sim/scenario/reading/limits.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/scenario/model/chance.h"

namespace nlc::sim::scenario {
namespace {

constexpr Duration longest = std::chrono::hours(7 * 24);
constexpr std::int64_t most_happenings = 5'000'000;

std::int64_t happenings_of(const Step& step) {
  const auto each = static_cast<std::int64_t>(heartbeat_nodes(step).size());
  const std::int64_t times = step.every ? (step.until - step.from) / *step.every + 1 : 1;
  return std::min(times, most_happenings + 1) * std::max<std::int64_t>(each, 1);
}

bool in_time(Duration moment, int line, Problems& problems) {
  if (moment <= longest && moment >= -longest) return true;
  problems.add(line, go_duration(moment) + " found, at most " + go_duration(longest) +
                         " (seven days) expected");
  return false;
}

}  // namespace

void check_limits(const Scenario& scenario, Problems& problems) {
  std::int64_t happenings = 0;
  for (const Step& step : scenario.timeline) {
    if (!in_time(step.from, step.line, problems) || !in_time(step.until, step.line, problems)) {
      continue;
    }
    happenings += happenings_of(step);
    if (happenings <= most_happenings) continue;
    problems.add(step.line, "more than " + std::to_string(most_happenings) +
                                " happenings found up to here, fewer expected");
    break;
  }
  for (const Expectation& expectation : scenario.expect) {
    in_time(expectation.when.until, expectation.line, problems);
  }
}

}  // namespace nlc::sim::scenario

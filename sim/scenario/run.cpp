#include "sim/scenario/run.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "sim/scenario/checking/end_state.h"
#include "sim/scenario/checking/expectation_checker.h"
#include "sim/scenario/stage/stage.h"

namespace nlc::sim::scenario {
namespace {

/// Everything is over by then.
Duration end_of(const Scenario& scenario, const std::vector<Expectation>& expectations,
                bool whole_timeline) {
  Duration end{0};
  for (const Expectation& expectation : expectations) end = std::max(end, expectation.when.until);
  if (!whole_timeline && !expectations.empty()) return end;
  for (const Step& step : scenario.timeline) end = std::max(end, step.until);
  return end;
}

template <typename What>
bool ask_for(const std::vector<Expectation>& expectations) {
  return std::ranges::any_of(expectations, [](const Expectation& expectation) {
    return std::ranges::any_of(expectation.that, [](const Check& check) {
      return std::holds_alternative<What>(check.what);
    });
  });
}

/// Plays a case under the eyes of its checkers.
class Performance {
 public:
  Performance(Stage& stage, const std::vector<Expectation>& expectations)
      : stage_(stage), checkers_(checkers_of(expectations)) {
    for (const ExpectationChecker& checker : checkers_) {
      stops_.insert(checker.when().from);
      stops_.insert(checker.when().until);
    }
  }

  void play(Duration end) {
    while (true) {
      const Duration stop = stops_.empty() ? end : std::min(*stops_.begin(), end);
      const Duration next = std::min(stage_.next(), stop);
      if (next > end) return;
      const bool at_stop = next == stop;
      if (at_stop) look_before(stop);
      stage_.run_until(next);
      look(something_happened() || at_stop);
      if (!at_stop || stage_.next() <= next) continue;
      stops_.erase(stop);
      if (stop == end) return;
    }
  }

  std::vector<Failure> failures() const {
    std::vector<Failure> failures;
    for (const ExpectationChecker& checker : checkers_) {
      if (checker.failure()) failures.push_back(*checker.failure());
    }
    return failures;
  }

 private:
  void look_before(Duration stop) {
    if (stop == Duration{0} || stage_.offset() == stop) return;
    for (ExpectationChecker& checker : checkers_) {
      if (checker.when().from == stop) checker.look_before(stage_);
    }
  }

  bool something_happened() {
    const std::uint64_t version = stage_.storage().version();
    return std::exchange(seen_version_, version) != version;
  }

  void look(bool changed) {
    for (ExpectationChecker& checker : checkers_) {
      if (changed || checker.watches_process()) checker.look(stage_);
    }
  }

  Stage& stage_;
  std::vector<ExpectationChecker> checkers_;
  std::set<Duration> stops_;
  std::uint64_t seen_version_ = 0;
};

/// From beginning to end; what was seen otherwise than expected.
std::vector<Failure> play(const Scenario& scenario, const RunOptions& options, Ending* ending) {
  const std::vector<Expectation> expectations = options.expect.value_or(scenario.expect);
  const auto opened = Stage::open(
      scenario,
      {.flags = options.flags,
       .trace = options.trace,
       .seed = options.seed.value_or(scenario.seed),
       .stop_at_write = options.stop_at_write,
       .keep_log = options.keep_log || ask_for<LogCheck>(expectations),
       .judge = ask_for<RulesCheck>(expectations) || ask_for<SettledCheck>(expectations)});
  if (!opened) return {{.expectation = "flags", .seen = opened.error().path}};
  Stage& stage = **opened;
  Performance performance(stage, expectations);
  performance.play(end_of(scenario, expectations, ending != nullptr) + options.run_on);
  std::vector<Failure> failures = performance.failures();
  if (!scenario.skips_impossible) {
    std::ranges::copy(stage.impossible(), std::back_inserter(failures));
  }
  if (ending != nullptr) {
    *ending = {.state = end_state(stage.storage()),
               .writes = stage.interceptor().writes(),
               .log = stage.log()};
  }
  return failures;
}

}  // namespace

Outcome run_scenario(const Scenario& scenario, const RunOptions& options, Ending* ending) {
  Outcome outcome{.id = scenario.id, .title = scenario.title, .failures = scenario.problems};
  try {
    if (outcome.failures.empty()) outcome.failures = play(scenario, options, ending);
  } catch (const nlohmann::json::exception& problem) {
    outcome.failures = {{.expectation = "objects as an API server has them",
                         .seen = std::string("a field of another type: ") + problem.what()}};
  }
  outcome.verdict = outcome.failures.empty() ? Verdict::Passed : Verdict::Failed;
  return outcome;
}

}  // namespace nlc::sim::scenario

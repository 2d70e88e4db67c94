#include "sim/scenario/suite.h"

#include <utility>

namespace nlc::sim::scenario {
namespace {

Outcome unsaid(const char* what) {
  return {.verdict = Verdict::Failed,
          .failures = {{std::string(what) + " in the list of deviations", "none"}}};
}

Outcome run_ours(const Scenario& scenario, const Deviation& listed, RunOptions options) {
  if (listed.expect.empty()) return unsaid("our expectations of this case");
  options.expect = listed.expect;
  options.trace = nullptr;
  return run_scenario(scenario, options);
}

Outcome run_ours(const UnitCase& unit, const Deviation& listed) {
  if (!listed.output) {
    return listed.instead.empty() ? unsaid("what stands in this component's place") : Outcome{};
  }
  UnitCase ours = unit;
  ours.output = *listed.output;
  return run_unit(ours);
}

}  // namespace

Outcome run_listed(const Scenario& scenario, const Deviation* listed, const RunOptions& options) {
  Outcome as_written = run_scenario(scenario, options);
  if (listed == nullptr) return as_written;
  return settled(std::move(as_written), run_ours(scenario, *listed, options));
}

Outcome run_listed(const UnitCase& unit, const Deviation* listed) {
  Outcome as_written = run_unit(unit);
  if (listed == nullptr) return as_written;
  return settled(std::move(as_written), run_ours(unit, *listed));
}

}  // namespace nlc::sim::scenario

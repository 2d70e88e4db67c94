#pragma once

#include <string>
#include <vector>

/// What running a case told: the words between the runners and the report.
namespace nlc::sim::scenario {

/// One expectation that did not hold.
struct Failure {
  std::string expectation;  ///< with its interval, as the file states it
  std::string seen;         ///< what was there instead, and at which offset from the start
  int line = 0;             ///< of the expectation in its file; 0: it is of none
};

enum class Verdict { Passed, Failed, Deviating };

struct Outcome {
  std::string id;
  std::string title;
  Verdict verdict = Verdict::Passed;
  std::vector<Failure> failures;  ///< empty when passed; of a deviating case, why its letter fails
};

}  // namespace nlc::sim::scenario

#pragma once

#include <string>
#include <vector>

#include "report/spread.h"

namespace nlc::bench {

/// One number of one run.
struct Measure {
  std::string key;    ///< in JSON, unit last: "cpu_per_renewal_us"
  std::string title;  ///< in the table
  std::string unit;
  double value = 0;
  int digits = 0;  ///< behind the point, in the table
};

/// The measures of one run, in the order in which they are shown. All runs of a series have the
/// same.
using Run = std::vector<Measure>;

/// What the numbers were measured with, in order: {"nodes", "1000"}.
struct Fact {
  std::string name;
  std::string value;
};
using Facts = std::vector<Fact>;

using report::percentile;

/// An aligned table, a line for each measure: title, unit, then each run and, of several, their
/// median.
std::string table(const std::vector<Run>& runs);

/// The same of runs that differ and have names: those stand above, and there is no median.
std::string table(const std::vector<Run>& runs, const std::vector<std::string>& names);

/// The same with a run of each of two programs, and how many times as much the first one took; a
/// dash where the second took nothing. Both runs have the same measures.
struct Named {
  std::string name;
  Run run;
};
std::string comparison(const Named& first, const Named& second);

/// {"facts": {…}, "runs": [{key: value, …}, …]}
std::string json(const Facts& facts, const std::vector<Run>& runs);

}  // namespace nlc::bench

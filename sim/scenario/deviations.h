#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"
#include "sim/scenario/model/releases.h"
#include "sim/scenario/model/scenario.h"
#include "sim/scenario/run.h"

/// Cases that do not hold as written, on purpose: a file that says why, and what holds instead
/// (docs/scenarios.md).
namespace nlc::sim::scenario {

/// Why ours differs: a defect of upstream, or a decision. Several cases may have the same.
struct Reason {
  std::string name;  ///< "D-NX-1", or a few words joined by dashes
  std::string title;
  std::string releases_text;         ///< as `applies_to` of cases
  Releases releases;                 ///< of upstream that have it
  std::vector<std::string> defects;  ///< ids, where there are several or the name is none
  std::vector<long long> issues;     ///< public numbers in kubernetes/kubernetes
  std::string users;                 ///< what upstream's way does to them
  std::string ours;
  std::string better;                  ///< why, in one sentence
  std::vector<std::string> proved_by;  ///< cases that hold as written, where none deviates
};

struct Deviation {
  std::string id;
  std::string reason;  ///< its name
  std::string better;  ///< in the place of the reason's sentence, where this case has its own
  std::vector<Expectation> expect;  ///< what has to hold in the place of the case's own
  int line = 0;
};

struct Deviations {
  std::vector<Reason> reasons;
  std::vector<Deviation> cases;

  const Deviation* find(std::string_view id) const;
  const Reason& reason_of(const Deviation& deviation) const;
};

/// Every case names a reason that is there, no case comes twice, and nothing is left unsaid; else
/// "FILE:LINE: what was found, what was expected". What the file says of cases without a timeline
/// is left unread.
Result<Deviations> read_deviations(const std::string& path);
Result<Deviations> read_deviation_text(std::string_view text, std::string_view name);

/// What becomes of a case that is listed. Deviating when its letter fails and ours holds. A listed
/// case whose letter holds after all is a failure: so the list stays true.
Outcome settled(Outcome as_written, const Outcome& ours);

/// Runs a case as it is written and, where it is listed as deviating, by what is listed in its
/// place. `listed` is null for all others. Only the first of the two runs is traced.
Outcome run_listed(const Scenario& scenario, const Deviation* listed, const RunOptions& options);

}  // namespace nlc::sim::scenario

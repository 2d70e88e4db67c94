#pragma once

#include <cstdint>
#include <string>

#include "runtime/result.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// A run to be recorded, and what people are told of it.
struct Recording {
  Settings flags;  ///< win over those of the case
  std::uint64_t seed = 7;
  std::string title;
  std::string outcome;  ///< "passed", "failed", …
  std::string detail;
};

/// Plays a case and records what its controller knows, as the live page plays it: what has changed
/// with each second, told by the replica that leads, and its answers to *why* for nodes, zones and
/// pods when they change. One JSON object; its frames and answers carry the calendar of the case.
///
/// Of a run longer than an hour there are 3,600 frames. Answers end at 16 MiB; a run whose frames
/// need more than 64 MiB is refused.
Result<std::string> record(const Scenario& scenario, const Recording& recording);

}  // namespace nlc::sim::scenario

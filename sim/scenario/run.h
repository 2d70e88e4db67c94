#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/stage/story.h"

namespace nlc::sim::scenario {

struct RunOptions {
  std::vector<std::pair<std::string, std::string>> flags;  ///< win over those of the case
  /// Instead of those of the case.
  std::optional<std::vector<Expectation>> expect;
  std::function<void(std::string_view line)> trace;  ///< is told each line of the story
  std::optional<std::uint64_t> seed = {};            ///< instead of that of the case
  /// The process dies right after the server took its write number so many (counted from 1), and a
  /// new one starts.
  std::optional<std::uint64_t> stop_at_write;
  Duration run_on{0};  ///< goes on so long after everything else is over
  bool keep_log = false;
};

/// What a run left behind.
struct Ending {
  /// Conditions, taints and labels of the nodes, and the pods that are left: nothing that depends
  /// on when something was written or how often.
  nlohmann::json state;
  std::uint64_t writes = 0;  ///< to nodes and pods that the server took
  std::vector<LogLine> log;  ///< of all replicas; empty unless it was to be kept
};

/// Runs the real controller against the embedded API server in virtual time. The same case with the
/// same options goes the same way to the last step. `ending` is filled when it is given.
Outcome run_scenario(const Scenario& scenario, const RunOptions& options, Ending* ending = nullptr);

}  // namespace nlc::sim::scenario

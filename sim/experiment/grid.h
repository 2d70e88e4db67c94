#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "controller/options/policy.h"
#include "runtime/result.h"

/// An experiment runs one scenario with many settings of the controller's flags and many seeds, and
/// tells what each setting costs and saves. Everything here is pure; the runs are those of
/// sim/scenario, in virtual time.
namespace nlc::sim::experiment {

/// One flag, and the values it takes in turn.
struct Axis {
  std::string flag;  ///< without dashes
  std::vector<std::string> values;
};

/// Flags and their values: one point of the grid.
using Setting = std::vector<std::pair<std::string, std::string>>;

/// Reads "node-monitor-period=2s,5s". The controller itself judges flag and values; its refusal is
/// one line that names the flag, the value and what is allowed.
Result<Axis> axis_of(std::string_view text);

/// Every combination; the last axis changes fastest. Without an axis there is one setting, empty.
std::vector<Setting> settings_of(const std::vector<Axis>& axes);

/// What the controller makes of the scenario's flags with those of the setting on top; refuses
/// values that do not go together.
Result<controller::Policy> policy_of(const Setting& scenario, const Setting& setting);

/// "20s, 5s": the values alone.
std::string values_of(const Setting& setting);

}  // namespace nlc::sim::experiment

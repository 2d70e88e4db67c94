#include "controller/feature_gates.h"

#include <string_view>

namespace nlc::controller {
namespace {

constexpr std::string_view comparisons = "TaintTolerationComparisonOperators";
/// On for good since 1.34: both controllers stand apart, and `--controllers` chooses.
constexpr std::string_view separate_eviction = "SeparateTaintEvictionController";

Error refusal(const std::string& why) { return Error{Fault::Invalid, why}; }

}  // namespace

Result<FeatureGates> read_feature_gates(const std::vector<std::string>& entries) {
  FeatureGates gates;
  for (const std::string& entry : entries) {
    if (entry.empty()) continue;
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : entry.substr(equals + 1);
    if (value != "true" && value != "false") {
      return refusal("must be a list of NAME=true or NAME=false, separated by commas");
    }
    if (name == comparisons) {
      gates.comparisons = value == "true" ? Comparisons::On : Comparisons::Off;
    } else if (name != separate_eviction) {
      return refusal("no gate " + name + " is known here; known are " + std::string(comparisons) +
                     " and " + std::string(separate_eviction));
    } else if (value == "false") {
      return refusal(name + " is always true; --controllers chooses what runs");
    }
  }
  return gates;
}

}  // namespace nlc::controller

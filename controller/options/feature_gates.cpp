#include "controller/options/feature_gates.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/go_bool.h"

namespace nlc::controller {
namespace {

constexpr std::string_view comparisons = "TaintTolerationComparisonOperators";
/// Gates of kube-controller-manager that cannot be switched off here, and why.
struct AlwaysOn {
  std::string_view name;
  std::string_view reason;
};
constexpr std::array always_on{
    AlwaysOn{"SeparateTaintEvictionController", "--controllers chooses what runs"},
    AlwaysOn{"NodeControllerLeaseCircuitBreaker",
             "no node is called Unknown before its lease was read from the server"},
    AlwaysOn{"ControllerManagerReleaseLeaderElectionLockOnExit",
             "who is stopped gives the lock back once its writes were answered"}};

std::string known_gates() {
  std::string names(comparisons);
  for (std::size_t i = 0; i < always_on.size(); ++i) {
    names += i + 1 == always_on.size() ? " and " : ", ";
    names += always_on[i].name;
  }
  return names;
}

Error refusal(const std::string& why) { return Error{Fault::Invalid, why}; }

}  // namespace

Result<FeatureGates> read_feature_gates(const std::vector<std::string>& entries) {
  FeatureGates gates;
  for (const std::string& entry : entries) {
    if (entry.empty()) continue;
    const std::size_t equals = entry.find('=');
    const std::string name = entry.substr(0, equals);
    const std::optional<bool> on =
        equals == std::string::npos ? std::nullopt : parse_go_bool(entry.substr(equals + 1));
    if (!on) {
      return refusal("must be a list of NAME=true or NAME=false, separated by commas");
    }
    if (name == comparisons) {
      gates.comparisons = *on ? Comparisons::On : Comparisons::Off;
      continue;
    }
    const auto* known = std::ranges::find(always_on, name, &AlwaysOn::name);
    if (known == always_on.end()) {
      return refusal("no gate " + name + " is known here; known are " + known_gates());
    }
    if (!*on) {
      return refusal(name + " is always true; " + std::string(known->reason));
    }
  }
  return gates;
}

}  // namespace nlc::controller

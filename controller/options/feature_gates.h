#pragma once

#include <string>
#include <vector>

#include "controller/rules/tolerations.h"
#include "runtime/result.h"

namespace nlc::controller {

/// What `--feature-gates` can change here: of kube-controller-manager's gates those that concern
/// nodes (spec/node-lifecycle.md "Releases"). Others that it knows are always on in this program.
struct FeatureGates {
  Comparisons comparisons =
      Comparisons::Off;  ///< TaintTolerationComparisonOperators, alpha in 1.35
};

/// Reads entries of the form NAME=true or NAME=false. A gate that is unknown here, or that is on
/// for good and shall be off, is an error; its path says which and what is allowed.
Result<FeatureGates> read_feature_gates(const std::vector<std::string>& entries);

}  // namespace nlc::controller

#pragma once

#include <string>
#include <vector>

#include "api/objects.h"

namespace nlc::conformance {

/// What the whole controller did about the taints of one node.
struct TaintWrites {
  std::vector<std::string> requests;  ///< GET and PATCH of that node, in their order
  std::vector<api::Taint> taints;     ///< at the end
};

/// Lets the controller see that node, beside a healthy one, for a minute of virtual time. The first
/// PATCHes of the node are answered with `answers`, all others are served.
TaintWrites let_repair(const api::Node& node, const std::vector<int>& answers);

}  // namespace nlc::conformance

#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/apiserver/registry/storage.h"
#include "sim/rules/rule_inputs.h"

namespace nlc::sim::rules {

/// The series of a metric: their labels, and what they say.
using Series = std::map<std::map<std::string, std::string>, double>;
using Metrics = std::map<std::string, Series, std::less<>>;  ///< by name

/// What the metrics of the one who leads must say of such a cluster at rest: objects in memory are
/// those that are there, zones their nodes and no others, and nothing waits or is held
/// (docs/metrics.md), save that reads stand for a watch that is refused. Returns where
/// they say something else.
std::vector<std::string> untrue(const Metrics& told, const Storage& storage,
                                const RuleInputs& inputs, Instant now);
/// The same of one that follows the cluster and does not lead, of objects in memory alone. Nothing
/// where it may not know of some, because it writes none.
std::vector<std::string> untrue_of_standby(const Metrics& told, const Storage& storage,
                                           const RuleInputs& inputs);

}  // namespace nlc::sim::rules

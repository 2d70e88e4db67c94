#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/objects.h"

namespace nlc::controller {

inline constexpr std::string_view reason_never_updated = "NodeStatusNeverUpdated";
inline constexpr std::string_view reason_unknown = "NodeStatusUnknown";

/// The conditions to write for a node that fell silent (spec/node-lifecycle.md "Conditions of a
/// silent node"), in the order of writing: those that are there as they stand, then those that are
/// missing. Empty when its Ready is Unknown already: such a node is not written again.
std::vector<api::NodeCondition> silent_conditions(const api::Node& node, WallTime now);

/// The types of all conditions of the node once `added` are written, those that it lacks last;
/// empty when it lacks none, and so keeps its order.
std::vector<std::string> condition_order(const api::Node& node,
                                         const std::vector<api::NodeCondition>& added);

/// Nothing where there is no Ready condition.
std::optional<api::ConditionStatus> ready_status(const api::Node& node);
inline bool is_ready(const api::Node& node) {
  return ready_status(node) == api::ConditionStatus::True;
}

/// The node's Ready is Unknown because a kubelet that used to report fell silent: the Unknown that
/// a node-lifecycle controller writes, this process or one before it.
bool judged_silent(const api::Node& node);

/// Some taint manager, ours or another, says of that pod why it goes.
bool marked_by_taint_manager(const api::Pod& pod);

}  // namespace nlc::controller

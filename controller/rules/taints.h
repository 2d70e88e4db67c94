#pragma once

#include <string_view>
#include <vector>

#include "api/objects.h"

namespace nlc::controller {

namespace taint {
inline constexpr std::string_view not_ready = "node.kubernetes.io/not-ready";
inline constexpr std::string_view unreachable = "node.kubernetes.io/unreachable";
inline constexpr std::string_view memory_pressure = "node.kubernetes.io/memory-pressure";
inline constexpr std::string_view disk_pressure = "node.kubernetes.io/disk-pressure";
inline constexpr std::string_view pid_pressure = "node.kubernetes.io/pid-pressure";
inline constexpr std::string_view network_unavailable = "node.kubernetes.io/network-unavailable";
inline constexpr std::string_view unschedulable = "node.kubernetes.io/unschedulable";
}  // namespace taint

/// The keys of the NoSchedule taints that a node should carry, in the order in which missing ones
/// are added (spec/node-lifecycle.md "NoSchedule taints").
std::vector<std::string_view> wanted_no_schedule(const api::Node& node);

/// What a node's Ready condition asks of its two managed NoExecute taints (spec/node-lifecycle.md
/// "NoExecute taints").
enum class NoExecuteNeed {
  Nothing,  ///< what should be there is there, or there is no Ready condition to decide by
  Clear,    ///< Ready again: they leave at once
  Swap,  ///< the other of the two is there: replaced at once, for the node is being evicted already
  Queue,  ///< none is there: added when the zone's rate allows
};
NoExecuteNeed no_execute_need(const api::Node& node);
/// The key of the taints that its Ready condition asks for; empty: none, or it has no such
/// condition.
std::string_view outage_taint_key(const api::Node& node);

/// One that such a controller adds and takes off, by the node's conditions and its cordon.
bool is_managed(const api::Taint& taint);
/// One of the two NoExecute taints that stand for a node's own condition: not-ready, unreachable.
bool is_managed_no_execute(const api::Taint& taint);
/// Whether the node carries one of them.
bool has_managed_no_execute(const api::Node& node);

/// How far the NoExecute side may go in this write.
enum class NoExecuteStep { Keep, Clear, Set };

/// The complete list a node should have: the managed NoSchedule taints follow its conditions, the
/// NoExecute ones take the step, all others stay as they are and where they are. One list for both,
/// because a moment with neither would cancel every pending eviction and start its wait anew.
std::vector<api::Taint> planned_taints(const api::Node& node, NoExecuteStep step, WallTime now);

/// "node.kubernetes.io/unreachable:NoExecute,…" of what `left` has and `right` lacks, for logs.
std::string taints_only_in(const std::vector<api::Taint>& left,
                           const std::vector<api::Taint>& right);

}  // namespace nlc::controller

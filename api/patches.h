#pragma once

#include <span>
#include <string>

#include "api/objects.h"

/// The bodies of everything this program writes (spec/node-lifecycle.md "API writes", with the
/// changes of our design). Each names the uid it means and, where a stale view could do harm, the
/// resourceVersion it was decided on.
namespace nlc::api {

/// Which object, and which version of it, a decision was taken on.
struct Precondition {
  std::string uid;
  std::string resource_version;  ///< empty: any version
};

/// Strategic merge for nodes/status: only these conditions, merged by type. `order`: the types of
/// all that are there then, where some are new; a merge would else put those before others'.
std::string node_conditions_patch(const Precondition& on, std::span<const NodeCondition> conditions,
                                  std::span<const std::string> order = {});

/// Strategic merge for a node: the complete list, for spec.taints is replaced whole; null when it
/// is empty.
std::string node_taints_patch(const Precondition& on, std::span<const Taint> taints);

/// Strategic merge for a node's labels.
std::string node_labels_patch(const Precondition& on, const Labels& labels);

/// Strategic merge for pods/status: condition Ready turns False; reason and message stay as they
/// are.
std::string pod_not_ready_patch(const Precondition& on, WallTime now);

/// Strategic merge for pods/status: reason NodeLost, and whose silence it was.
std::string pod_lost_patch(const Precondition& on, std::string_view message);

/// What the condition DisruptionTarget of a pod says that leaves for a taint.
inline constexpr std::string_view taint_manager_reason = "DeletionByTaintManager";
inline constexpr std::string_view taint_manager_message =
    "Taint manager: deleting due to NoExecute taint";

/// Strategic merge for pods/status: condition DisruptionTarget.
struct DisruptionTarget {
  WallTime transition;
  std::int64_t observed_generation = 0;
};
std::string pod_disruption_patch(const Precondition& on, const DisruptionTarget& target);

/// DELETE options: only this very object, with the pod's own grace period.
std::string delete_options(const Precondition& on);

/// A core v1 Event.
struct Event {
  std::string namespace_;  ///< of the event itself: that of the object, or "default"
  std::string name;
  std::string object_api_version = "v1";
  std::string object_kind;
  std::string object_namespace;
  std::string object_name;
  std::string object_uid;
  std::string type = "Normal";
  std::string reason;
  std::string message;
  std::string component;
  WallTime first_seen;
  WallTime last_seen;
  int count = 1;
};
std::string encode_event(const Event& event);

/// Strategic merge for an event that happened again.
std::string event_count_patch(const Event& event);

}  // namespace nlc::api

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/time.h"

/// Kubernetes objects as lean values: only what a node-lifecycle controller reads. They are never
/// written back whole, every change is a patch of the fields that are ours, so a field that is not
/// here cannot be lost.
namespace nlc::api {

enum class ConditionStatus : std::uint8_t { True, False, Unknown };

std::string_view name_of(ConditionStatus status);

struct NodeCondition {
  std::string type;
  ConditionStatus status = ConditionStatus::Unknown;
  std::string reason;
  std::string message;
  std::optional<WallTime> last_heartbeat;
  std::optional<WallTime> last_transition;

  friend bool operator==(const NodeCondition&, const NodeCondition&) = default;
};

struct Taint {
  std::string key;
  std::string value;
  std::string effect;  ///< as text: an effect we do not know must survive our writing the list
  std::optional<WallTime> time_added;

  friend bool operator==(const Taint&, const Taint&) = default;
};

/// The two fields that make a taint one of its kind.
bool same_taint(const Taint& left, const Taint& right);

using Labels = std::vector<std::pair<std::string, std::string>>;

struct Node {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::optional<WallTime> created;
  bool deleting = false;
  bool unschedulable = false;
  Labels labels;
  std::string pause;  ///< its annotation of that name
  std::vector<Taint> taints;
  std::vector<NodeCondition>
      conditions;  ///< in the object's order; of a type that comes twice, the first

  static std::string_view kind() { return "Node"; }
  static std::string_view api_version() { return "v1"; }
  const std::string& key() const { return name; }

  friend bool operator==(const Node&, const Node&) = default;
  const NodeCondition* condition(std::string_view type) const;
  const std::string* label(std::string_view key) const;
  const Taint* taint(std::string_view key, std::string_view effect) const;
};

/// The heartbeat half of a Lease in `kube-node-lease`.
struct NodeLease {
  std::string name;
  std::string uid;
  std::string resource_version;
  std::optional<WallTime> renewed;

  static std::string_view kind() { return "Lease"; }
  static std::string_view api_version() { return "coordination.k8s.io/v1"; }
  const std::string& key() const { return name; }

  friend bool operator==(const NodeLease&, const NodeLease&) = default;
};

struct Toleration {
  std::string key;        ///< empty: every key
  std::string operator_;  ///< "Exists", "Equal" or empty (= Equal); others tolerate nothing
  std::string value;
  std::string effect;  ///< empty: every effect
  std::optional<std::int64_t> seconds;

  friend bool operator==(const Toleration&, const Toleration&) = default;
};

struct PodCondition {
  ConditionStatus status = ConditionStatus::Unknown;
  std::string reason;
  std::string message;
  std::optional<WallTime> last_transition;

  friend bool operator==(const PodCondition&, const PodCondition&) = default;
};

struct Pod {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
  std::string node_name;  ///< empty while unscheduled
  /// Since when it is on its node, or was made where nobody says that: whole seconds, cut off.
  std::optional<WallTime> bound;
  std::int64_t generation = 0;
  bool deleting = false;
  bool finished = false;  ///< phase Succeeded or Failed
  bool daemon = false;    ///< its controller is a DaemonSet
  bool lost = false;      ///< status.reason is NodeLost
  std::vector<Toleration> tolerations;
  std::optional<PodCondition> ready;
  std::optional<PodCondition> disruption_target;

  static std::string_view kind() { return "Pod"; }
  static std::string_view api_version() { return "v1"; }
  std::string key() const { return namespace_ + "/" + name; }

  friend bool operator==(const Pod&, const Pod&) = default;
};

/// The status.reason of a pod that was on a node which fell silent.
inline constexpr std::string_view reason_node_lost = "NodeLost";

/// In the place of bytes that are no text.
inline constexpr std::string_view binary = "(binary data)";

/// What an operator asks for.
struct ConfigMap {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string resource_version;
  /// What stands in `binaryData` is shown as `api::binary`.
  std::vector<std::pair<std::string, std::string>> data;

  static std::string_view kind() { return "ConfigMap"; }
  static std::string_view api_version() { return "v1"; }
  std::string key() const { return namespace_ + "/" + name; }

  friend bool operator==(const ConfigMap&, const ConfigMap&) = default;
};

namespace condition {
inline constexpr std::string_view ready = "Ready";
inline constexpr std::string_view memory_pressure = "MemoryPressure";
inline constexpr std::string_view disk_pressure = "DiskPressure";
inline constexpr std::string_view pid_pressure = "PIDPressure";
inline constexpr std::string_view network_unavailable = "NetworkUnavailable";
inline constexpr std::string_view disruption_target = "DisruptionTarget";
inline constexpr std::string_view pod_scheduled = "PodScheduled";
}  // namespace condition

namespace effect {
inline constexpr std::string_view no_schedule = "NoSchedule";
inline constexpr std::string_view no_execute = "NoExecute";
}  // namespace effect

namespace annotation {
/// Of a node: what is not to be done about it.
inline constexpr std::string_view pause = "node-lifecycle-controller/pause";
}  // namespace annotation

namespace label {
inline constexpr std::string_view zone = "topology.kubernetes.io/zone";
inline constexpr std::string_view region = "topology.kubernetes.io/region";
inline constexpr std::string_view zone_beta = "failure-domain.beta.kubernetes.io/zone";
inline constexpr std::string_view region_beta = "failure-domain.beta.kubernetes.io/region";
inline constexpr std::string_view exclude_disruption = "node.kubernetes.io/exclude-disruption";
inline constexpr std::string_view os = "kubernetes.io/os";
inline constexpr std::string_view os_beta = "beta.kubernetes.io/os";
inline constexpr std::string_view arch = "kubernetes.io/arch";
inline constexpr std::string_view arch_beta = "beta.kubernetes.io/arch";
}  // namespace label

}  // namespace nlc::api

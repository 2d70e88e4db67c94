#pragma once

#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/time.h"

/// Steps by which others than the controller write objects: users, and kubelets.
namespace nlc::sim::scenario {

/// A taint as scenario files write it: `key:effect` or `key=value:effect`.
struct TaintName {
  std::string key;
  std::string value;
  std::string effect;
};

/// Of the taints that the controller derives from conditions and `spec.unschedulable`.
inline constexpr std::array<std::string_view, 7> managed_taint_keys{
    "node.kubernetes.io/not-ready",          "node.kubernetes.io/unreachable",
    "node.kubernetes.io/unschedulable",      "node.kubernetes.io/memory-pressure",
    "node.kubernetes.io/disk-pressure",      "node.kubernetes.io/pid-pressure",
    "node.kubernetes.io/network-unavailable"};

struct ObjectName {
  std::string kind;
  std::string namespace_name;  ///< empty for nodes
  std::string name;
  /// Instead of `name`: the first of these nodes that has no NoExecute taint at that moment.
  std::vector<std::string> one_of_untainted;
};

/// Creates or replaces whole objects, status included.
struct Apply {
  std::vector<nlohmann::json> objects;
};

struct MergePatch {
  ObjectName object;
  nlohmann::json merge;
};

/// A server-side apply by somebody else.
struct ApplyPatch {
  ObjectName object;
  std::vector<TaintName> add_taints;
};

struct Delete {
  ObjectName object;
  std::optional<long long> grace_seconds;
};

/// What makes heartbeats like those of real machines. Without it they come exactly when the step
/// says.
struct Chance {
  double loss = 0;     ///< of all heartbeats, the share that never arrives
  Duration jitter{0};  ///< each comes up to so much late, and each node has a phase of its own

  bool matters() const { return loss > 0 || jitter > Duration{0}; }
};

/// A kubelet posts its status.
struct Heartbeat {
  std::vector<std::string> nodes;    ///< names; in a file also patterns such as node-*
  std::optional<std::string> ready;  ///< unset: as it stands
  Duration clock_offset{0};          ///< how far that machine's clock is ahead
  bool only_changes = false;         ///< says nothing where the server knows it already
  Chance chance;
};

/// A kubelet renews its lease; one that does not exist is created.
struct RenewLease {
  std::vector<std::string> nodes;
  std::string namespace_name = "kube-node-lease";
  Duration clock_offset{0};
  std::optional<Duration> step;  ///< instead of now: the previous value plus this
  Chance chance;
};

}  // namespace nlc::sim::scenario

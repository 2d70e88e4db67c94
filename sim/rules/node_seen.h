#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"

namespace nlc::sim::rules {

/// Keeps since when something holds.
inline void keep_since(std::optional<Instant>& since, bool holds, Instant at) {
  since = holds ? std::optional(since.value_or(at)) : std::nullopt;
}

/// The taints of a node when a NoExecute taint of others was seen among them last.
struct TaintsWithOthers {
  Instant until;
  std::vector<api::Taint> taints;
};

/// What was right only if the node does not say within a while that it is Ready.
struct EarlyDeletion {
  Instant until;
  std::string what;
};

/// What the server committed of a node, and since when it has been so.
struct NodeSeen {
  api::Node node;
  std::optional<Instant> no_execute_since;   ///< some taint of that effect stands since then
  std::optional<Instant> no_execute_until;   ///< the last of them went then
  std::optional<Instant> no_execute_before;  ///< those that went had stood since then
  std::optional<TaintsWithOthers> with_others;
  std::optional<Instant> ready_since;
  std::optional<Instant> not_ready_since;
  bool evicted = false;               ///< by timeout, since it was Ready last
  bool left = false;                  ///< by a pod that was deleted, since then
  std::optional<Instant> gone_since;  ///< there is no such node any more
  std::set<std::string> zones;        ///< those that nodes of its name have been in
  std::optional<Instant> paused_since;
  std::optional<EarlyDeletion> early;
};

/// By name. Those that are gone stay: their pods may still be deleted.
using NodesSeen = std::map<std::string, NodeSeen>;

}  // namespace nlc::sim::rules

#pragma once

#include <optional>
#include <string>

#include "api/objects.h"
#include "controller/live/change.h"

namespace nlc::controller::live {

/// What a node's object says that its status hangs on.
struct NodeFacts {
  std::string zone;
  api::ConditionStatus ready = api::ConditionStatus::Unknown;
  bool no_execute = false;
  bool no_schedule = false;  ///< one that does not stand for a cordon
  bool cordoned = false;
  bool excluded = false;
  std::optional<WallTime> ready_since;
  std::optional<WallTime> no_execute_since;
};
NodeFacts facts_of(const api::Node& node);

/// What the controller knows besides.
struct NodeMemory {
  bool paused = false;
  bool queued = false;
  bool evicting = false;  ///< its pods leave, though it has no taint
};
Node node_of(const std::string& name, const NodeFacts& facts, const NodeMemory& memory);

}  // namespace nlc::controller::live

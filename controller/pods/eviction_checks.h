#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "controller/rules/decision.h"
#include "runtime/time.h"

namespace nlc::controller {

/// A deletion that was accepted and does not show within this time is requested again.
inline constexpr Duration deletion_shows_within = std::chrono::minutes(1);

/// A pod that is held is checked again after this, not with every event.
inline constexpr Duration held_recheck = std::chrono::seconds(1);

/// Whether pods of that node may be deleted now for its own condition. Empty: no node's may.
using MayEvict = std::function<bool(const std::string& node)>;

/// A pod that is due to leave its node, and what comes next.
struct PodDue {
  std::string_view node;
  Instant since;
  EvictionStep step = EvictionStep::Mark;
};
/// What is checked of every pod that is due before a step of its eviction is requested, whether it
/// leaves for a taint or by timeout. Each check may be empty: then it keeps nobody.
struct EvictionChecks {
  /// Whether the operator holds the pod. Nothing: he does not. Else when to check again; a moment
  /// in the past means with the next event.
  std::function<std::optional<Instant>(const PodDue& pod)> held_until = {};
  /// Whether the server was read since then, and has of that node what is seen here.
  std::function<bool(const std::string& node, Instant since)> confirmed = {};
  /// Called when the step of that pod is requested.
  std::function<void(const PodDue& pod)> requested = {};
};

}  // namespace nlc::controller

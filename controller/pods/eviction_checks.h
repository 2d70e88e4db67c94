#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "controller/rules/decision.h"
#include "runtime/time.h"

namespace nlc::controller {

/// A deletion that was accepted shows within so long, or is asked for again.
inline constexpr Duration deletion_shows_within = std::chrono::minutes(1);

/// A pod that somebody holds is asked about so much later, not with every event.
inline constexpr Duration held_recheck = std::chrono::seconds(1);

/// Whether pods of that node may be deleted now for its own condition. Empty: no node's may.
using MayEvict = std::function<bool(const std::string& node)>;

/// A pod that is due to leave its node, and what comes next.
struct PodDue {
  std::string_view node;
  Instant since;
  EvictionStep step = EvictionStep::Mark;
};
/// What each pod that is due is asked about before a step of its eviction is requested, whatever it
/// leaves for.
struct EvictionChecks {
  /// When that pod is to be asked about again; nothing: it may go now. A moment in the past:
  /// whenever something is observed. Empty: nobody is held.
  std::function<std::optional<Instant>(const PodDue& pod)> until = {};
  /// Whether a read since then showed that what was seen of that node is what the server has.
  /// Empty: it is.
  std::function<bool(const std::string& node, Instant since)> confirmed = {};
  /// Told when the step of that pod is requested.
  std::function<void(const PodDue& pod)> requested = {};
};

}  // namespace nlc::controller

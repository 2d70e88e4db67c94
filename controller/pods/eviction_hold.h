#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "controller/rules/decision.h"

namespace nlc::controller {

/// Whether pods of that node may be deleted now for its own condition. Empty: no node's may.
using MayEvict = std::function<bool(const std::string& node)>;

/// A pod that is due to leave its node, and what comes next.
struct PodDue {
  std::string_view node;
  Instant since;
  EvictionStep step = EvictionStep::Mark;
};
/// What holds pods that are due, whatever they leave for.
struct EvictionHold {
  /// When to ask again; nothing: it may go now. A moment that is not to come: whenever something is
  /// observed. Empty: nobody is held.
  std::function<std::optional<Instant>(const PodDue& pod)> until = {};
  /// What was seen of that node is what the server has, by a read since then. Empty: it is.
  std::function<bool(const std::string& node, Instant since)> confirmed = {};
  /// That step is asked for.
  std::function<void(const PodDue& pod)> leaves = {};
};

}  // namespace nlc::controller

#pragma once

#include <optional>
#include <string>

#include "controller/why/parts.h"

/// What comes next for nodes whose pods leave by timeout, before these wait for their turns
/// (turns.h), and what holds it back.
namespace nlc::controller::why {

/// A node whose pods leave after their timeout, which runs yet: where nodes get no taints. Nothing:
/// it has none, or is beyond it.
std::optional<Coming> timeout_of(Slot node, const std::string& called, const Insight& insight);
/// Of all nodes of a zone, or of all zones, that are not paused, the one whose timeout ends first.
std::optional<Coming> first_timeout(const Zone* zone, const Insight& insight);

}  // namespace nlc::controller::why

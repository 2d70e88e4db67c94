#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "api/objects.h"

/// Which nodes a line of the policy's `pause` names, by docs/pause.md and by nothing else.
namespace nlc::sim::rules {

using NodeSelector = std::function<bool(const api::Node&)>;

/// REGION/ZONE or either half, with "-" for a label that a node does not have; nothing where that
/// cannot be read.
std::optional<NodeSelector> zone_named(std::string_view text);

/// As behind `kubectl -l`: KEY, !KEY, KEY=VALUE, ==, !=, KEY in (VALUES) and notin, all of those
/// with commas between; nothing where that cannot be read.
std::optional<NodeSelector> labels_named(std::string_view text);

}  // namespace nlc::sim::rules

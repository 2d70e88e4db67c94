#pragma once

#include <nlohmann/json.hpp>
#include <vector>

#include "sim/scenario/reading/fields.h"

namespace nlc::sim::scenario {

/// The text of that key; empty when there is none.
std::string text_at(const nlohmann::json& object, const char* key);

/// One object of a kind the embedded server knows, with the rest filled in that a real one has. One
/// that it would not take is refused.
nlohmann::json manifest_of(const Yaml& node);

/// The objects under `given`: manifests, and `generate` entries that stand for many.
std::vector<nlohmann::json> given_of(const Yaml& node, WallTime start, Problems& problems);

}  // namespace nlc::sim::scenario

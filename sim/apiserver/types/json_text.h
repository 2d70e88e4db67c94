#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nlc::sim {

/// The same as `nlohmann::json::parse`, and throws the same, in half the time: every write reads
/// two objects, what came and what is stored.
nlohmann::json parse_json(std::string_view text);

/// The paths of the members that an object within the text has twice: "metadata.name". Nothing when
/// it cannot be read.
std::vector<std::string> doubled_members(std::string_view text);

/// A text as JSON writes it. What is no UTF-8 is replaced: an address may hold any bytes.
std::string json_text(std::string_view text);

/// A member of an object; null where it has none such, or is no object.
const nlohmann::json& member(const nlohmann::json& object, std::string_view key);
/// The same of a text; empty where it has none such.
std::string text_member(const nlohmann::json& object, std::string_view key);

}  // namespace nlc::sim

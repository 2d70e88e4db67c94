#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "api/simdjson.h"
#include "runtime/time.h"

/// Reading single fields out of a parsed JSON document. An absent field or null is the zero value,
/// as in every Kubernetes object; a field of the wrong type throws `WrongType`, which ends at the
/// codec that started reading.
namespace nlc::api {

struct WrongType : std::runtime_error {
  explicit WrongType(std::string_view field)
      : std::runtime_error("field " + std::string(field) + " has the wrong type") {}
};

using JsonElement = simdjson::dom::element;

inline std::optional<JsonElement> field(JsonElement parent, std::string_view name) {
  simdjson::dom::object object;
  if (parent.get(object) != simdjson::SUCCESS) throw WrongType(name);
  JsonElement found;
  if (object.at_key(name).get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
  return found;
}

/// Of that type.
template <typename Value>
std::optional<Value> value_of(JsonElement parent, std::string_view name) {
  const std::optional<JsonElement> found = field(parent, name);
  if (!found) return std::nullopt;
  Value value{};
  if (found->get(value) != simdjson::SUCCESS) throw WrongType(name);
  return value;
}

inline std::string_view text(JsonElement parent, std::string_view name) {
  return value_of<std::string_view>(parent, name).value_or(std::string_view());
}

/// For an object that is known to be wrong: what is no text is empty.
inline std::string_view readable_text(JsonElement parent, std::string_view name) {
  simdjson::dom::object object;
  std::string_view value;
  if (parent.get(object) != simdjson::SUCCESS) return {};
  if (object.at_key(name).get(value) != simdjson::SUCCESS) return {};
  return value;
}

inline std::optional<std::int64_t> integer(JsonElement parent, std::string_view name) {
  return value_of<std::int64_t>(parent, name);
}

inline bool boolean(JsonElement parent, std::string_view name) {
  return value_of<bool>(parent, name).value_or(false);
}

/// A timestamp that cannot be read is no timestamp: odd precision must not cost a node its object.
inline std::optional<WallTime> timestamp(JsonElement parent, std::string_view name) {
  return parse_rfc3339(text(parent, name));
}

/// Calls `visit` with each element of an array field; an absent array has none.
template <typename Visit>
void each(JsonElement parent, std::string_view name, Visit visit) {
  const auto elements = value_of<simdjson::dom::array>(parent, name);
  if (!elements) return;
  for (const JsonElement element : *elements) visit(element);
}

}  // namespace nlc::api

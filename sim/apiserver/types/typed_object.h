#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace nlc::sim {

/// What decoding into Go's types says of an object.
struct TypedReading {
  /// What a strict decoder refuses: `unknown field "spec.unschedulabel"`.
  std::vector<std::string> complaints;
  /// The first value that does not fit its field, as Go's JSON decoder says it; empty when all do.
  std::string fault;
  /// The same as a strategic patch says it, which is applied without being JSON in between.
  std::string fault_of_patch;
};

std::string unknown_field(const std::string& path);
/// How a strict decoder says all that it refuses; empty when that is nothing.
std::string strict_fault(const std::vector<std::string>& complaints);

/// Reads `object` into the type `kind` and writes it again, as the server does with every object
/// it is given: fields that the type does not have are gone, so are those that are empty where Go
/// leaves them out, those that it always writes are there; and what can be spelled in several ways
/// is spelled in one (times in UTC, "1000m" as "1"). After a fault the object is half read.
TypedReading read_typed(std::string_view kind, nlohmann::json& object);

/// Why nobody can tell of which kind an object is; empty where it says so, or does not say. Go
/// names the first such field of a text.
template <typename AnyJson>
std::string kind_fault(const AnyJson& object) {
  for (const auto& [field, value] : object.items()) {
    const bool tells = field == "kind" || field == "apiVersion";
    if (!tells || value.is_string() || value.is_null()) continue;
    return "couldn't get version/kind; json parse error: json: cannot unmarshal " +
           std::string(value.is_boolean() ? "bool" : value.type_name()) +
           " into Go struct field ." + field + " of type string";
  }
  return "";
}

/// A value of that type, or a list of such, as JSON text with the fields in the order in which Go's
/// type declares them, as refusals quote it.
std::string go_json(std::string_view type, const nlohmann::json& value);

}  // namespace nlc::sim

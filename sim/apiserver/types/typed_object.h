#pragma once

#include <nlohmann/json.hpp>
#include <optional>
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

/// A value of that type, or a list of such, as JSON text with the fields in the order in which Go's
/// type declares them, as refusals quote it.
std::string go_json(std::string_view type, const nlohmann::json& value);

}  // namespace nlc::sim

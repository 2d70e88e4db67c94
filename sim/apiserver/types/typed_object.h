#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nlc::sim {

/// What decoding into Go's types says of an object.
struct TypedReading {
  /// The paths of the fields that its type does not have: "spec.unschedulabel".
  std::vector<std::string> unknown;
  /// The first value that does not fit its field, as Go's JSON decoder says it; empty when all do.
  std::string fault;
  /// The same as a strategic patch says it, which is applied without being JSON in between.
  std::string fault_of_patch;

  /// What a strict decoder says of the unknown ones; empty when there are none.
  std::string strict_fault() const;
};

/// Reads `object` into the type `kind` and writes it again, as the server does with every object
/// it is given: fields that the type does not have are gone, so are those that are empty where Go
/// leaves them out, those that it always writes are there; and what can be spelled in several ways
/// is spelled in one (times in UTC, "1000m" as "1"). After a fault the object is half read.
TypedReading read_typed(std::string_view kind, nlohmann::json& object);

}  // namespace nlc::sim

#pragma once

#include <cstdint>
#include <span>
#include <string_view>

/// The types of Kubernetes 1.37 that this server's objects consist of, field by field, as Go
/// declares them: their names and numbers on the wire, and when Go writes them at all.
namespace nlc::sim {

enum class FieldType : std::uint8_t {
  Text,
  Int32,
  Int64,
  Boolean,
  Message,
  Inline,       ///< a message in protobuf, whose fields stand among the others in JSON
  Bytes,        ///< base64 in JSON
  Time,         ///< whole seconds
  MicroTime,    ///< six digits
  Quantity,     ///< {1: text}, a plain string in JSON
  IntOrString,  ///< {1: which, 2: number, 3: text}
  Raw,          ///< JSON as it came
};

enum class FieldCount : std::uint8_t { One, Many, Map };

/// What Go writes where nobody gave a value, or an empty one.
enum class Presence : std::uint8_t {
  Omitted,  ///< nothing, for an empty value too
  Always,   ///< the empty value: "", 0, false, {}; null for times, lists and maps
  Pointer,  ///< nothing, but an empty value when somebody gave one
  Null,     ///< null
};

struct FieldSchema {
  std::uint32_t number = 0;
  std::string_view name;
  FieldType type = FieldType::Text;
  FieldCount count = FieldCount::One;
  Presence presence = Presence::Omitted;
  std::string_view named = {};  ///< the type of messages; what Go calls a text or number, if it has
                                ///< a name of its own
};

/// Empty when the message is not known.
std::span<const FieldSchema> fields_of(std::string_view message);

/// Null when there is no such field among `fields`; one of an inline message counts.
const FieldSchema* find_field_named(std::span<const FieldSchema> fields, std::string_view name);

}  // namespace nlc::sim

#pragma once

#include <cstdint>
#include <string_view>

namespace nlc::sim {

enum class FieldType : std::uint8_t {
  Text,
  Integer,
  Boolean,
  Message,
  Bytes,        ///< base64 in JSON
  Time,         ///< whole seconds
  MicroTime,    ///< six digits
  Quantity,     ///< {1: text}, a plain string in JSON
  IntOrString,  ///< {1: which, 2: number, 3: text}
};

enum class FieldCount : std::uint8_t { One, Optional, Many, Map };

struct FieldSchema {
  std::uint32_t number = 0;
  std::string_view name;
  FieldType type = FieldType::Text;
  FieldCount count =
      FieldCount::One;            ///< One: left out when empty; Optional: kept when it was written
  std::string_view message = {};  ///< the type of messages
};

/// Null when the message has no such field, or is not known.
const FieldSchema* find_field(std::string_view message, std::uint32_t number);

const FieldSchema* find_field_named(std::string_view message, std::string_view name);

}  // namespace nlc::sim

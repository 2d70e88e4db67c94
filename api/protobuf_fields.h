#pragma once

#include <cstdint>
#include <optional>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <string_view>

#include "api/assembly.h"
#include "api/simdjson.h"
#include "runtime/time.h"

/// Reading single fields of a protobuf message in place. A field that nobody asks for is skipped,
/// and so is one that is encoded in another way than it should be.
namespace nlc::api {

using protozero::pbf_reader;

/// Field `number`, to be read into `target`: a text, a time, a number or a truth.
template <typename Target>
struct Wanted {
  std::uint32_t number;
  Target& target;
};
template <typename Target>
Wanted<Target> into(std::uint32_t number, Target& target) {
  return {number, target};
}

/// Field `number`, a message that `visit` reads.
template <typename Visit>
struct WantedMessage {
  std::uint32_t number;
  Visit visit;
};
template <typename Visit>
WantedMessage<Visit> message(std::uint32_t number, Visit visit) {
  return {number, std::move(visit)};
}

inline bool is_bytes(const pbf_reader& reader, std::uint32_t number) {
  return reader.tag_and_type() ==
         protozero::tag_and_type(number, protozero::pbf_wire_type::length_delimited);
}
inline bool is_number(const pbf_reader& reader, std::uint32_t number) {
  return reader.tag_and_type() == protozero::tag_and_type(number, protozero::pbf_wire_type::varint);
}

inline std::string_view bytes_of(pbf_reader& reader) {
  const protozero::data_view view = reader.get_view();
  return {view.data(), view.size()};
}

/// Nothing when the message is empty, the zero time that JSON writes as null, and when it names no
/// moment of our calendar.
std::optional<WallTime> read_time(pbf_reader reader);

/// JSON can carry nothing but UTF-8, and what is read here may be written in JSON.
inline bool take(pbf_reader& reader, const Wanted<std::string_view>& wanted) {
  if (!is_bytes(reader, wanted.number)) return false;
  wanted.target = bytes_of(reader);
  if (!simdjson::validate_utf8(wanted.target.data(), wanted.target.size())) {
    throw Unreadable("field " + std::to_string(wanted.number) + " is no UTF-8");
  }
  return true;
}

inline bool take(pbf_reader& reader, const Wanted<std::optional<WallTime>>& wanted) {
  if (!is_bytes(reader, wanted.number)) return false;
  wanted.target = read_time(reader.get_message());
  return true;
}

inline bool take(pbf_reader& reader, const Wanted<bool>& wanted) {
  if (!is_number(reader, wanted.number)) return false;
  wanted.target = reader.get_bool();
  return true;
}

/// Of std::int64_t, or of an optional one.
template <typename Integer>
bool take(pbf_reader& reader, const Wanted<Integer>& wanted) {
  if (!is_number(reader, wanted.number)) return false;
  wanted.target = reader.get_int64();
  return true;
}

template <typename Visit>
bool take(pbf_reader& reader, const WantedMessage<Visit>& wanted) {
  if (!is_bytes(reader, wanted.number)) return false;
  wanted.visit(reader.get_message());
  return true;
}

/// Walks over a message once and takes what is wanted.
template <typename... Fields>
void read_fields(pbf_reader reader, const Fields&... fields) {
  while (reader.next()) {
    const bool taken = (take(reader, fields) || ...);
    if (!taken) reader.skip();
  }
}

}  // namespace nlc::api

#include "sim/apiserver/requests/protobuf_body.h"

#include <absl/strings/escaping.h>
#include <algorithm>
#include <protozero/pbf_reader.hpp>
#include <string>

#include "runtime/time.h"
#include "sim/apiserver/types/protobuf_schema.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using protozero::pbf_reader;
using protozero::pbf_wire_type;

/// The reader stands at this field in this encoding; anything else a client may have written is
/// skipped.
bool at_number(const pbf_reader& reader, std::uint32_t field) {
  return reader.tag() == field && reader.wire_type() == pbf_wire_type::varint;
}
bool at_bytes(const pbf_reader& reader, std::uint32_t field) {
  return reader.tag() == field && reader.wire_type() == pbf_wire_type::length_delimited;
}

/// {1 seconds, 2 nanos}; an empty message is the zero time.
Json read_time(pbf_reader reader, bool micro) {
  std::int64_t seconds = 0;
  std::int64_t nanos = 0;
  bool any = false;
  while (reader.next()) {
    any = true;
    if (at_number(reader, 1))
      seconds = reader.get_int64();
    else if (at_number(reader, 2))
      nanos = reader.get_int64();
    else
      reader.skip();
  }
  constexpr std::int64_t year_1 = -62'135'596'800;
  constexpr std::int64_t year_10000 = 253'402'300'800;
  const bool is_date = seconds >= year_1 && seconds < year_10000;
  if (!any || !is_date || nanos < 0 || nanos >= 1'000'000'000) return nullptr;
  const WallTime time{std::chrono::seconds(seconds) + std::chrono::microseconds(nanos / 1000)};
  return micro ? rfc3339_micro(time) : rfc3339(time);
}

Json read_quantity(pbf_reader reader) {
  std::string text;
  while (reader.next()) {
    if (at_bytes(reader, 1))
      text = reader.get_string();
    else
      reader.skip();
  }
  return text;
}

Json read_int_or_string(pbf_reader reader) {
  std::int64_t which = 0;
  std::int64_t number = 0;
  std::string text;
  while (reader.next()) {
    if (at_number(reader, 1))
      which = reader.get_int64();
    else if (at_number(reader, 2))
      number = reader.get_int64();
    else if (at_bytes(reader, 3))
      text = reader.get_string();
    else
      reader.skip();
  }
  return which == 0 ? Json(number) : Json(text);
}

/// {1: text}
Json read_raw(pbf_reader reader) {
  const Json text = read_quantity(reader);
  return Json::parse(text.get_ref<const std::string&>(), nullptr, false);
}

Json read_message(pbf_reader reader, std::string_view message);

bool is_varint(FieldType type) {
  return type == FieldType::Int32 || type == FieldType::Int64 || type == FieldType::Boolean;
}

Json read_value(pbf_reader& reader, const FieldSchema& field) {
  switch (field.type) {
    case FieldType::Text:
      return reader.get_string();
    case FieldType::Int32:
    case FieldType::Int64:
      return reader.get_int64();
    case FieldType::Boolean:
      return reader.get_bool();
    case FieldType::Bytes:
      return absl::Base64Escape(reader.get_string());
    case FieldType::Time:
      return read_time(reader.get_message(), false);
    case FieldType::MicroTime:
      return read_time(reader.get_message(), true);
    case FieldType::Quantity:
      return read_quantity(reader.get_message());
    case FieldType::IntOrString:
      return read_int_or_string(reader.get_message());
    case FieldType::Message:
    case FieldType::Inline:
      return read_message(reader.get_message(), field.named);
    case FieldType::Raw:
      return read_raw(reader.get_message());
  }
  std::abort();
}

void read_entry(pbf_reader reader, const FieldSchema& field, Json& map) {
  std::string key;
  Json value = "";
  while (reader.next()) {
    if (at_bytes(reader, 1))
      key = reader.get_string();
    else if (at_bytes(reader, 2))
      value = read_value(reader, field);
    else
      reader.skip();
  }
  map[key] = std::move(value);
}

void read_field(pbf_reader& reader, const FieldSchema& field, Json& object) {
  const std::string name(field.name);
  const pbf_wire_type wanted =
      is_varint(field.type) ? pbf_wire_type::varint : pbf_wire_type::length_delimited;
  if (reader.wire_type() != wanted) return reader.skip();
  if (field.count == FieldCount::Map) return read_entry(reader.get_message(), field, object[name]);
  Json value = read_value(reader, field);
  if (field.type == FieldType::Inline)
    object.update(value);
  else if (field.count == FieldCount::Many)
    object[name].push_back(std::move(value));
  else
    object[name] = std::move(value);
}

Json read_message(pbf_reader reader, std::string_view message) {
  Json object = Json::object();
  const std::span<const FieldSchema> fields = fields_of(message);
  while (reader.next()) {
    const auto field = std::ranges::find(fields, reader.tag(), &FieldSchema::number);
    if (field != fields.end())
      read_field(reader, *field, object);
    else
      reader.skip();
  }
  return object;
}

Json read_envelope(std::string_view bytes) {
  pbf_reader reader(bytes.data(), bytes.size());
  std::string api_version;
  std::string kind;
  std::string raw;
  while (reader.next()) {
    if (at_bytes(reader, 1)) {
      pbf_reader type = reader.get_message();
      while (type.next()) {
        if (at_bytes(type, 1))
          api_version = type.get_string();
        else if (at_bytes(type, 2))
          kind = type.get_string();
        else
          type.skip();
      }
    } else if (at_bytes(reader, 2)) {
      raw = reader.get_string();
    } else {
      reader.skip();
    }
  }
  Json object = read_message(pbf_reader(raw), kind);
  object["kind"] = kind;
  object["apiVersion"] = api_version;
  return object;
}

}  // namespace

Outcome<Json> read_protobuf(std::string_view body) {
  constexpr std::string_view magic("k8s\0", 4);
  if (!body.starts_with(magic)) {
    return bad_request(
        "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]");
  }
  try {
    return read_envelope(body.substr(magic.size()));
  } catch (const protozero::exception& error) {
    return bad_request(std::string("proto: ") + error.what());
  }
}

}  // namespace nlc::sim

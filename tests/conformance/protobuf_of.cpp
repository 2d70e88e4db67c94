#include "tests/conformance/protobuf_of.h"

#include <protozero/pbf_writer.hpp>

#include "runtime/time.h"
#include "sim/apiserver/types/protobuf_schema.h"

namespace nlc::conformance {
namespace {

using nlohmann::json;
using protozero::pbf_writer;
using sim::FieldCount;
using sim::FieldSchema;
using sim::FieldType;

std::string time_message(const json& text) {
  std::string bytes;
  const std::optional<WallTime> time = parse_rfc3339(text.get<std::string>());
  if (!time) return bytes;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  pbf_writer writer(bytes);
  writer.add_int64(1, seconds.time_since_epoch().count());
  writer.add_int32(2, static_cast<std::int32_t>(std::chrono::nanoseconds(*time - seconds).count()));
  return bytes;
}

void write_value(pbf_writer& writer, const FieldSchema& field, std::uint32_t number,
                 const json& value) {
  switch (field.type) {
    case FieldType::Text:
      return writer.add_string(number, value.get<std::string>());
    case FieldType::Int32:
    case FieldType::Int64:
      return writer.add_int64(number, value.get<std::int64_t>());
    case FieldType::Boolean:
      return writer.add_bool(number, value.get<bool>());
    case FieldType::Time:
    case FieldType::MicroTime:
      return writer.add_message(number, time_message(value));
    case FieldType::Message:
      return writer.add_message(number, raw_protobuf(value, field.named));
    case FieldType::Bytes:
    case FieldType::Quantity:
    case FieldType::IntOrString:
    case FieldType::Inline:
    case FieldType::Raw:
      return;  // nothing that our decoder reads
  }
}

void write_field(pbf_writer& writer, const FieldSchema& field, const json& value) {
  if (field.count == FieldCount::Many) {
    for (const json& item : value) write_value(writer, field, field.number, item);
  } else if (field.count == FieldCount::Map) {
    for (const auto& [key, content] : value.items()) {
      std::string entry;
      pbf_writer entry_writer(entry);
      entry_writer.add_string(1, key);
      write_value(entry_writer, field, 2, content);
      writer.add_message(field.number, entry);
    }
  } else {
    write_value(writer, field, field.number, value);
  }
}

}  // namespace

std::string raw_protobuf(const json& object, std::string_view message) {
  // On the wire fields stand in the order of their numbers.
  std::map<std::uint32_t, std::pair<const FieldSchema*, const json*>> fields;
  for (const auto& [name, value] : object.items()) {
    const FieldSchema* field = sim::find_field_named(sim::fields_of(message), name);
    if (field != nullptr && !value.is_null()) fields[field->number] = {field, &value};
  }
  std::string bytes;
  pbf_writer writer(bytes);
  for (const auto& [number, found] : fields) write_field(writer, *found.first, *found.second);
  return bytes;
}

std::string in_envelope(std::string_view kind, std::string_view raw) {
  std::string type;
  pbf_writer(type).add_string(2, kind.data(), kind.size());
  std::string unknown;
  pbf_writer writer(unknown);
  writer.add_message(1, type);
  writer.add_message(2, raw.data(), raw.size());
  return std::string("k8s\0", 4) + unknown;
}

std::string protobuf_of(const json& object) {
  const std::string kind = object.at("kind");
  return in_envelope(kind, raw_protobuf(object, kind));
}

std::string protobuf_frame(std::string_view type, std::string_view enveloped) {
  std::string extension;
  pbf_writer(extension).add_message(1, enveloped.data(), enveloped.size());
  std::string event;
  pbf_writer writer(event);
  writer.add_string(1, type.data(), type.size());
  writer.add_message(2, extension);
  std::string frame;
  for (const unsigned shift : {24U, 16U, 8U, 0U}) {
    frame += static_cast<char>((event.size() >> shift) & 255U);
  }
  return frame + event;
}

}  // namespace nlc::conformance

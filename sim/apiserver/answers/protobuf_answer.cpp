#include "sim/apiserver/answers/protobuf_answer.h"

#include <map>
#include <optional>
#include <protozero/pbf_writer.hpp>

#include "runtime/time.h"
#include "runtime/words.h"
#include "sim/apiserver/types/protobuf_schema.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using protozero::pbf_writer;

constexpr std::string_view json_media_type = "application/json";
constexpr std::string_view protobuf_media_type = "application/vnd.kubernetes.protobuf";

std::string time_message(const Json& text) {
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
                 const Json& value) {
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

void write_field(pbf_writer& writer, const FieldSchema& field, const Json& value) {
  if (field.count == FieldCount::Many) {
    for (const Json& item : value) write_value(writer, field, field.number, item);
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

/// Of the kind of a list; empty where it is none of objects that are in the table.
std::string_view kind_of_items(std::string_view list) {
  constexpr std::string_view ending = "List";
  if (!list.ends_with(ending)) return {};
  list.remove_suffix(ending.size());
  return fields_of(list).empty() ? std::string_view{} : list;
}

std::string raw_list(const Json& list, std::string_view kind) {
  std::string bytes;
  pbf_writer writer(bytes);
  writer.add_message(1, raw_protobuf(list.at("metadata"), "ListMeta"));
  for (const Json& item : list.at("items")) writer.add_message(2, raw_protobuf(item, kind));
  return bytes;
}

bool is_in_table(const Json& object) {
  if (!object.is_object() || !object.contains("kind")) return false;
  const std::string kind = object.at("kind");
  return !fields_of(kind).empty() || !kind_of_items(kind).empty();
}

}  // namespace

std::string raw_protobuf(const Json& object, std::string_view message) {
  // On the wire fields stand in the order of their numbers.
  std::map<std::uint32_t, const FieldSchema*> fields;
  for (const FieldSchema& field : fields_of(message)) fields[field.number] = &field;
  std::string bytes;
  pbf_writer writer(bytes);
  for (const auto& [number, field] : fields) {
    const auto found = object.find(field->name);
    if (found != object.end() && !found->is_null()) write_field(writer, *field, *found);
  }
  return bytes;
}

std::string in_envelope(std::string_view kind, std::string_view raw, std::string_view api_version) {
  std::string type;
  pbf_writer type_writer(type);
  if (!api_version.empty()) type_writer.add_string(1, api_version.data(), api_version.size());
  type_writer.add_string(2, kind.data(), kind.size());
  std::string unknown;
  pbf_writer writer(unknown);
  writer.add_message(1, type);
  writer.add_message(2, raw.data(), raw.size());
  return std::string("k8s\0", 4) + unknown;
}

std::string protobuf_of(const Json& object) {
  const std::string kind = object.at("kind");
  const std::string_view items = kind_of_items(kind);
  return in_envelope(kind, items.empty() ? raw_protobuf(object, kind) : raw_list(object, items),
                     object.value("apiVersion", ""));
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

bool asks_for_protobuf(std::string_view accept) { return accept.starts_with(protobuf_media_type); }

client::Response in_protobuf(client::Response answer) {
  if (answer.content_type != json_media_type) return answer;
  const Json object = Json::parse(answer.body, nullptr, false);
  try {
    if (!is_in_table(object)) return answer;
    answer.body = protobuf_of(object);
    answer.content_type = protobuf_media_type;
  } catch (const Json::exception&) {
    // A body that a case made up is sent as it is.
  }
  return answer;
}

std::string protobuf_frames(std::string_view lines) {
  std::string frames;
  for (const std::string_view line : split(lines, '\n')) {
    if (line.empty()) continue;
    const Json event = Json::parse(line);
    frames += protobuf_frame(event.at("type").get<std::string>(), protobuf_of(event.at("object")));
  }
  return frames;
}

}  // namespace nlc::sim

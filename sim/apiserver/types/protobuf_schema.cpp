#include "sim/apiserver/types/protobuf_schema.h"

#include <algorithm>
#include <cassert>
#include <charconv>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/words.h"
#include "sim/apiserver/types/declared_types.h"

namespace nlc::sim {
namespace {

constexpr std::pair<std::string_view, FieldType> basic_types[] = {
    {"string", FieldType::Text},
    {"int32", FieldType::Int32},
    {"int64", FieldType::Int64},
    {"bool", FieldType::Boolean},
    {"bytes", FieldType::Bytes},
    {"Time", FieldType::Time},
    {"MicroTime", FieldType::MicroTime},
    {"Quantity", FieldType::Quantity},
    {"IntOrString", FieldType::IntOrString},
    {"FieldsV1", FieldType::Raw},
};

Presence presence_of(bool pointer, bool omitempty) {
  if (pointer) return omitempty ? Presence::Pointer : Presence::Null;
  return omitempty ? Presence::Omitted : Presence::Always;
}

/// Whether the type begins so, and then it does no longer.
bool took(std::string_view& type, std::string_view prefix) {
  const bool begins = type.starts_with(prefix);
  if (begins) type.remove_prefix(prefix.size());
  return begins;
}

/// Of "20 initContainers []Container?" or "2 VolumeSource".
FieldSchema field_of(const std::vector<std::string_view>& words) {
  const bool embedded = words.size() == 2;
  FieldSchema field{.name = embedded ? "" : words[1]};
  const std::string_view number = words.front();
  std::from_chars(number.data(), number.data() + number.size(), field.number);
  std::string_view type = words.back();
  const bool omitempty = type.ends_with('?');
  if (omitempty) type.remove_suffix(1);
  field.presence = presence_of(took(type, "*"), omitempty);
  if (took(type, "[]")) field.count = FieldCount::Many;
  if (took(type, "map[string]")) field.count = FieldCount::Map;
  const auto* basic =
      std::ranges::find(basic_types, type, &std::pair<std::string_view, FieldType>::first);
  if (basic != std::end(basic_types)) {
    field.type = basic->second;
    return field;
  }
  field.named = type;
  if (embedded) field.type = FieldType::Inline;
  if (!embedded && type.find('.') == type.npos) field.type = FieldType::Message;
  return field;
}

std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (const std::string_view word : split(text, ' ')) {
    if (!word.empty()) words.push_back(word);
  }
  return words;
}

using Schema = std::unordered_map<std::string_view, std::vector<FieldSchema>>;

bool is_known(const FieldSchema& field, const Schema& schema) {
  const bool is_message = field.type == FieldType::Message || field.type == FieldType::Inline;
  return !is_message || schema.contains(field.named);
}

Schema declared_schema() {
  Schema schema;
  std::vector<FieldSchema>* fields = nullptr;
  for (std::string_view line : split(declared_types(), '\n')) {
    if (line.empty()) continue;
    if (!line.starts_with(' ')) {
      const std::size_t colon = line.find(':');
      fields = &schema[line.substr(0, colon)];
      line.remove_prefix(colon + 1);
    }
    for (const std::string_view field : split(line, ';')) {
      const std::vector<std::string_view> words = words_of(field);
      if (!words.empty()) fields->push_back(field_of(words));
    }
  }
  for (const auto& [type, declared] : schema) {
    for (const FieldSchema& field : declared) assert(is_known(field, schema));
  }
  return schema;
}

}  // namespace

std::span<const FieldSchema> fields_of(std::string_view message) {
  // Asked for with every message of every object that is written.
  static const Schema schema = declared_schema();
  const auto found = schema.find(message);
  return found == schema.end() ? std::span<const FieldSchema>{} : found->second;
}

const FieldSchema* find_field_named(std::span<const FieldSchema> fields, std::string_view name) {
  for (const FieldSchema& field : fields) {
    if (field.name == name && field.type != FieldType::Inline) return &field;
  }
  for (const FieldSchema& field : fields) {
    if (field.type != FieldType::Inline) continue;
    if (const FieldSchema* found = find_field_named(fields_of(field.named), name)) return found;
  }
  return nullptr;
}

}  // namespace nlc::sim

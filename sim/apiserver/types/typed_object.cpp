#include "sim/apiserver/types/typed_object.h"

#include <absl/strings/escaping.h>
#include <absl/strings/str_join.h>
#include <algorithm>
#include <utility>

#include "runtime/time.h"
#include "sim/apiserver/types/protobuf_schema.h"
#include "sim/apiserver/types/quantity.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

constexpr std::string_view quantity_rule =
    "quantities must match the regular expression "
    "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

/// What Go calls the type of one value of such a field.
std::string go_type(const FieldSchema& field) {
  switch (field.type) {
    case FieldType::Int32:
      return "int32";
    case FieldType::Int64:
      return "int64";
    case FieldType::Boolean:
      return "bool";
    case FieldType::Message:
      return "v1." + std::string(field.named);
    case FieldType::Bytes:
      return "[]uint8";
    default:
      return field.named.empty() ? "string" : std::string(field.named);
  }
}

/// How Go's reflection calls what it found.
std::string_view go_kind(const Json& value) {
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_number_float()) return "float64";
  if (value.is_number()) return "int64";
  return value.is_array() ? "slice" : "map";
}

/// A value that does not fit. Its path grows on the way back, so that what fits costs no text.
struct Misfit {
  std::string_view type;  ///< that has the field; empty when `text` says all
  std::string path;
  std::string text;
  std::string wanted;
  std::string text_of_patch;
};

Misfit mistyped(std::string_view type, const Json& value, const std::string& wanted,
                std::string text_of_patch) {
  std::string found = value.is_boolean() ? "bool" : value.type_name();
  if (value.is_number()) {
    const bool whole_number_wanted = wanted == "int32" || wanted == "int64";
    found = whole_number_wanted ? "number " + value.dump() : "number";
  }
  return {type, "", "json: cannot unmarshal " + found + " into Go struct field ", wanted,
          std::move(text_of_patch)};
}

Misfit said(const std::string& text) { return {"", "", text, "", text}; }

/// As Go's time package tells where a text leaves its layout.
Misfit no_time(const std::string& text, bool micro) {
  const std::string layout =
      micro ? "2006-01-02T15:04:05.000000Z07:00" : "2006-01-02T15:04:05Z07:00";
  std::string left = text;
  std::string expected = "2006";
  constexpr std::size_t seconds_end = 19;
  if (text.size() >= seconds_end && parse_rfc3339(text.substr(0, seconds_end) + "Z")) {
    left = text.substr(seconds_end);
    expected = micro ? ".000000" : "Z07:00";
    if (left.size() > 7 && left[0] == '.' && parse_rfc3339(text)) {
      left = left.substr(7);
      expected = "Z07:00";
    }
  }
  return said("parsing time \"" + text + "\" as \"" + layout + "\": cannot parse \"" + left +
              "\" as \"" + expected + "\"");
}

bool has_six_digits(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == text.npos) return false;
  const std::size_t end = text.find_first_not_of("0123456789", dot + 1);
  return end != text.npos && end - dot - 1 == 6;
}

std::optional<Misfit> read_time(Json& value, bool micro) {
  const std::string& text = value.get_ref<const std::string&>();
  const std::optional<WallTime> time = parse_rfc3339(text);
  if (!time || (micro && !has_six_digits(text))) return no_time(text, micro);
  std::string spelled = micro ? rfc3339_micro(*time) : rfc3339(*time);
  if (spelled != text) value = std::move(spelled);
  return std::nullopt;
}

std::optional<Misfit> read_quantity(Json& value) {
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  std::optional<std::string> spelled = canonical_quantity(text);
  if (!spelled) return said(std::string(quantity_rule));
  if (!value.is_string() || *spelled != text) value = std::move(*spelled);
  return std::nullopt;
}

std::optional<Misfit> read_bytes(const Json& value) {
  const std::string& text = value.get_ref<const std::string&>();
  std::string bytes;
  if (absl::Base64Unescape(text, &bytes)) return std::nullopt;
  const std::size_t at =
      std::min(text.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                      "0123456789+/="),
               text.size());
  return said("illegal base64 data at input byte " + std::to_string(at));
}

/// What is above every signed number is read as an unsigned one.
template <typename Integer>
bool is_within(const Json& value) {
  if (value.is_number_unsigned()) return std::in_range<Integer>(value.get<std::uint64_t>());
  return value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>());
}

bool fits(const FieldSchema& field, const Json& value) {
  switch (field.type) {
    case FieldType::Int32:
      return is_within<std::int32_t>(value);
    case FieldType::Int64:
      return is_within<std::int64_t>(value);
    case FieldType::Boolean:
      return value.is_boolean();
    case FieldType::Message:
    case FieldType::Inline:
      return value.is_object();
    case FieldType::Quantity:
      return value.is_string() || value.is_number();
    case FieldType::IntOrString:
      return value.is_string() || value.is_number_integer();
    case FieldType::Raw:
      return true;
    default:
      return value.is_string();
  }
}

std::string kind_of_patch_fault(const FieldSchema& field, const Json& value) {
  if (field.type == FieldType::Message)
    return "cannot restore struct from: " + std::string(go_kind(value));
  const std::string wanted = go_type(field);
  const bool named = wanted.find('.') != std::string::npos;
  const bool is_text = named || wanted == "string";
  // Go makes of a number another one, and of a whole one a text, but nothing else of anything.
  const bool convertible =
      value.is_number() && wanted != "bool" && !(is_text && value.is_number_float());
  if (convertible) return "cannot convert " + std::string(go_kind(value)) + " to " + wanted;
  return "unrecognized type: " + (named ? std::string("string") : wanted);
}

/// Where a value stands, from itself outwards: nearly none is ever told.
struct Path {
  const Path* around = nullptr;  ///< null: the object itself
  std::string_view name = {};
  std::optional<std::size_t> index = {};

  std::string text() const {
    if (around == nullptr) return "";
    std::string text = around->text();
    if (!text.empty()) text += ".";
    text += name;
    if (index) text += "[" + std::to_string(*index) + "]";
    return text;
  }
};

class TypedReader {
 public:
  explicit TypedReader(std::vector<std::string>& complaints) : complaints_(complaints) {}

  std::optional<Misfit> object(Json& object, std::string_view type, const Path& path) {
    const std::span<const FieldSchema> fields = fields_of(type);
    for (auto at = object.begin(); at != object.end();) {
      const FieldSchema* field = find_field_named(fields, at.key());
      if (field == nullptr) {
        const bool whole = path.around == nullptr;
        if (!(whole && (at.key() == "kind" || at.key() == "apiVersion"))) {
          complaints_.push_back(unknown_field(Path{&path, at.key()}.text()));
          at = object.erase(at);
          continue;
        }
        if (!at->is_string() && !at->is_null())
          return Misfit{"", "", kind_fault(object), "", kind_of_patch_fault({}, *at)};
        ++at;
        continue;
      }
      if (auto fault = values(*field, *at, type, path)) {
        fault->path = fault->path.empty() ? at.key() : at.key() + "." + fault->path;
        return fault;
      }
      at = is_left_out(*field, *at) ? object.erase(at) : std::next(at);
    }
    return complete(object, fields, path);
  }

 private:
  /// What Go writes of fields that nobody gave.
  std::optional<Misfit> complete(Json& object, std::span<const FieldSchema> fields,
                                 const Path& path) {
    for (const FieldSchema& field : fields) {
      if (field.type == FieldType::Inline) {
        if (auto fault = complete(object, fields_of(field.named), path)) return fault;
        continue;
      }
      if (field.presence != Presence::Always && field.presence != Presence::Null) continue;
      auto at = object.find(field.name);
      if (at == object.end()) at = object.emplace(std::string(field.name), nullptr).first;
      if (!at->is_null() || field.presence == Presence::Null) continue;
      if (field.count == FieldCount::One) *at = empty_value(field.type);
      if (at->is_object()) {
        if (auto fault = this->object(*at, field.named, {&path, field.name})) return fault;
      }
    }
    return std::nullopt;
  }

  static Json empty_value(FieldType type) {
    switch (type) {
      case FieldType::Text:
        return "";
      case FieldType::Int32:
      case FieldType::Int64:
      case FieldType::IntOrString:
        return 0;
      case FieldType::Boolean:
        return false;
      case FieldType::Message:
        return Json::object();
      case FieldType::Quantity:
        return "0";
      default:
        return nullptr;
    }
  }

  static bool is_left_out(const FieldSchema& field, const Json& value) {
    if (field.presence == Presence::Pointer) return value.is_null();
    if (field.presence != Presence::Omitted) return false;
    if (value.is_string()) return value.get_ref<const std::string&>().empty();
    if (value.is_number()) return value == 0;
    if (value.is_boolean()) return !value.get<bool>();
    // An empty list of managers is an order to forget them.
    return value.is_null() || (value.empty() && field.name != "managedFields");
  }

  /// All the values that a field holds: one, a list of them, or a map.
  std::optional<Misfit> values(const FieldSchema& field, Json& held, std::string_view type,
                               const Path& path) {
    if (held.is_null()) return std::nullopt;
    if (field.count == FieldCount::One) return value(field, held, type, {&path, field.name});
    const bool list = field.count == FieldCount::Many;
    if (list ? !held.is_array() : !held.is_object()) {
      const std::string wanted = (list ? "[]" : "map[string]") + go_type(field);
      return mistyped(type, held, wanted,
                      std::string("cannot restore ") + (list ? "slice" : "map") + " from " +
                          std::string(go_kind(held)));
    }
    Path place{&path, field.name};
    if (list) place.index = 0;
    for (Json& each : held) {
      if (each.is_null()) each = empty_value(field.type);
      if (auto fault = value(field, each, type, place)) return fault;
      if (list) ++*place.index;
    }
    return std::nullopt;
  }

  std::optional<Misfit> value(const FieldSchema& field, Json& value, std::string_view type,
                              const Path& path) {
    if (value.is_null()) return std::nullopt;
    if (!fits(field, value)) {
      return mistyped(type, value, go_type(field), kind_of_patch_fault(field, value));
    }
    switch (field.type) {
      case FieldType::Message:
        return object(value, field.named, path);
      case FieldType::Time:
      case FieldType::MicroTime:
        return read_time(value, field.type == FieldType::MicroTime);
      case FieldType::Quantity:
        return read_quantity(value);
      case FieldType::Bytes:
        return read_bytes(value);
      default:
        return std::nullopt;
    }
  }

  std::vector<std::string>& complaints_;
};

/// Appends the fields that the object has, in the order of the type.
void append_fields(std::string_view type, const Json& object, std::string& text) {
  for (const FieldSchema& field : fields_of(type)) {
    if (field.type == FieldType::Inline) {
      append_fields(field.named, object, text);
      continue;
    }
    const auto found = object.find(field.name);
    if (found == object.end()) continue;
    if (text.back() != '{') text += ",";
    text.append("\"").append(field.name).append("\":");
    text += field.type == FieldType::Message ? go_json(field.named, *found) : found->dump();
  }
}

}  // namespace

std::string go_json(std::string_view type, const Json& value) {
  if (value.is_array()) {
    std::string list = "[";
    for (const Json& each : value) list += (list.size() > 1 ? "," : "") + go_json(type, each);
    return list + "]";
  }
  if (!value.is_object()) return value.dump();
  std::string text = "{";
  append_fields(type, value, text);
  return text + "}";
}

std::string unknown_field(const std::string& path) { return "unknown field \"" + path + "\""; }

std::string strict_fault(const std::vector<std::string>& complaints) {
  if (complaints.empty()) return "";
  return "strict decoding error: " + absl::StrJoin(complaints, ", ");
}

TypedReading read_typed(std::string_view kind, Json& object) {
  TypedReading reading;
  TypedReader reader(reading.complaints);
  const std::optional<Misfit> fault = reader.object(object, kind, {});
  if (!fault) return reading;
  reading.fault = fault->text;
  if (!fault->type.empty()) {
    reading.fault += std::string(fault->type) + "." + fault->path + " of type " + fault->wanted;
  }
  reading.fault_of_patch = fault->text_of_patch;
  return reading;
}

}  // namespace nlc::sim

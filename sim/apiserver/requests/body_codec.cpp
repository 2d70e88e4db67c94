#include "sim/apiserver/requests/body_codec.h"

#include <absl/strings/escaping.h>
#include <algorithm>
#include <string>

#include "sim/apiserver/requests/protobuf_body.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"
#include "yaml/json.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

/// Deeper than any kind needs: writing it out again would run out of stack.
constexpr int deepest = 1'000;

constexpr std::string_view accepted_types =
    "application/json, application/yaml, application/vnd.kubernetes.protobuf";

/// A byte as Go quotes it, which takes it for a letter of its own.
std::string quoted(char byte) {
  if (byte == '\'') return R"('\'')";
  if (byte >= ' ' && byte <= '~') return {'\'', byte, '\''};
  return "'\\u00" + absl::BytesToHexString(std::string(1, byte)) + "'";
}

/// The reason as Go's decoder words it, as far as clients see it often.
std::string reason_of(std::string_view body, std::size_t byte) {
  const std::size_t at = byte == 0 ? 0 : byte - 1;
  if (at >= body.size()) return "unexpected end of JSON input";
  const std::string found = "invalid character " + quoted(body[at]);
  if (Json::accept(body.substr(0, at))) return found + " after top-level value";
  const std::size_t before =
      at == 0 ? std::string_view::npos : body.find_last_not_of(" \t\r\n", at - 1);
  const bool key = before != std::string_view::npos && body[before] == '{';
  return found + " looking for beginning of " + (key ? "object key string" : "value");
}

constexpr std::string_view no_kind = "couldn't get version/kind; json parse error: ";

/// An object; a null counts as an empty one. The error is the reason alone.
Outcome<Json> read_json(std::string_view body) {
  if (nests_too_deeply(body)) return bad_request("json: exceeded max depth");
  Json value;
  try {
    value = parse_json(body);
  } catch (const Json::out_of_range& error) {  // a number that is none of 64 bits
    return bad_request(std::string("json: ") + error.what());
  } catch (const Json::parse_error& error) {
    // The library points behind the first letters of a word it tried; Go points at the word.
    std::size_t byte = error.byte;
    while (byte > 1 && byte <= body.size() &&
           std::isalpha(static_cast<unsigned char>(body[byte - 2])) != 0)
      --byte;
    return bad_request(std::string(no_kind) + reason_of(body, byte));
  }
  if (value.is_null()) return Json::object();
  if (!kind_fault(value).empty()) return bad_request(kind_fault(OrderedJson::parse(body)));
  if (value.is_object()) return value;
  const std::string found = value.is_boolean() ? "bool" : value.type_name();
  return bad_request(std::string(no_kind) + "json: cannot unmarshal " + found +
                     " into Go value of type struct { APIVersion string "
                     R"("json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" })");
}

/// How a refusal shows the body that it is about.
std::string summary_of(std::string_view body) {
  constexpr std::size_t shown = 30;
  if (body.empty()) return "<empty>";
  const std::string begin(body.substr(0, shown));
  return (begin[0] == '{' ? begin : absl::BytesToHexString(begin)) +
         (body.size() > shown ? " ..." : "");
}

std::string told(const yaml::Malformed& found) {
  return "yaml: line " + std::to_string(found.line) + ": " + found.words;
}

/// Reads no further than where it becomes too deep. The library's own callback looks at all
/// elements of a list again at the end of each.
struct DepthReader : nlohmann::json_sax<Json> {
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool key(string_t&) override { return true; }
  bool start_object(std::size_t) override { return begin(); }
  bool start_array(std::size_t) override { return begin(); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception&) override {
    return false;
  }

  bool deeper = false;

 private:
  bool begin() {
    deeper = ++depth_ > deepest;
    return !deeper;
  }
  bool end() {
    --depth_;
    return true;
  }

  int depth_ = 0;
};

}  // namespace

std::string json_fault(std::string_view text) {
  const Outcome<Json> read = read_json(text);
  if (read) return "";
  const std::string& why = read.error().message;
  return why.starts_with(no_kind) ? why.substr(no_kind.size()) : why;
}

bool nests_too_deeply(std::string_view json) {
  // Nearly every body is spared the second parse.
  const auto opened =
      std::count_if(json.begin(), json.end(), [](char c) { return c == '[' || c == '{'; });
  if (opened <= deepest) return false;
  DepthReader depth;
  Json::sax_parse(json, &depth);
  return depth.deeper;
}

Outcome<Json> read_yaml(std::string_view text) {
  try {
    return yaml::json_of(yaml::read(text, yaml::Decoding::Lenient));
  } catch (const yaml::Malformed& found) {
    return bad_request("error decoding YAML: " + told(found));
  }
}

std::string strict_yaml_fault(std::string_view text) {
  try {
    (void)yaml::read(text);
    return "";
  } catch (const yaml::Malformed& found) {
    return told(found);
  }
}

Outcome<Json> read_options_body(std::string_view body, std::string_view content_type) {
  const std::string_view type = content_type.substr(0, content_type.find(';'));
  if (type == "application/vnd.kubernetes.protobuf") return read_protobuf(body);
  if (type == "application/yaml") {
    Outcome<Json> read = read_yaml(body);
    const std::string fault = read ? kind_fault(*read) : "";
    return fault.empty() ? std::move(read) : bad_request(fault);
  }
  if (type == "application/json" || type.empty()) return read_json(body);
  return unsupported_media_type(accepted_types);
}

Outcome<Json> read_body(std::string_view body, std::string_view content_type,
                        std::string_view kind) {
  Outcome<Json> result = read_options_body(body, content_type);
  const std::string unrecognized =
      "the object provided is unrecognized (must be of type " + std::string(kind) + ")";
  if (!result && result.error().message.starts_with(no_kind)) {
    return bad_request(unrecognized + ": " + result.error().message + " (" + summary_of(body) +
                       ")");
  }
  if (!result || result->is_object()) return result;
  return bad_request(unrecognized);
}

}  // namespace nlc::sim

#include "sim/apiserver/types/json_text.h"

#include <simdjson.h>
#include <string>

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using simdjson::dom::element_type;

Json tree_of(const simdjson::dom::element& read) {
  switch (read.type()) {
    case element_type::ARRAY: {
      Json list = Json::array();
      for (const simdjson::dom::element each : simdjson::dom::array(read)) {
        list.push_back(tree_of(each));
      }
      return list;
    }
    case element_type::OBJECT: {
      Json object = Json::object();
      for (const auto& [name, value] : simdjson::dom::object(read)) {
        object[std::string(name)] = tree_of(value);
      }
      return object;
    }
    case element_type::STRING:
      return std::string_view(read);
    case element_type::INT64: {
      // What is not negative is unsigned there.
      const std::int64_t number(read);
      return number < 0 ? Json(number) : Json(static_cast<std::uint64_t>(number));
    }
    case element_type::UINT64:
      return std::uint64_t(read);
    case element_type::DOUBLE:
      return double(read);
    case element_type::BOOL:
      return bool(read);
    case element_type::NULL_VALUE:
      return nullptr;
  }
  std::abort();  // unreachable: the switch is exhaustive
}

}  // namespace

Json parse_json(std::string_view text) {
  thread_local simdjson::dom::parser parser;  // its memory is had once
  simdjson::dom::element read;
  // The other one says what is wrong, and reads what this one does not.
  if (parser.parse(text.data(), text.size()).get(read) != simdjson::SUCCESS)
    return Json::parse(text);
  return tree_of(read);
}

const Json& member(const Json& object, const char* key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

}  // namespace nlc::sim

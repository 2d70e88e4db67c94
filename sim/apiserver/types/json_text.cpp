#include "sim/apiserver/types/json_text.h"

#include <algorithm>
#include <string>

#include "api/simdjson.h"

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

/// Where a value stands; as text only once something is found.
struct Place {
  const Place* around = nullptr;  ///< null: the whole
  std::string_view name = {};     ///< empty: an element of a list
  std::size_t index = 0;

  std::string text() const {
    if (around == nullptr) return "";
    const std::string before = around->text();
    if (name.empty()) return before + "[" + std::to_string(index) + "]";
    return (before.empty() ? "" : before + ".") + std::string(name);
  }
};

void find_doubled(const simdjson::dom::element& value, const Place& place,
                  std::vector<std::string>& doubled) {
  if (value.is_array()) {
    std::size_t index = 0;
    for (const simdjson::dom::element each : simdjson::dom::array(value))
      find_doubled(each, {&place, {}, index++}, doubled);
  }
  if (!value.is_object()) return;
  std::vector<std::string_view> names;
  for (const auto& [name, each] : simdjson::dom::object(value)) {
    names.push_back(name);
    find_doubled(each, {&place, name}, doubled);
  }
  std::ranges::sort(names);
  for (auto at = names.begin(); (at = std::adjacent_find(at, names.end())) != names.end(); ++at)
    doubled.push_back(Place{&place, *at}.text());
}

simdjson::error_code read(std::string_view text, simdjson::dom::element& read) {
  thread_local simdjson::dom::parser parser;  // its memory is had once
  return parser.parse(text.data(), text.size()).get(read);
}

}  // namespace

std::vector<std::string> doubled_members(std::string_view text) {
  simdjson::dom::element whole;
  std::vector<std::string> doubled;
  if (read(text, whole) == simdjson::SUCCESS) find_doubled(whole, {}, doubled);
  return doubled;
}

Json parse_json(std::string_view text) {
  simdjson::dom::element read;
  // The other one says what is wrong, and reads what this one does not.
  if (sim::read(text, read) != simdjson::SUCCESS) return Json::parse(text);
  return tree_of(read);
}

std::string json_text(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

const Json& member(const Json& object, std::string_view key) {
  static const Json none;
  if (!object.is_object()) return none;
  const auto found = object.find(key);
  return found == object.end() ? none : *found;
}

std::string text_member(const Json& object, std::string_view key) {
  const Json& found = member(object, key);
  return found.is_string() ? found.get<std::string>() : "";
}

}  // namespace nlc::sim

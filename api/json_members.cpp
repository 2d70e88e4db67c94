#include "api/json_members.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace nlc::api {
namespace {

void append_string(std::string& all, std::string_view text) {
  const bool plain = std::ranges::all_of(
      text, [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (plain) {
    all.append(1, '"').append(text).append(1, '"');
  } else {
    all += nlohmann::json(text).dump();
  }
}

/// Most are strings, which simdjson would write letter by letter.
void append_value(std::string& all, simdjson::dom::element value) {
  std::string_view text;
  if (value.get(text) == simdjson::SUCCESS) return append_string(all, text);
  all += simdjson::minify(value);
}

}  // namespace

std::string json_string(std::string_view text) {
  std::string quoted;
  quoted.reserve(text.size() + 2);
  append_string(quoted, text);
  return quoted;
}

void JsonMembers::keep(std::optional<simdjson::dom::element> object) {
  simdjson::dom::object members;
  if (!object || object->get(members) != simdjson::SUCCESS) return;
  // Of a name that is there twice readers take the first.
  for (const auto& [name, value] : members) {
    const std::size_t known = members_.size();
    Member& kept = member(name);
    if (members_.size() > known) kept.kept = value;
  }
}

void JsonMembers::set(std::string_view name, std::string value) {
  member(name).value = std::move(value);
}

std::string JsonMembers::text() const {
  std::string all = "{";
  for (const Member& member : members_) {
    if (all.size() > 1) all += ',';
    append_string(all, member.name);
    all += ':';
    if (member.value) {
      all += *member.value;
    } else {
      append_value(all, member.kept);
    }
  }
  return all += '}';
}

JsonMembers::Member& JsonMembers::member(std::string_view name) {
  const auto found = std::ranges::find(members_, name, &Member::name);
  return found != members_.end() ? *found : members_.emplace_back(Member{name, {}, {}});
}

}  // namespace nlc::api

#include "sim/scenario/reading/yaml_value.h"

#include "runtime/parse_number.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text == word) return true;
  }
  return false;
}

bool looks_like_number(std::string_view text) {
  const std::size_t digits = text.starts_with('-') || text.starts_with('+') ? 1 : 0;
  return text.size() > digits && text.find_first_not_of("0123456789.eE+-") == text.npos &&
         (std::isdigit(static_cast<unsigned char>(text[digits])) != 0 || text[digits] == '.');
}

Json plain_value(const std::string& text) {
  if (is_one_of(text, {"", "~", "null", "Null", "NULL"})) return nullptr;
  if (is_one_of(text, {"true", "True", "TRUE"})) return true;
  if (is_one_of(text, {"false", "False", "FALSE"})) return false;
  if (!looks_like_number(text)) return text;
  const std::string_view unsigned_text = std::string_view(text).substr(text[0] == '+' ? 1 : 0);
  if (const auto whole = parse_number<std::int64_t>(unsigned_text)) return *whole;
  if (const auto number = parse_number<double>(unsigned_text)) return *number;
  return text;
}

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? "''" : std::string(1, letter);
  return result + "'";
}

void add_flow(const Yaml& node, std::string& text) {
  switch (node.kind) {
    case Yaml::Kind::Absent:
    case Yaml::Kind::Null:
      text += "null";
      return;
    case Yaml::Kind::Text:
      text += node.quoted ? quoted(node.text) : node.text;
      return;
    case Yaml::Kind::List:
      text += '[';
      for (const Yaml& element : node.list) {
        if (&element != node.list.data()) text += ", ";
        add_flow(element, text);
      }
      text += ']';
      return;
    case Yaml::Kind::Map:
      text += '{';
      for (const Yaml::Entry& entry : node.map) {
        if (&entry != node.map.data()) text += ", ";
        text.append(entry.key).append(": ");
        add_flow(entry.value, text);
      }
      text += '}';
      return;
  }
}

}  // namespace

Error malformed(std::string_view file, int line, const std::string& words) {
  return {.fault = Fault::Malformed,
          .path = std::string(file) + ":" + std::to_string(line) + ": " + words};
}

void refuse(const Yaml& node, std::string_view expected) {
  throw Malformed{node.line, flow_text(node) + " found, " + std::string(expected) + " expected"};
}

Json value_of(const Yaml& node) {
  switch (node.kind) {
    case Yaml::Kind::Absent:
    case Yaml::Kind::Null:
      return nullptr;
    case Yaml::Kind::Text:
      return node.quoted ? Json(node.text) : plain_value(node.text);
    case Yaml::Kind::List: {
      Json list = Json::array();
      for (const Yaml& element : node.list) list.push_back(value_of(element));
      return list;
    }
    case Yaml::Kind::Map: {
      Json object = Json::object();
      for (const Yaml::Entry& entry : node.map) object[entry.key] = value_of(entry.value);
      return object;
    }
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string flow_text(const Yaml& node) {
  std::string text;
  add_flow(node, text);
  return text;
}

std::span<const Yaml> each_of(const Yaml& node) {
  return node.is_list() ? std::span(node.list) : std::span(&node, 1);
}

std::span<const Yaml> some_of(const Yaml& node, std::string_view expected) {
  const std::span<const Yaml> all = each_of(node);
  if (all.empty()) refuse(node, expected);
  return all;
}

std::pair<const Yaml&, const Yaml&> pair_in(const Yaml& node, std::string_view expected) {
  if (!node.is_list() || node.list.size() != 2) refuse(node, expected);
  return {node.list[0], node.list[1]};
}

std::string scalar_text(const Yaml& node, std::string_view expected) {
  if (!node.is_text()) refuse(node, expected);
  return node.text;
}

}  // namespace nlc::sim::scenario

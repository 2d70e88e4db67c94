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

bool is_quoted(const YAML::Node& node) { return node.Tag() == "!"; }

std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char letter : text) result += letter == '\'' ? "''" : std::string(1, letter);
  return result + "'";
}

void add_flow(const YAML::Node& node, std::string& text) {
  if (!node.IsMap() && !node.IsSequence()) {
    if (!node.IsScalar()) {
      text += "null";
    } else {
      text += is_quoted(node) ? quoted(node.Scalar()) : node.Scalar();
    }
    return;
  }
  text += node.IsMap() ? '{' : '[';
  const std::size_t begin = text.size();
  for (const auto& entry : node) {
    if (text.size() > begin) text += ", ";
    if (node.IsSequence()) {
      add_flow(entry, text);
    } else {
      text.append(entry.first.Scalar()).append(": ");
      add_flow(entry.second, text);
    }
  }
  text += node.IsMap() ? '}' : ']';
}

}  // namespace

Error malformed(std::string_view file, int line, const std::string& words) {
  return {.fault = Fault::Malformed,
          .path = std::string(file) + ":" + std::to_string(line) + ": " + words};
}

int line_of(const YAML::Node& node) { return node.Mark().line + 1; }

void refuse(const YAML::Node& node, std::string_view expected) {
  throw Malformed{line_of(node),
                  flow_text(node) + " found, " + std::string(expected) + " expected"};
}

Json value_of(const YAML::Node& node) {
  if (!node.IsDefined()) return nullptr;
  if (node.IsMap()) {
    Json object = Json::object();
    for (const auto& entry : node) object[entry.first.Scalar()] = value_of(entry.second);
    return object;
  }
  if (node.IsSequence()) {
    Json list = Json::array();
    for (const YAML::Node& element : node) list.push_back(value_of(element));
    return list;
  }
  if (!node.IsScalar()) return nullptr;
  return is_quoted(node) ? Json(node.Scalar()) : plain_value(node.Scalar());
}

std::string flow_text(const YAML::Node& node) {
  std::string text;
  add_flow(node, text);
  return text;
}

std::vector<YAML::Node> each_of(const YAML::Node& node) {
  if (!node.IsSequence()) return {node};
  return {node.begin(), node.end()};
}

std::vector<YAML::Node> some_of(const YAML::Node& node, std::string_view expected) {
  std::vector<YAML::Node> all = each_of(node);
  if (all.empty()) refuse(node, expected);
  return all;
}

std::string scalar_text(const YAML::Node& node, std::string_view expected) {
  if (!node.IsScalar()) refuse(node, expected);
  return node.Scalar();
}

}  // namespace nlc::sim::scenario

#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

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

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>
#include <yaml-cpp/yaml.h>

#include "runtime/result.h"

/// What the readers of scenario files know about YAML.
namespace nlc::sim::scenario {

/// A file cannot be understood; ends in the reader, which puts the file's name before it.
struct Malformed {
  int line;
  std::string words;  ///< what was found, what was expected
};

/// "FILE:LINE: words".
Error malformed(std::string_view file, int line, const std::string& words);

int line_of(const YAML::Node& node);

/// What stands at `node`, and what should.
[[noreturn]] void refuse(const YAML::Node& node, std::string_view expected);

/// By the core rules of YAML 1.2: plain true, 1 and null are what they look like, timestamps and
/// everything quoted are text.
nlohmann::json value_of(const YAML::Node& node);

/// On one line, in the order of the file.
std::string flow_text(const YAML::Node& node);

/// The list under `node`, or the single value as a list of one.
std::vector<YAML::Node> each_of(const YAML::Node& node);
/// The same where none is a mistake.
std::vector<YAML::Node> some_of(const YAML::Node& node, std::string_view expected);

std::string scalar_text(const YAML::Node& node, std::string_view expected);

}  // namespace nlc::sim::scenario

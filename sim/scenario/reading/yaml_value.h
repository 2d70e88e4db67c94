#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "runtime/result.h"
#include "yaml/json.h"

/// What the readers of scenario files know about YAML.
namespace nlc::sim::scenario {

using Yaml = yaml::Value;
using yaml::Malformed;

/// "FILE:LINE: words".
Error malformed(std::string_view file, int line, const std::string& words);

/// What stands at `node`, and what should.
[[noreturn]] void refuse(const Yaml& node, std::string_view expected);

/// On one line, in the order of the file.
std::string flow_text(const Yaml& node);

/// The list under `node`, or the single value as a list of one.
std::span<const Yaml> each_of(const Yaml& node);
/// The same where none is a mistake.
std::span<const Yaml> some_of(const Yaml& node, std::string_view expected);

/// The two of a list of two.
std::pair<const Yaml&, const Yaml&> pair_in(const Yaml& node, std::string_view expected);

std::string scalar_text(const Yaml& node, std::string_view expected);

}  // namespace nlc::sim::scenario

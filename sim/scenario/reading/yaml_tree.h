#pragma once

#include <yaml-cpp/yaml.h>

namespace nlc::sim::scenario {

/// Refuses, as Malformed with its line, what no reader could walk through or would read wrongly: a
/// key twice in one map, a key that is no text, nesting deeper than 64 (an alias to itself has no
/// end), and more than a million values, each alias counted as all that it stands for.
void check_tree(const YAML::Node& root);

}  // namespace nlc::sim::scenario

#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "yaml/json.h"

namespace nlc::tests {

/// What a YAML file of this tree says. One that is no such file ends the test, by its name and
/// line.
inline yaml::Value yaml_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + " cannot be read");
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  try {
    return yaml::read(text);
  } catch (const yaml::Malformed& found) {
    throw std::runtime_error(path.string() + ":" + std::to_string(found.line) + ": " + found.words);
  }
}

}  // namespace nlc::tests

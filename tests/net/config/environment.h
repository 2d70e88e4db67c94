#pragma once

#include <map>
#include <string>
#include <utility>

#include "net/process/environment.h"

namespace nlc::tests {

/// One with these variables alone.
inline net::Environment environment(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const std::string& name) {
    const auto found = variables.find(name);
    return found == variables.end() ? std::string() : found->second;
  };
}

}  // namespace nlc::tests

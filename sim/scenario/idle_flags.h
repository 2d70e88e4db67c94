#pragma once

#include <algorithm>
#include <array>
#include <string_view>

namespace nlc::sim::scenario {

/// Said of a flag that tells the program how to reach a server and its reader: who plays it in
/// virtual time has neither, and refuses it.
inline bool changes_nothing_in_virtual_time(std::string_view flag) {
  constexpr std::array<std::string_view, 7> idle{
      "kubeconfig", "context", "metrics-bind-address", "logging-format", "v", "help", "version"};
  return std::ranges::find(idle, flag) != idle.end();
}

}  // namespace nlc::sim::scenario

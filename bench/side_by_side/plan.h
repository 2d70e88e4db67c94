#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/flags.h"
#include "runtime/time.h"

namespace nlc::bench {

/// How large a comparison is, and how long each part of it lasts.
struct Plan {
  std::uint32_t nodes = 2000;
  std::uint32_t pods_per_node = 10;
  std::uint32_t die = 50;
  Duration grace = std::chrono::seconds(40);
  Duration settle = std::chrono::seconds(20);
  Duration window = std::chrono::seconds(60);         ///< at rest
  Duration failure_span = std::chrono::seconds(120);  ///< looked at, from the power cut on
  Duration recovery = std::chrono::seconds(30);       ///< after a power cut
  Duration pause = std::chrono::seconds(60);          ///< of the API server; 0: none
  Duration limited_span{0};  ///< of the failure with default client limits; 0: left out
  bool leader_dies = true;
  std::filesystem::path out = "bench/out";
  std::filesystem::path controller;  ///< programs; those built with this one
  std::filesystem::path workbench;
};

/// A comparison of two minutes, which only shows that all parts work.
Plan small_plan();

CommandLine<Plan> read_plan(const std::vector<std::string>& arguments);

}  // namespace nlc::bench

#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/flags.h"
#include "runtime/time.h"

namespace nlc::bench {

struct BenchFlags {
  std::vector<std::uint32_t> sizes{1000};  ///< nodes, a run for each
  std::uint32_t nodes = 0;                 ///< of the run in hand
  std::uint32_t pods_per_node = 10;
  double pod_changes_per_mille = 0;  ///< of all pods, each second
  Duration window = std::chrono::seconds(60);
  Duration settle = std::chrono::seconds(20);
  double die_percent = 0;
  bool zone_dies = false;
  Duration grace = std::chrono::seconds(50);
  std::uint32_t repeats = 1;
  bool json = false;
  bool feed = false;       ///< the cluster is a Feed, which only tells, instead of nlc
  std::string controller;  ///< programs to run; empty: those built with this one
  std::string workbench;
  std::vector<std::string> workbench_flags;
  std::vector<std::string> controller_flags;
};

/// How many nodes die together in the run in hand, at least one of them when any is to die.
std::uint32_t dying(const BenchFlags& flags);

CommandLine<BenchFlags> read_command_line(const std::vector<std::string>& arguments);

}  // namespace nlc::bench

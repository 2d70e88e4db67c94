#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/time.h"

namespace nlc::bench {

struct BenchFlags {
  std::uint32_t nodes = 1000;
  std::uint32_t pods_per_node = 10;
  Duration window = std::chrono::seconds(60);
  Duration settle = std::chrono::seconds(20);
  std::uint32_t die = 0;
  Duration grace = std::chrono::seconds(50);
  std::uint32_t repeats = 1;
  bool json = false;
  std::string controller;  ///< programs to run; empty: those built with this one
  std::string workbench;
  std::vector<std::string> controller_flags;
};

struct CommandLine {
  std::optional<BenchFlags> flags;  ///< without them the program ends
  int exit_code = 0;
  std::string text;  ///< help, or what is wrong
};

CommandLine read_command_line(int count, char** words);

}  // namespace nlc::bench

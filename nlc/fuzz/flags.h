#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/time.h"

namespace nlc::workbench {

struct FuzzFlags {
  std::uint64_t seeds = 1000;
  std::uint64_t first = 1;            ///< the first of them
  std::optional<std::uint64_t> seed;  ///< this one alone, told line by line
  unsigned jobs = 0;                  ///< processes at once; 0: one for each processor
  Duration for_{0};                   ///< ends after so long, however many are left; 0: never
  std::string out = "fuzz";           ///< folder for what was found
  std::string planted;                ///< a mistake to make and to find, or "all"; empty: none
};

}  // namespace nlc::workbench

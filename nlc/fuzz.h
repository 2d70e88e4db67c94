#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/time.h"

namespace nlc::sim {

struct FuzzFlags {
  std::uint64_t seeds = 1000;
  std::uint64_t first = 1;            ///< the first of them
  std::optional<std::uint64_t> seed;  ///< this one alone, told line by line
  unsigned jobs = 0;                  ///< processes at once; 0: one for each processor
  Duration for_{0};                   ///< ends after so long, however many are left; 0: never
  std::string out = "fuzz";           ///< folder for what was found
};

/// `nlc fuzz`: days drawn from numbers, played by processes of their own, so that one that ends
/// badly is found like any other. Returns the exit code: 0 when nothing was found, 1 when something
/// was, 2 when there was nothing to run by.
int run_fuzz(const FuzzFlags& flags);

}  // namespace nlc::sim

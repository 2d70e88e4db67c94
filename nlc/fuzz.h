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
  std::string planted;                ///< a mistake to make and to find, or "all"; empty: none
};

/// `nlc fuzz`: days drawn from numbers, played by processes of their own, so that one that ends
/// badly is found like any other. An interrupt ends it as if all had been played. Returns the exit
/// code: 0 when nothing was found, 1 when something was, or a place was never reached in a long
/// run, 2 when there was nothing to run by.
///
/// With `planted` the other way round: 0 when each such mistake was found.
int run_fuzz(const FuzzFlags& flags);

}  // namespace nlc::sim

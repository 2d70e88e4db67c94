#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sim/fuzz/day.h"

namespace nlc::sim::fuzz {

/// The day of that number: the same in every process, of every build of one version.
Day day_of(std::uint64_t seed);

/// Every kind of line that days are drawn from: each is a mark that long runs must hit.
const std::vector<std::string>& kinds();

}  // namespace nlc::sim::fuzz

#pragma once

#include <cstdint>
#include <string>

#include "runtime/result.h"

namespace nlc::sim::fuzz {

/// How a day is called wherever it is printed: by the version of the draw and its number,
/// "v6:4711".
std::string day_name(std::uint64_t seed);

/// The number of the day of that name, or what stands there alone: a number is of this version. The
/// error says why there is no such day.
Result<std::uint64_t> day_named(const std::string& name);

}  // namespace nlc::sim::fuzz

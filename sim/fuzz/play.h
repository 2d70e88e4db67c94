#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "sim/fuzz/day.h"
#include "sim/fuzz/marks.h"

namespace nlc::sim::fuzz {

/// How a day went.
struct DayResult {
  /// The one that was broken; "settled: …" where peace brought no order; else empty.
  std::string rule;
  std::string what;  ///< and how, with the offset
  /// How it went and what it left behind, as one number: equal for equal days, whatever process
  /// plays them.
  std::uint64_t hash = 0;
  MarkSet marks = {};  ///< where it came to

  bool good() const { return rule.empty(); }
};

/// Plays the day with the program that ships, in virtual time. `trace` is told each line of it.
DayResult play(const Day& day, const std::function<void(std::string_view)>& trace = {});

/// Plays a day and says which rule it broke, as `DayResult::rule`.
using Judge = std::function<std::string(const Day&)>;

/// The smallest day found that breaks the same rule: it ends when that is broken, and none of its
/// lines can be left out, unless to find that took too long. `told` hears of each step: lines that
/// are left. One that breaks none, or cannot be read, stays as it is.
Day shrunk(Day day, const Judge& judge, const std::function<void(std::size_t)>& told = {});

}  // namespace nlc::sim::fuzz

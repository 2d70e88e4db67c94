#pragma once

#include <bitset>
#include <string>
#include <vector>

#include "sim/fuzz/day.h"
#include "sim/scenario/stage/story.h"

namespace nlc::sim::fuzz {

/// Room for all of them.
using MarkSet = std::bitset<256>;

/// Places that are worth reaching, in the order of their numbers: every kind of line that days are
/// drawn from, and what logs tell of the rarer ways of the controller. A long run that never comes
/// to one of them does not try what it seems to.
const std::vector<std::string>& marks();

/// Those of one day, by its lines and by what was logged on it.
MarkSet marks_of(const Day& day, const std::vector<scenario::LogLine>& log);

}  // namespace nlc::sim::fuzz

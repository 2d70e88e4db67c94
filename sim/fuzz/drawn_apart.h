#pragma once

#include <string>
#include <vector>

#include "sim/fuzz/day.h"

namespace nlc::sim::fuzz {

/// Kinds of trouble that came later. Each is drawn from numbers of its own and comes on few days;
/// some leave days alone on which what others did makes it harm that is known (docs/fuzz.md).
void add_trouble_apart(Day& day, const Names& names, Span span);

/// What each of them is counted as, each once.
std::vector<std::string> trouble_apart_names();

}  // namespace nlc::sim::fuzz

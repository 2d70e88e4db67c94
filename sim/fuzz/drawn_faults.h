#pragma once

#include <string>
#include <vector>

#include "sim/fuzz/day.h"
#include "sim/fuzz/draw.h"

namespace nlc::sim::fuzz {

/// What goes wrong on a day: which kinds there are is drawn first, so that some days have one kind
/// alone and much of it.
void add_trouble(Draw& draw, Day& day, const Names& names, Span span);

/// What each kind of trouble is counted as, each once.
std::vector<std::string> trouble_names();

}  // namespace nlc::sim::fuzz

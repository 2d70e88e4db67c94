#pragma once

#include <string>
#include <vector>

#include "sim/fuzz/day.h"

namespace nlc::sim::fuzz {

/// On few days nodes have pods besides those that somebody deployed plainly: of other owners, or
/// not in the middle of their lives. Each kind is drawn from numbers of its own.
void add_other_pods(Day& day, const Names& names, Span span);

/// What they are counted as, each once.
std::vector<std::string> other_pod_names();

}  // namespace nlc::sim::fuzz

#pragma once

#include <string>
#include <vector>

#include "sim/fuzz/day.h"

namespace nlc::sim::fuzz {

/// Trouble that does harm only in its order: what happens between a backup and its restore, to
/// nodes that wait for one another, at a moment when nobody can see it. Drawn one by one such steps
/// would not meet in a million days. A story has nodes and pods of its own, in zones of its own,
/// and leaves the rest of the day as it is: it draws for itself.
void add_stories(Day& day, const std::vector<std::string>& replicas, Span span);

/// What each story is counted as, each once.
std::vector<std::string> story_names();

}  // namespace nlc::sim::fuzz

#pragma once

#include "sim/fuzz/day.h"
#include "sim/fuzz/draw.h"

namespace nlc::sim::fuzz {

/// The day's controller: one replica, or several that contend, by which lock and with which times;
/// on few days another beside them that only observes.
void add_replicas(Draw& draw, Day& day, Names& names);

/// In peace all of them run: who was stopped while he was paused has gone only when he woke.
void run_all_replicas(Day& day, const Names& names);

}  // namespace nlc::sim::fuzz

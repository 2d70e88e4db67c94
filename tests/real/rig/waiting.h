#pragma once

#include <functional>
#include <optional>

#include "runtime/time.h"

/// The tests of this folder drive real programs in real time. They wait only here: for something
/// that can be asked, up to a limit, never for a fixed while.
namespace nlc::real {

/// The wall clock of this machine, which the servers of the tests read too.
WallTime wall_now();

/// Asks `holds` until it says yes; how long that took, or nothing when `limit` was over first.
std::optional<Duration> await(Duration limit, const std::function<bool()>& holds,
                              Duration pause = std::chrono::milliseconds(100));

/// Whether `holds` says yes each time it is asked for as long as `length`; ends with the first no.
bool stays(Duration length, const std::function<bool()>& holds,
           Duration pause = std::chrono::milliseconds(500));

}  // namespace nlc::real

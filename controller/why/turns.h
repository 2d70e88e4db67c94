#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "controller/why/parts.h"

/// What comes next for nodes in the queues of their zones, or on their way there, and what holds it
/// back. Whatever is asked about is answered from here, so that no two answers differ.
namespace nlc::controller::why {

/// Writes about a node that are not answered yet, or wait after a failure.
std::vector<Obstacle> write_obstacles(Slot node, const Insight& insight);

/// A node that is silent, and not marked Unknown yet.
bool is_unmarked(Slot node, const Insight& insight);
/// That it is marked; `whose`: "its", or "node NAME's".
Coming marking_of(Slot node, const std::string& whose, const Insight& insight);

/// A node that waits in the queue of its zone.
struct Turn {
  std::size_t place = 1;
  std::optional<Duration> token_in;  ///< if the zone's pace stays; nothing: it lets nobody go
  std::vector<Obstacle> held;        ///< beside the queue itself
  /// Of the node when all of that is over; `what` is to come. Whoever is behind it in the queue
  /// waits as long.
  Coming coming(std::string what) &&;
};
Turn turn_of(Slot node, const Insight& insight);
/// The same of whoever is the first to leave the queue of a zone in which somebody waits, by its
/// name, with `more` behind it.
Coming first_turn(const Zone& zone, const std::string& more, const Insight& insight);
/// What nodes wait for in these queues.
std::string_view awaited(const Insight& insight);
/// A node that would wait there, if evictions were not paused.
bool waits_unless_paused(Slot node, const Insight& insight);

}  // namespace nlc::controller::why

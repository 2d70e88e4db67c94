#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::informer {

/// What changes while no watch is open may be lost before one is, if the server is restored. No
/// server is restored sooner than this.
inline constexpr Duration long_gap = std::chrono::seconds(1);

/// No watch has been open since `left`, and one broke off or none was for so long.
inline bool is_gap(const std::optional<Instant>& left, bool broke_off, Instant now) {
  return left && (broke_off || now - *left >= long_gap);
}

/// What a reflector lets others see; counters only grow. On the executor's thread.
struct ReflectorState {
  bool synced = false;     ///< a list has been complete
  bool streaming = false;  ///< a watch is open, accepted, and not to be replaced by a list
  /// Why it is not: the beginning of the last error's words. Empty when all is well.
  std::string trouble;
  std::optional<Fault> fault;  ///< that error's, where the server or its network refused
  Instant last_progress;       ///< last event that could be read, bookmark, page or acceptance
  Instant last_change;         ///< last change or complete list that was taken

  // --- gaps

  /// When the last watch that had been accepted ended, or was given up for a list; nothing where
  /// one is open, or none was yet.
  std::optional<Instant> left;
  std::uint64_t lists_when_left = 0;
  /// That watch broke off instead of ending in order, or one that was tried since did.
  bool broke_off = false;
  /// When a watch was last accepted after one that broke off, or after none for `long_gap`.
  Instant gap_ended = Instant::min();
  /// How many of these began behind a new list: then the server was not asked whether it still has
  /// the history of the gap.
  std::uint64_t not_resumed = 0;

  // --- counters

  std::uint64_t applied = 0;           ///< changes of the store that the stream brought
  std::uint64_t lists = 0;             ///< complete ones
  std::uint64_t restarts = 0;          ///< streams and lists that were left
  std::uint64_t restarts_at_list = 0;  ///< how many there were when the last list was complete
  /// Of the restarts, those that were no orderly end: the server may have been restored.
  std::uint64_t breaks = 0;
  std::uint64_t breaks_at_list = 0;
  std::uint64_t malformed = 0;  ///< events and items of lists that could not be read
};

}  // namespace nlc::informer

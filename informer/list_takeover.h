#pragma once

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "informer/packed_identity.h"
#include "informer/slot_table.h"
#include "runtime/time.h"

namespace nlc::informer {

/// How a complete list stands to what was seen before it.
struct ListState {
  std::string_view version;  ///< at which the server stood; empty: whatever is listed counts
  bool rewound = false;      ///< the server went back in time: no version seen before counts
  std::optional<Instant> came = {};  ///< when the watch event arrived that completed it
};

/// One complete list as it is taken over: of each object, whether what is held of it counts or what
/// was listed, and whether the two contradict each other.
///
/// Pure. Wants to hear of each listed object once, in order: `takes` or `adds`.
class ListTakeover {
 public:
  /// `slots`: how many there may be in the end.
  ListTakeover(const ListState& list, std::size_t slots) : list_(list), listed_(slots, false) {}

  /// Whether what was listed replaces what the slot holds. It does, whatever versions the two have;
  /// save over an answer to a write of ours, which is newer than the whole list, and over a newer
  /// state that was listed before.
  bool takes(Slot slot, const PackedIdentity& held, const PackedIdentity& listed);
  /// It was not there, and is in that slot now.
  void adds(Slot slot) { listed_[slot] = true; }
  bool has(Slot slot) const { return listed_[slot]; }

  /// Whether `kept`, which stays although it was not listed, gets the list's version: after the
  /// server went back in time its own would be newer than each of its events, until the server has
  /// come that far again.
  bool makes_older(const PackedIdentity& kept) const {
    return list_.rewound && kept.outdates(list_.version);
  }

  /// How many objects contradict what was held: older than that, in a list that is not. The
  /// versions of a key only grow, whatever its object's uid, so the server has old contents under
  /// new versions (a backup that was restored with `--bump-revision`, or that has come as far
  /// again). Nothing is counted that is newer than the whole list, which shows by that already, nor
  /// where versions cannot be compared.
  ///
  /// An object may be listed twice, and the later state be no older than what was held: only at the
  /// end of the list, from the rows as they are then, can it be told.
  template <typename Rows>
  std::size_t contradictions(const Rows& rows) const {
    return static_cast<std::size_t>(std::ranges::count_if(
        reversals_, [&](const Reversal& one) { return one.lasts(rows[one.slot].identity()); }));
  }

 private:
  /// What is listed is older than what was held.
  struct Reversal {
    Slot slot = 0;
    std::string held;  ///< its version
    bool lasts(const PackedIdentity& now) const;
  };

  bool stands(Slot slot, const PackedIdentity& held, const PackedIdentity& listed) const;

  const ListState list_;
  std::vector<bool> listed_;  ///< by slot
  std::vector<Reversal> reversals_;
};

}  // namespace nlc::informer

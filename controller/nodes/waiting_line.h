#pragma once

#include <cstdint>
#include <map>

#include "informer/store.h"

namespace nlc::controller {

/// Nodes that wait for the same thing, in the order in which they came. One that waits already
/// keeps its place.
class WaitingLine {
 public:
  using Slot = informer::Slot;

  void join(Slot slot) {
    if (places_.try_emplace(slot, came_).second) slots_.emplace(came_++, slot);
  }
  void leave(Slot slot) {
    const auto place = places_.find(slot);
    if (place == places_.end()) return;
    slots_.erase(place->second);
    places_.erase(place);
  }

  bool empty() const { return slots_.empty(); }
  bool contains(Slot slot) const { return places_.contains(slot); }
  Slot first() const { return slots_.begin()->second; }

 private:
  std::map<std::uint64_t, Slot> slots_;  ///< by how many had come before
  std::map<Slot, std::uint64_t> places_;
  std::uint64_t came_ = 0;
};

}  // namespace nlc::controller

#pragma once

#include <absl/container/flat_hash_map.h>
#include <algorithm>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "informer/store.h"
#include "informer/string_map.h"

namespace nlc::informer {

/// Which slots carry a value, such as the pods of a node. Objects with an empty value are not
/// indexed; a value that nobody carries any more leaves nothing behind (#84959).
class Index {
 public:
  void add(std::string_view value, Slot slot) {
    if (!value.empty()) slots_[value].push_back(slot);
  }

  void remove(std::string_view value, Slot slot) {
    const auto found = slots_.find(value);
    if (found == slots_.end()) return;
    std::vector<Slot>& carriers = found->second;
    const auto position = std::ranges::find(carriers, slot);
    if (position != carriers.end()) carriers.erase(position);  // keeps the order of arrival
    if (carriers.empty()) slots_.erase(found);
  }

  /// In the order in which they came.
  std::span<const Slot> with(std::string_view value) const {
    const auto found = slots_.find(value);
    return found == slots_.end() ? std::span<const Slot>() : std::span<const Slot>(found->second);
  }

  std::size_t values() const { return slots_.size(); }

 private:
  StringMap<std::vector<Slot>> slots_;
};

}  // namespace nlc::informer

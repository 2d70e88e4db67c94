#pragma once

#include <absl/container/flat_hash_map.h>
#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "informer/shared_text.h"
#include "informer/slot_table.h"

namespace nlc::informer {

/// Which slots carry a value, such as the pods of a node. Objects with an empty value are not
/// indexed; a value that nobody carries any more leaves nothing behind (#84959).
class Index {
 public:
  Index() : own_texts_(std::in_place), texts_(*own_texts_) {}
  /// Shares its texts with stores; they must outlive it.
  explicit Index(TextPool& texts) : texts_(texts) {}
  Index(const Index&) = delete;
  Index& operator=(const Index&) = delete;

  void add(std::string_view value, Slot slot) {
    if (value.empty()) return;
    const auto found = slots_.find(value);
    std::vector<Slot>& carriers = found != slots_.end() ? found->second : slots_[texts_.of(value)];
    carriers.push_back(slot);
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
  std::optional<TextPool> own_texts_;
  TextPool& texts_;
  absl::flat_hash_map<SharedText, std::vector<Slot>, SharedTextHash, SharedTextEqual> slots_;
};

}  // namespace nlc::informer

#pragma once

#include <absl/container/flat_hash_set.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "informer/packed_objects.h"

namespace nlc::informer {

/// A place in a store: stays the same for as long as its object exists, and is given to another one
/// afterwards.
using Slot = std::uint32_t;

/// Packed objects in numbered places, found by key. Which place one gets depends only on the order
/// of changes and never on a hash.
template <typename T>
class SlotTable {
 public:
  using Row = Packed<T>;

  SlotTable() = default;
  SlotTable(const SlotTable&) = delete;  // the index looks into the rows
  SlotTable& operator=(const SlotTable&) = delete;

  /// Where the object is that has this key, or that of this object or row.
  template <typename Key>
  std::optional<Slot> find(const Key& key) const {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    return *found;
  }

  bool holds(Slot slot) const { return slot < rows_.size() && rows_[slot].is_object(); }
  const Row& operator[](Slot slot) const { return rows_[slot]; }
  /// What is put into a place that is taken has to have the same key.
  Row& operator[](Slot slot) { return rows_[slot]; }

  /// One more than the highest slot ever taken.
  std::size_t slot_count() const { return rows_.size(); }
  std::size_t size() const { return by_key_.size(); }

  /// Of a key that is not there yet.
  Slot insert(Row row) {
    const Slot slot = free_.empty() ? static_cast<Slot>(rows_.size()) : free_.back();
    free_.empty() ? static_cast<void>(rows_.emplace_back()) : free_.pop_back();
    rows_[slot] = std::move(row);
    by_key_.insert(slot);
    return slot;
  }
  void erase(Slot slot) {
    by_key_.erase(slot);
    rows_[slot] = Row();
    free_.push_back(slot);
  }

 private:
  using Rows = std::deque<Row>;

  /// The index holds slots only; these find their keys.
  struct Hash {
    using is_transparent = void;
    const Rows* rows;
    std::size_t operator()(std::string_view key) const { return Row::hash_of(key); }
    std::size_t operator()(const T& object) const { return Row::hash_of(object); }
    std::size_t operator()(const Row& row) const { return row.hash(); }
    std::size_t operator()(Slot slot) const { return (*rows)[slot].hash(); }
  };
  struct Equal {
    using is_transparent = void;
    const Rows* rows;
    bool operator()(Slot slot, std::string_view key) const { return (*rows)[slot].has_key(key); }
    bool operator()(Slot slot, const T& object) const { return (*rows)[slot].has_key_of(object); }
    bool operator()(Slot slot, const Row& row) const { return (*rows)[slot].has_key_of(row); }
    bool operator()(Slot left, Slot right) const { return left == right; }
  };

  Rows rows_;  ///< grows without moving what is there; a row without an object is free
  std::vector<Slot> free_;
  absl::flat_hash_set<Slot, Hash, Equal> by_key_{0, Hash{&rows_}, Equal{&rows_}};
};

}  // namespace nlc::informer

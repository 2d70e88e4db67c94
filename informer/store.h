#pragma once

#include <absl/container/flat_hash_map.h>
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "informer/string_map.h"
#include "informer/version.h"

namespace nlc::informer {

/// A place in a store: stays the same for as long as its object exists, and is given to another one
/// afterwards.
using Slot = std::uint32_t;

/// Told, on the executor's thread, of every change right after it was made. An object that was
/// deleted and created anew between two lists comes as one update with another uid: compare uids.
template <typename T>
class StoreListener {
 public:
  virtual ~StoreListener() = default;
  /// `before` is nothing for an object that is new.
  virtual void on_stored(Slot slot, const T& object, const T* before) = 0;
  /// The slot still holds the object during the call, and is free after it.
  virtual void on_removed(Slot slot, const T& object) = 0;
  /// A complete list has been taken over; the first one makes the store synced.
  virtual void on_synced() = 0;
};

/// The objects of one resource as last seen, by key. Walks are in slot order, which depends only on
/// the order of changes and never on a hash. One writer, on the executor's thread; readers there
/// borrow by reference.
template <typename T>
class Store {
 public:
  /// The listener must outlive the store; nothing is told before it is set.
  void set_listener(StoreListener<T>* listener) { listener_ = listener; }

  const T* find(std::string_view key) const {
    const std::optional<Slot> slot = slot_of(key);
    return slot ? &*slots_[*slot] : nullptr;
  }

  std::optional<Slot> slot_of(std::string_view key) const {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    return found->second;
  }

  /// The object in a slot that is known to be taken.
  const T& at(Slot slot) const {
    assert(holds(slot));
    return *slots_[slot];
  }

  bool holds(Slot slot) const { return slot < slots_.size() && slots_[slot].has_value(); }

  /// One more than the highest slot ever taken: the size for arrays that run beside the store.
  std::size_t slot_count() const { return slots_.size(); }
  std::size_t size() const { return by_key_.size(); }
  bool synced() const { return synced_; }

  template <typename Visit>
  void each(Visit visit) const {
    for (Slot slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot]) visit(slot, *slots_[slot]);
    }
  }

  /// Takes an object as seen in a watch event. Answers to writes may have overtaken it, so an older
  /// version than the one at hand changes nothing.
  void apply(T object) {
    const std::optional<Slot> slot = slot_of(object.key());
    if (slot && older_version(object.resource_version, at(*slot).resource_version)) return;
    put(slot, std::move(object));
  }

  /// Takes an object as answered to a write of ours. Only the watch tells what exists: its deletion
  /// may have overtaken the answer, and nothing would ever remove an object brought back by it.
  void refresh(T object) {
    const T* known = find(object.key());
    if (known != nullptr && known->uid == object.uid) apply(std::move(object));
  }

  void remove(std::string_view key) {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return;
    const Slot slot = found->second;
    if (listener_ != nullptr) listener_->on_removed(slot, *slots_[slot]);
    by_key_.erase(found);
    slots_[slot].reset();
    free_.push_back(slot);
  }

  /// Takes over a complete list, whatever versions it has: what is not in it is gone.
  void replace(std::vector<T> objects) {
    std::vector<bool> listed(slots_.size() + objects.size(), false);
    for (T& object : objects) {
      const std::optional<Slot> slot = slot_of(object.key());
      const bool known = slot && at(*slot).resource_version == object.resource_version &&
                         at(*slot).uid == object.uid;
      listed[known ? *slot : put(slot, std::move(object))] = true;
    }
    for (Slot slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot] && !listed[slot]) remove(slots_[slot]->key());
    }
    synced_ = true;
    if (listener_ != nullptr) listener_->on_synced();
  }

 private:
  Slot put(std::optional<Slot> slot, T object) {
    if (!slot) {
      const Slot taken = take_slot();
      by_key_.emplace(object.key(), taken);
      slots_[taken] = std::move(object);
      if (listener_ != nullptr) listener_->on_stored(taken, *slots_[taken], nullptr);
      return taken;
    }
    const T before = std::exchange(*slots_[*slot], std::move(object));
    if (listener_ != nullptr) listener_->on_stored(*slot, *slots_[*slot], &before);
    return *slot;
  }

  Slot take_slot() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<Slot>(slots_.size() - 1);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    return slot;
  }

  std::vector<std::optional<T>> slots_;
  std::vector<Slot> free_;
  StringMap<Slot> by_key_;
  StoreListener<T>* listener_ = nullptr;
  bool synced_ = false;
};

}  // namespace nlc::informer

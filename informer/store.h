#pragma once

#include <absl/container/flat_hash_set.h>
#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

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
///
/// An object is all that is kept of it: its key is looked up in the object itself.
template <typename T>
class Store {
 public:
  Store() = default;
  Store(const Store&) = delete;  // the index looks into the slots
  Store& operator=(const Store&) = delete;

  /// The listener must outlive the store; nothing is told before it is set.
  void set_listener(StoreListener<T>* listener) { listener_ = listener; }

  const T* find(std::string_view key) const {
    const std::optional<Slot> slot = slot_of(key);
    return slot ? &*slots_[*slot] : nullptr;
  }

  std::optional<Slot> slot_of(std::string_view key) const {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    return *found;
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
  /// version than the one at hand changes nothing. `object` is left with what was here before, so
  /// that its memory can be used again.
  void apply(T&& object) {
    const std::optional<Slot> slot = slot_of(object);
    if (slot && older_version(object.resource_version, at(*slot).resource_version)) return;
    put(slot, std::move(object));
  }
  void apply(const T& object) { apply(T(object)); }

  /// Takes an object as answered to a write of ours. Only the watch tells what exists: its deletion
  /// may have overtaken the answer, and nothing would ever remove an object brought back by it.
  void refresh(T&& object) {
    const std::optional<Slot> slot = slot_of(object);
    if (slot && at(*slot).uid == object.uid) apply(std::move(object));
  }

  void remove(std::string_view key) {
    if (const std::optional<Slot> slot = slot_of(key)) remove(*slot);
  }

  /// Takes over a complete list, whatever versions it has: what is not in it is gone.
  void replace(std::deque<T> objects) {
    std::vector<bool> listed(slots_.size() + objects.size(), false);
    // Each leaves the list as it enters the store: there is never twice the whole.
    for (; !objects.empty(); objects.pop_front()) {
      T& object = objects.front();
      const std::optional<Slot> slot = slot_of(object);
      const bool known = slot && at(*slot).resource_version == object.resource_version &&
                         at(*slot).uid == object.uid;
      listed[known ? *slot : put(slot, std::move(object))] = true;
    }
    for (Slot slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot] && !listed[slot]) remove(slot);
    }
    synced_ = true;
    if (listener_ != nullptr) listener_->on_synced();
  }

 private:
  using Slots = std::deque<std::optional<T>>;

  /// The index holds slots only; these find their keys.
  struct Hash {
    using is_transparent = void;
    const Slots* slots;
    std::size_t operator()(std::string_view key) const { return T::key_hash(key); }
    std::size_t operator()(const T& object) const { return object.key_hash(); }
    std::size_t operator()(Slot slot) const { return (*slots)[slot]->key_hash(); }
  };
  struct Equal {
    using is_transparent = void;
    const Slots* slots;
    bool operator()(Slot slot, std::string_view key) const { return (*slots)[slot]->has_key(key); }
    bool operator()(Slot slot, const T& object) const { return (*slots)[slot]->has_key_of(object); }
    bool operator()(Slot left, Slot right) const { return left == right; }
  };

  std::optional<Slot> slot_of(const T& object) const {
    const auto found = by_key_.find(object);
    if (found == by_key_.end()) return std::nullopt;
    return *found;
  }

  Slot put(std::optional<Slot> slot, T&& object) {
    if (!slot) {
      const Slot taken = take_slot();
      slots_[taken] = std::move(object);
      by_key_.insert(taken);
      if (listener_ != nullptr) listener_->on_stored(taken, *slots_[taken], nullptr);
      return taken;
    }
    std::swap(*slots_[*slot], object);
    if (listener_ != nullptr) listener_->on_stored(*slot, *slots_[*slot], &object);
    return *slot;
  }

  void remove(Slot slot) {
    if (listener_ != nullptr) listener_->on_removed(slot, *slots_[slot]);
    by_key_.erase(slot);
    slots_[slot].reset();
    free_.push_back(slot);
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

  Slots slots_;  ///< grows without moving what is there
  std::vector<Slot> free_;
  absl::flat_hash_set<Slot, Hash, Equal> by_key_{0, Hash{&slots_}, Equal{&slots_}};
  StoreListener<T>* listener_ = nullptr;
  bool synced_ = false;
};

}  // namespace nlc::informer

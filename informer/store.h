#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "informer/list_takeover.h"
#include "informer/listed_objects.h"
#include "informer/packed_objects.h"
#include "informer/shared_text.h"
#include "informer/slot_table.h"
#include "runtime/time.h"

namespace nlc::informer {

/// Told, on the executor's thread, of every change right after it was made. An object that was
/// deleted and created anew between two lists comes as one update with another uid: compare uids.
template <typename T>
class StoreListener {
 public:
  virtual ~StoreListener() = default;
  /// `before` is nothing for an object that is new.
  virtual void on_stored(Slot slot, const T& object, const T* before) = 0;
  /// The same of what a watch event brought, which arrived at `came`: for those who date what they
  /// are told.
  virtual void on_event(Slot slot, const T& object, const T* before, Instant came) {
    static_cast<void>(came);
    on_stored(slot, object, before);
  }
  /// The slot still holds the object during the call, and is free after it.
  virtual void on_removed(Slot slot, const T& object) = 0;
  /// The same of one that a list does not have: what became of it before it went nobody was told.
  virtual void on_missing(Slot slot, const T& object) { on_removed(slot, object); }
  /// A complete list has been taken over; the first one makes the store synced.
  virtual void on_synced() = 0;
};

/// The objects of one resource as last seen, by key: which of two states of one counts, and who is
/// told. Walks are in slot order. One writer, on the executor's thread.
///
/// Objects are kept packed: whoever asks for one gets a copy of it as it is then.
template <typename T>
class Store {
 public:
  Store() : own_texts_(std::in_place), texts_(*own_texts_) {}
  /// Shares its texts with other stores; they must outlive it.
  explicit Store(TextPool& texts) : texts_(texts) {}

  /// For a list that it is to take over.
  TextPool& texts() { return texts_; }

  /// The listener must outlive the store; nothing is told before it is set.
  void set_listener(StoreListener<T>* listener) { listener_ = listener; }

  std::optional<T> find(std::string_view key) const {
    const std::optional<Slot> slot = slot_of(key);
    return slot ? std::optional(at(*slot)) : std::nullopt;
  }

  std::optional<Slot> slot_of(std::string_view key) const { return slots_.find(key); }

  /// The object in a slot that is known to be taken.
  T at(Slot slot) const {
    assert(holds(slot));
    T object;
    slots_[slot].get(object);
    return object;
  }

  /// Whether the object in that slot, which is taken, is the one with this uid.
  bool has_uid(Slot slot, std::string_view uid) const {
    assert(holds(slot));
    return slots_[slot].identity().has_uid(uid);
  }

  /// Another one for another object or version of it, save by chance; without unpacking it.
  std::uint64_t digest_at(Slot slot) const { return slots_[slot].identity().digest(); }
  /// Its name, without unpacking it: until the store changes.
  std::string_view name_at(Slot slot) const { return slots_[slot].name(); }
  std::string_view namespace_at(Slot slot) const { return slots_[slot].namespace_name(); }

  bool holds(Slot slot) const { return slots_.holds(slot); }

  /// One more than the highest slot ever taken: the size for arrays that run beside the store.
  std::size_t slot_count() const { return slots_.slot_count(); }
  std::size_t size() const { return slots_.size(); }
  bool synced() const { return synced_; }
  /// Whether what the listener is told now comes from a list or a read, so that changes between the
  /// object's last state and this one may have been missed.
  bool catching_up() const { return catching_up_; }

  /// Unpacks them all: for a walk that needs only their places there is `each_slot`.
  template <typename Visit>
  void each(Visit visit) const {
    each_slot([&](Slot slot) { visit(slot, at(slot)); });
  }
  template <typename Visit>
  void each_slot(Visit visit) const {
    for (Slot slot = 0; slot < slots_.slot_count(); ++slot) {
      if (slots_.holds(slot)) visit(slot);
    }
  }

  /// Takes an object as seen in a watch event. Answers to writes may have overtaken it, so an older
  /// version than the one at hand changes nothing; one that cannot be compared is believed, for a
  /// stream has an order of its own. A lease that was renewed is taken without allocating. `came`:
  /// when the event arrived.
  void apply(const T& object, std::optional<Instant> came = std::nullopt) {
    const std::optional<Slot> slot = slots_.find(object);
    if (slot && slots_[*slot].identity().outdates(object.resource_version)) return;
    put(slot, object, came);
  }

  /// Takes a deletion as seen in a watch event. It is ignored where the store already holds a later
  /// object of the same name.
  void apply_deletion(const T& deleted) {
    const std::optional<Slot> slot = slots_.find(deleted);
    if (!slot) return;
    const PackedIdentity& held = slots_[*slot].identity();
    if (!held.outlives(deleted.uid, deleted.resource_version)) remove(*slot);
  }

  /// Takes an object as answered to a write of ours. Only the watch tells what exists: its deletion
  /// may have overtaken the answer, and nothing would ever remove an object brought back by it.
  void refresh(const T& object) {
    const std::optional<Slot> slot = slots_.find(object);
    if (slot && has_uid(*slot, object.uid)) apply(object);
  }

  /// The same of an object that was read, whenever it became what it is.
  void refresh_by_read(const T& object) {
    catching_up_ = true;
    refresh(object);
    catching_up_ = false;
  }

  void remove(std::string_view key) {
    if (const std::optional<Slot> slot = slot_of(key)) remove(*slot);
  }

  /// Takes over a complete list: what is not in it, and not kept by it, is gone. How many of its
  /// objects contradict what was held (`ListTakeover`).
  std::size_t take_over(ListedObjects<T>& objects, const ListState& list = {}) {
    ListTakeover takeover(list, slots_.slot_count() + objects.size());
    catching_up_ = true;
    std::vector<bool> kept(slots_.slot_count() + objects.size(), objects.keeps_missing());
    for (const std::string& key : objects.kept()) {
      if (const std::optional<Slot> slot = slot_of(key)) kept[*slot] = true;
    }
    objects.drain([&](Row& row) { take(row, takeover, list.came); });
    each_slot([&](Slot slot) {
      if (takeover.has(slot)) return;
      kept[slot] ? stay(slot, takeover, list) : miss(slot);
    });
    objects.clear();
    synced_ = true;
    if (listener_ != nullptr) listener_->on_synced();
    catching_up_ = false;
    return takeover.contradictions(slots_);
  }

  /// A list that is there as a whole.
  void replace(const std::vector<T>& objects) {
    ListedObjects<T> list(texts_);
    for (const T& object : objects) list.add(object);
    take_over(list);
  }

 private:
  using Row = Packed<T>;

  void put(std::optional<Slot> slot, const T& object, std::optional<Instant> came) {
    if (!slot) {
      Row row;
      row.set(object, texts_);
      return tell_stored(slots_.insert(std::move(row)), object, nullptr, came);
    }
    if (listener_ != nullptr) slots_[*slot].get(before_);
    slots_[*slot].set(object, texts_);
    tell_stored(*slot, object, &before_, came);
  }

  void tell_stored(Slot slot, const T& object, const T* before, std::optional<Instant> came) {
    if (listener_ == nullptr) return;
    came ? listener_->on_event(slot, object, before, *came)
         : listener_->on_stored(slot, object, before);
  }

  void stay(Slot slot, const ListTakeover& takeover, const ListState& list) {
    if (!takeover.makes_older(slots_[slot].identity())) return;
    T object = at(slot);
    object.resource_version = list.version;
    put(slot, object, list.came);
  }

  /// Nobody is told of what is there already.
  void take(Row& row, ListTakeover& takeover, std::optional<Instant> came) {
    std::optional<Slot> slot = slots_.find(row);
    if (slot && !takeover.takes(*slot, slots_[*slot].identity(), row.identity())) return;
    const bool told = slot && listener_ != nullptr;
    if (told) slots_[*slot].get(before_);
    if (slot) {
      slots_[*slot] = std::move(row);
    } else {
      slot = slots_.insert(std::move(row));
      takeover.adds(*slot);
    }
    if (listener_ != nullptr) tell_stored(*slot, at(*slot), told ? &before_ : nullptr, came);
  }

  void remove(Slot slot) {
    if (listener_ != nullptr) listener_->on_removed(slot, at(slot));
    slots_.erase(slot);
  }
  void miss(Slot slot) {
    if (listener_ != nullptr) listener_->on_missing(slot, at(slot));
    slots_.erase(slot);
  }

  std::optional<TextPool> own_texts_;
  TextPool& texts_;
  SlotTable<T> slots_;
  T before_;  ///< of the change that is being told; kept so that its memory is used again
  StoreListener<T>* listener_ = nullptr;
  bool synced_ = false;
  bool catching_up_ = false;
};

}  // namespace nlc::informer

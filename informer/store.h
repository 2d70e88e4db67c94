#pragma once

#include <absl/container/flat_hash_set.h>
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/version.h"
#include "informer/packed_objects.h"
#include "informer/shared_text.h"
#include "runtime/time.h"

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
  /// The same of what a watch event brought, which arrived at `came`: for those who date what they
  /// are told.
  virtual void on_event(Slot slot, const T& object, const T* before, Instant came) {
    static_cast<void>(came);
    on_stored(slot, object, before);
  }
  /// The slot still holds the object during the call, and is free after it.
  virtual void on_removed(Slot slot, const T& object) = 0;
  /// A complete list has been taken over; the first one makes the store synced.
  virtual void on_synced() = 0;
};

/// How a complete list stands to what was seen before it.
struct ListState {
  std::string_view version;  ///< at which the server stood; empty: it is believed in everything
  bool rewound = false;      ///< the server went back in time: no version seen before counts
  std::optional<Instant> came = {};  ///< when the watch event arrived that completed it
};

/// The objects of one resource as last seen, by key. Walks are in slot order, which depends only on
/// the order of changes and never on a hash. One writer, on the executor's thread.
///
/// Objects are kept packed: whoever asks for one gets a copy of it as it is then.
template <typename T>
class Store {
 public:
  Store() : own_texts_(std::in_place), texts_(*own_texts_) {}
  /// Shares its texts with other stores; they must outlive it.
  explicit Store(TextPool& texts) : texts_(texts) {}
  Store(const Store&) = delete;  // the index looks into the slots
  Store& operator=(const Store&) = delete;

  /// The listener must outlive the store; nothing is told before it is set.
  void set_listener(StoreListener<T>* listener) { listener_ = listener; }

  std::optional<T> find(std::string_view key) const {
    const std::optional<Slot> slot = slot_of(key);
    return slot ? std::optional(at(*slot)) : std::nullopt;
  }

  std::optional<Slot> slot_of(std::string_view key) const {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    return *found;
  }

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

  bool holds(Slot slot) const { return slot < slots_.size() && slots_[slot].is_object(); }

  /// One more than the highest slot ever taken: the size for arrays that run beside the store.
  std::size_t slot_count() const { return slots_.size(); }
  std::size_t size() const { return by_key_.size(); }
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
    for (Slot slot = 0; slot < slots_.size(); ++slot) {
      if (slots_[slot].is_object()) visit(slot);
    }
  }

  /// Takes an object as seen in a watch event. Answers to writes may have overtaken it, so an older
  /// version than the one at hand changes nothing; one that cannot be compared is believed, for a
  /// stream has an order of its own. A lease that was renewed is taken without allocating. `came`:
  /// when the event arrived.
  void apply(const T& object, std::optional<Instant> came = std::nullopt) {
    const std::optional<Slot> slot = place_of(object);
    if (slot && is_newer(slots_[*slot], object.resource_version)) return;
    put(slot, object, came);
  }

  /// Takes a deletion as seen in a watch event. It is ignored where the store already holds a later
  /// object of the same name.
  void apply_deletion(const T& deleted) {
    const std::optional<Slot> slot = place_of(deleted);
    if (slot && !outlives(slots_[*slot], deleted)) remove(*slot);
  }

  /// Takes an object as answered to a write of ours. Only the watch tells what exists: its deletion
  /// may have overtaken the answer, and nothing would ever remove an object brought back by it.
  void refresh(const T& object) {
    const std::optional<Slot> slot = place_of(object);
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

  // A complete list comes object by object and counts when it is committed.

  void begin_list() {
    listed_.clear();
    kept_.clear();
    keeps_missing_ = false;
  }
  /// If an object is listed twice the newer version counts, or the later one if they cannot be
  /// compared.
  void list(const T& object) { listed_.emplace_back().set(object, texts_); }
  /// An object that was listed has been deleted before the list was complete.
  void unlist(const T& deleted) {
    std::erase_if(listed_, [&](const Row& row) {
      return row.has_key_of(deleted) && !outlives(row, deleted);
    });
    std::erase(kept_, std::string(deleted.key()));
  }
  /// The list has an object of that key, which cannot be read: it stays as it is here.
  void keep(std::string_view key) { kept_.emplace_back(key); }
  /// The list has objects of which not even the keys can be read: whatever is missing from it may
  /// be one of them, and stays.
  void keep_missing() { keeps_missing_ = true; }

  /// Takes over the list, whatever versions its objects have: what is not in it, and not kept, is
  /// gone. Only an answer to a write of ours, which is newer than the whole list, is not undone.
  ///
  /// How many of its objects contradict what was held: older than that, in a list that is not. The
  /// versions of a key only grow, whatever its object's uid, so the server has old contents under
  /// new versions (a backup that was restored with `--bump-revision`). Of a list that is rewound as
  /// a whole nothing is counted, nor where versions cannot be compared.
  std::size_t commit_list(const ListState& list = {}) {
    std::vector<bool> listed(slots_.size() + listed_.size(), false);
    catching_up_ = true;
    // Each leaves the list as it enters the store: there is never twice the whole.
    for (; !listed_.empty(); listed_.pop_front()) take(listed_.front(), list, listed);
    listed_.shrink_to_fit();
    const std::vector<bool> kept = kept_slots();
    for (Slot slot = 0; slot < slots_.size(); ++slot) {
      if (!slots_[slot].is_object() || listed[slot]) continue;
      if (keeps_missing_ || kept[slot]) {
        stay(slot, list);
      } else {
        remove(slot);
      }
    }
    begin_list();
    catching_up_ = false;
    synced_ = true;
    if (listener_ != nullptr) listener_->on_synced();
    return contradictions();
  }

  /// A list that is there as a whole.
  void replace(const std::vector<T>& objects) {
    begin_list();
    for (const T& object : objects) list(object);
    commit_list();
  }

 private:
  using Row = Packed<T>;
  using Rows = std::deque<Row>;

  /// What is listed is older than what was held.
  struct Reversal {
    Slot slot = 0;
    std::string held;  ///< its version
  };

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

  template <typename Key>
  std::optional<Slot> place_of(const Key& key) const {
    const auto found = by_key_.find(key);
    if (found == by_key_.end()) return std::nullopt;
    return *found;
  }

  void put(std::optional<Slot> slot, const T& object, std::optional<Instant> came) {
    if (!slot) {
      const Slot taken = take_slot();
      slots_[taken].set(object, texts_);
      by_key_.insert(taken);
      return tell_stored(taken, object, nullptr, came);
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

  static bool is_newer(const Row& row, std::string_view version) {
    return !version.empty() && row.identity().is_newer_than(version);
  }

  /// Whether `row` is of a later object than the one of the same name whose deletion came.
  static bool outlives(const Row& row, const T& deleted) {
    if (!deleted.uid.empty() && row.identity().has_uid(deleted.uid)) return false;
    return is_newer(row, deleted.resource_version);
  }

  /// Whether what is in the slot counts, and not what was listed.
  bool stands(Slot slot, const Row& row, const ListState& list, bool listed_before) const {
    const Row& held = slots_[slot];
    if (!list.rewound && held.identity().same_as(row.identity())) return true;
    const bool overtook = !list.rewound && is_newer(held, list.version);
    if (!listed_before && !overtook) return false;
    std::string uid;
    std::string version;
    row.identity().get(uid, version);
    return listed_before ? is_newer(held, version) : held.identity().has_uid(uid);
  }

  std::vector<bool> kept_slots() const {
    std::vector<bool> kept(slots_.size(), false);
    for (const std::string& key : kept_) {
      if (const std::optional<Slot> slot = slot_of(key)) kept[*slot] = true;
    }
    return kept;
  }

  /// Of a server that went back in time nothing is as new as what was seen before. What stays would
  /// be newer than each of its events, until the server has come that far again.
  void stay(Slot slot, const ListState& list) {
    if (!list.rewound || !is_newer(slots_[slot], list.version)) return;
    T object = at(slot);
    object.resource_version = list.version;
    put(slot, object, list.came);
  }

  /// An object may be listed twice, and the later state be no older than what was held: only at the
  /// end of the list can it be told.
  void note_reversal(Slot slot, const Row& row, const ListState& list) {
    const PackedIdentity& held = slots_[slot].identity();
    if (list.rewound || !api::is_comparable_version(list.version)) return;
    if (held.is_newer_than(list.version) || !held.is_newer_than(row.identity())) return;
    std::string uid;
    held.get(uid, reversals_.emplace_back(Reversal{.slot = slot, .held = {}}).held);
  }

  /// Of the list that was taken over.
  std::size_t contradictions() {
    std::string uid;
    std::string version;
    const auto count = std::ranges::count_if(reversals_, [&](const Reversal& reversal) {
      slots_[reversal.slot].identity().get(uid, version);
      return api::older_version(version, reversal.held);
    });
    std::vector<Reversal>().swap(reversals_);
    return static_cast<std::size_t>(count);
  }

  /// Takes over what was listed, and notes where; nobody is told of what is there already.
  void take(Row& row, const ListState& list, std::vector<bool>& listed) {
    const std::optional<Slot> slot = place_of(row);
    if (slot && stands(*slot, row, list, listed[*slot])) {
      listed[*slot] = true;
      return;
    }
    if (slot) note_reversal(*slot, row, list);
    const Slot place = slot ? *slot : take_slot();
    listed[place] = true;
    const bool told = slot && listener_ != nullptr;
    if (told) slots_[place].get(before_);
    slots_[place] = std::move(row);
    if (!slot) by_key_.insert(place);
    if (listener_ != nullptr) tell_stored(place, at(place), told ? &before_ : nullptr, list.came);
  }

  void remove(Slot slot) {
    if (listener_ != nullptr) listener_->on_removed(slot, at(slot));
    by_key_.erase(slot);
    slots_[slot] = Row();
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

  std::optional<TextPool> own_texts_;
  TextPool& texts_;
  Rows slots_;  ///< grows without moving what is there; a row without an object is free
  Rows listed_;
  std::vector<std::string> kept_;    ///< keys of what was listed and cannot be read
  bool keeps_missing_ = false;       ///< of some of it not even the keys are known
  std::vector<Reversal> reversals_;  ///< of the list that is being taken over
  std::vector<Slot> free_;
  absl::flat_hash_set<Slot, Hash, Equal> by_key_{0, Hash{&slots_}, Equal{&slots_}};
  T before_;  ///< of the change that is being told; kept so that its memory is used again
  StoreListener<T>* listener_ = nullptr;
  bool synced_ = false;
  bool catching_up_ = false;
};

}  // namespace nlc::informer

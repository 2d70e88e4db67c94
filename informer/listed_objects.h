#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "informer/packed_objects.h"
#include "informer/shared_text.h"

namespace nlc::informer {

/// A complete list while it is read, object by object. It counts when a store takes it over
/// (`Store::take_over`), which leaves it empty.
template <typename T>
class ListedObjects {
 public:
  using Row = Packed<T>;

  /// The texts are those of the store that is to take it over.
  explicit ListedObjects(TextPool& texts) : texts_(texts) {}

  void clear() {
    rows_.clear();
    kept_.clear();
    keeps_missing_ = false;
  }

  /// If an object is listed twice the newer version counts, or the later one if they cannot be
  /// compared.
  void add(const T& object) { rows_.emplace_back().set(object, texts_); }
  /// An object that was listed has been deleted before the list was complete.
  void remove(const T& deleted) {
    std::erase_if(rows_, [&](const Row& row) {
      return row.has_key_of(deleted) &&
             !row.identity().outlives(deleted.uid, deleted.resource_version);
    });
    std::erase(kept_, std::string(deleted.key()));
  }
  /// The list has an object of that key, which cannot be read: it stays as it is in the store.
  void keep(std::string_view key) { kept_.emplace_back(key); }
  /// The list has objects of which not even the keys can be read: whatever is missing from it may
  /// be one of them, and stays.
  void keep_missing() { keeps_missing_ = true; }

  std::size_t size() const { return rows_.size(); }
  /// Each leaves the list as it is visited: there is never twice the whole.
  template <typename Take>
  void drain(Take take) {
    for (; !rows_.empty(); rows_.pop_front()) take(rows_.front());
    rows_.shrink_to_fit();
  }
  const std::vector<std::string>& kept() const { return kept_; }
  bool keeps_missing() const { return keeps_missing_; }

 private:
  TextPool& texts_;
  std::deque<Row> rows_;
  std::vector<std::string> kept_;  ///< keys of what was listed and cannot be read
  bool keeps_missing_ = false;     ///< of some of it not even the keys are known
};

}  // namespace nlc::informer

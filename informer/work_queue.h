#pragma once

#include <cassert>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "runtime/time.h"

namespace nlc::informer {

/// How a queue ends: at once, or when what is at work is done.
enum class Ending : std::uint8_t { AtOnce, Drained };

/// What needs work, for whoever follows a store with a reconciling loop. Each item is in line at
/// most once and never at work twice; one that is added while it is at work comes again after it.
/// Items due later are in line when their moment has come, the earliest first.
///
/// Pure: it never waits or reads a clock. Its owner asks again at `next_ready`. One thread; for the
/// same inputs always the same order. Does not retry by itself: add what failed again, after the
/// delay of a `RequeueDelay`.
template <typename Item>
class WorkQueue {
 public:
  struct Work {
    Item item;
    Duration queued;  ///< how long it stood in line
  };

  /// Nothing happens to an item that is in line already, nor once the queue has been ended.
  void add(const Item& item, Instant now) {
    if (ending_ || !wanted_.emplace(item, now).second) return;
    ++adds_;
    if (!working_.contains(item)) line_.push_back(item);
  }

  /// In line after `delay`, at once where it is none. Of two moments for one item the earlier
  /// counts.
  void add_after(const Item& item, Duration delay, Instant now) {
    if (ending_) return;
    ++requeues_;
    if (delay <= Duration{0}) return add(item, now);
    const auto [known, added] = due_.try_emplace(item, now + delay);
    if (!added && known->second <= now + delay) return;
    if (!added) agenda_.erase({known->second, item});
    known->second = now + delay;
    agenda_.emplace(now + delay, item);
  }

  /// The next one, which is at work until `done`. Nothing: none is ready.
  std::optional<Work> get(Instant now) {
    let_in(now);
    if (line_.empty()) return std::nullopt;
    Work work{std::move(line_.front()), {}};
    line_.pop_front();
    const auto wanted = wanted_.extract(work.item);
    work.queued = now - wanted.mapped();
    working_.emplace(work.item, now);
    return work;
  }

  /// How long the work took. The item is in line again if it was added meanwhile.
  Duration done(const Item& item, Instant now) {
    const auto begun = working_.extract(item);
    assert(!begun.empty());
    if (wanted_.contains(item)) line_.push_back(item);
    return now - begun.mapped();
  }

  /// How many are in line.
  std::size_t size(Instant now) {
    let_in(now);
    return line_.size();
  }
  /// When the first of those that are due later is.
  std::optional<Instant> next_ready() const {
    if (agenda_.empty()) return std::nullopt;
    return agenda_.begin()->first;
  }

  /// Takes nothing more; what is in line can still be got, what is due later is dropped.
  void end(Ending ending) {
    ending_ = ending;
    due_.clear();
    agenda_.clear();
  }
  bool ended() const { return ending_ && (*ending_ == Ending::AtOnce || working_.empty()); }

  std::uint64_t adds() const { return adds_; }
  std::uint64_t requeues() const { return requeues_; }

 private:
  void let_in(Instant now) {
    while (!agenda_.empty() && agenda_.begin()->first <= now) {
      const auto next = agenda_.extract(agenda_.begin());
      due_.erase(next.value().second);
      add(next.value().second, next.value().first);
    }
  }

  std::deque<Item> line_;
  std::map<Item, Instant> wanted_;   ///< in line, or to be when its work is done; since when
  std::map<Item, Instant> working_;  ///< since when
  std::map<Item, Instant> due_;      ///< later, and when
  std::set<std::pair<Instant, Item>> agenda_;  ///< the same, by moment
  std::optional<Ending> ending_;
  std::uint64_t adds_ = 0;
  std::uint64_t requeues_ = 0;
};

}  // namespace nlc::informer

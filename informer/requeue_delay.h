#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "runtime/time.h"

/// How long an item of a work queue waits before it is tried again (client-go's rate limiters).
namespace nlc::informer {

template <typename Item>
class RequeueDelay {
 public:
  virtual ~RequeueDelay() = default;
  /// The wait before the next try of an item that has just failed.
  virtual Duration next(const Item& item, Instant now) = 0;
  /// It succeeded: its next failure is its first.
  virtual void forget(const Item& item) = 0;
  /// How often it has failed since.
  virtual std::uint64_t failures(const Item& item) const = 0;
};

/// Counts the failures of each item.
template <typename Item>
class CountingDelay : public RequeueDelay<Item> {
 public:
  Duration next(const Item& item, Instant) final { return after(failures_[item]++); }
  void forget(const Item& item) final { failures_.erase(item); }
  std::uint64_t failures(const Item& item) const final {
    const auto found = failures_.find(item);
    return found == failures_.end() ? 0 : found->second;
  }

 private:
  virtual Duration after(std::uint64_t failures_before) const = 0;

  std::map<Item, std::uint64_t> failures_;
};

/// Doubles from `first` to `most`.
template <typename Item>
class DoublingDelay final : public CountingDelay<Item> {
 public:
  DoublingDelay(Duration first, Duration most) : first_(first), most_(most) {}

 private:
  Duration after(std::uint64_t failures_before) const override {
    Duration delay = first_;
    for (std::uint64_t i = 0; i < failures_before && delay < most_; ++i) {
      if (delay > most_ / 2) return most_;  // twice as much could be more than a Duration holds
      delay *= 2;
    }
    return std::min(delay, most_);
  }

  const Duration first_;
  const Duration most_;
};

/// `fast` for the first `tries`, `slow` from then on.
template <typename Item>
class FastThenSlowDelay final : public CountingDelay<Item> {
 public:
  FastThenSlowDelay(Duration fast, Duration slow, std::uint64_t tries)
      : fast_(fast), slow_(slow), tries_(tries) {}

 private:
  Duration after(std::uint64_t failures_before) const override {
    return failures_before < tries_ ? fast_ : slow_;
  }

  const Duration fast_;
  const Duration slow_;
  const std::uint64_t tries_;
};

/// Of all items together at most `burst` at once, and then so many a second.
template <typename Item>
class OverallRate final : public RequeueDelay<Item> {
 public:
  OverallRate(double per_second, int burst) : per_second_(per_second), burst_(burst) {}

  Duration next(const Item&, Instant now) override {
    const Duration one{static_cast<Duration::rep>(1e9 / per_second_)};
    // The moment at which the bucket would have been empty: a full one is `burst` tries back.
    empty_at_ = std::max(empty_at_, now - burst_ * one) + one;
    return std::max(Duration{0}, empty_at_ - now);
  }
  void forget(const Item&) override {}
  std::uint64_t failures(const Item&) const override { return 0; }

 private:
  const double per_second_;
  const int burst_;
  Instant empty_at_ = Instant{};  ///< of the boot clock: long ago
};

/// The longest of several.
template <typename Item>
class LongestDelay final : public RequeueDelay<Item> {
 public:
  using Part = std::unique_ptr<RequeueDelay<Item>>;
  explicit LongestDelay(std::vector<Part> parts) : parts_(std::move(parts)) {}

  Duration next(const Item& item, Instant now) override {
    Duration longest{0};
    for (const Part& part : parts_) longest = std::max(longest, part->next(item, now));
    return longest;
  }
  void forget(const Item& item) override {
    for (const Part& part : parts_) part->forget(item);
  }
  std::uint64_t failures(const Item& item) const override {
    std::uint64_t most = 0;
    for (const Part& part : parts_) most = std::max(most, part->failures(item));
    return most;
  }

 private:
  std::vector<Part> parts_;
};

/// What upstream's controllers use: 5 ms doubling to 1000 s for each, all together 100 at once and
/// then 10 a second.
template <typename Item>
LongestDelay<Item> controller_delay() {
  std::vector<std::unique_ptr<RequeueDelay<Item>>> parts;
  parts.push_back(std::make_unique<DoublingDelay<Item>>(std::chrono::milliseconds(5),
                                                        std::chrono::seconds(1000)));
  parts.push_back(std::make_unique<OverallRate<Item>>(10, 100));
  return LongestDelay<Item>(std::move(parts));
}

}  // namespace nlc::informer

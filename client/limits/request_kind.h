#pragma once

#include <array>
#include <cstddef>
#include <utility>

#include "client/transport.h"

/// For those who keep something for each priority and try.
namespace nlc::client {

/// What has queues, windows and a share of a rate of its own. The lower is the more important.
struct RequestKind {
  RequestPriority priority;
  Try attempt = Try::First;
  auto operator<=>(const RequestKind&) const = default;
};

inline constexpr std::array<RequestPriority, priority_count> every_priority{
    RequestPriority::Election,  RequestPriority::NodeStatus, RequestPriority::LeaseRead,
    RequestPriority::NodeWrite, RequestPriority::List,       RequestPriority::Read,
    RequestPriority::PodWrite,  RequestPriority::Event,      RequestPriority::Review};
inline constexpr std::array<Try, try_count> both_tries{Try::First, Try::Again};

/// The most important first.
inline constexpr auto every_kind = [] {
  std::array<RequestKind, priority_count * try_count> kinds{};
  std::size_t count = 0;
  for (const RequestPriority priority : every_priority) {
    for (const Try attempt : both_tries) kinds[count++] = {priority, attempt};
  }
  return kinds;
}();

/// A value for each.
template <typename T>
class ByKind {
 public:
  ByKind() : values_() {}
  ByKind(const T& first_try, const T& again)
      : ByKind(first_try, again, std::make_index_sequence<every_kind.size()>()) {}

  T& of(RequestKind kind) { return values_[index(kind)]; }
  const T& of(RequestKind kind) const { return values_[index(kind)]; }
  /// First tries before all others, each by priority.
  auto begin() { return values_.begin(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  template <std::size_t... each>
  ByKind(const T& first_try, const T& again, std::index_sequence<each...>)
      : values_{(each < priority_count ? first_try : again)...} {}
  static std::size_t index(RequestKind kind) {
    return static_cast<std::size_t>(kind.attempt) * priority_count +
           static_cast<std::size_t>(kind.priority);
  }

  std::array<T, every_kind.size()> values_;
};

}  // namespace nlc::client

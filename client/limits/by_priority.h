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

/// A value for each.
template <typename T>
class ByPriority {
 public:
  ByPriority() : values_() {}
  ByPriority(const T& first_try, const T& again)
      : ByPriority(first_try, again, std::make_index_sequence<priority_count * try_count>()) {}

  T& of(RequestPriority priority, Try attempt) { return values_[index(priority, attempt)]; }
  const T& of(RequestPriority priority, Try attempt) const {
    return values_[index(priority, attempt)];
  }
  T& of(RequestKind kind) { return of(kind.priority, kind.attempt); }
  const T& of(RequestKind kind) const { return of(kind.priority, kind.attempt); }
  /// First tries before all others, each by priority.
  auto begin() { return values_.begin(); }
  auto begin() const { return values_.begin(); }
  auto end() const { return values_.end(); }

 private:
  template <std::size_t... each>
  ByPriority(const T& first_try, const T& again, std::index_sequence<each...>)
      : values_{(each < priority_count ? first_try : again)...} {}
  static std::size_t index(RequestPriority priority, Try attempt) {
    return static_cast<std::size_t>(attempt) * priority_count + static_cast<std::size_t>(priority);
  }

  std::array<T, priority_count * try_count> values_;
};

}  // namespace nlc::client

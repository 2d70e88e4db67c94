#pragma once

#include <cassert>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "runtime/time.h"

namespace nlc {

/// Every way in which the world can refuse us. What follows from each is decided in `retry_for`.
enum class Fault {
  NotFound,       ///< 404: the object, or the whole resource
  AlreadyExists,  ///< 409 of a create
  Conflict,       ///< 409 of an update, patch or delete: another version, another uid
  Invalid,        ///< 400, 405, 406, 413, 415, 422: the server will never take this request
  Gone,           ///< 410: that resourceVersion is history
  TooLarge,       ///< 504 "Too large resource version": the server has not come that far yet
  Unauthorized,   ///< 401
  Forbidden,      ///< 403
  Throttled,      ///< 429, or 503 with Retry-After
  Unavailable,    ///< other 5xx, or no connection
  Timeout,        ///< no answer in the time the request was given
  Malformed,      ///< an answer that cannot be read
  NotLeading,     ///< the gate of leadership was closed: the request never left this process
};

std::string_view name_of(Fault fault);

/// What went wrong, and through which calls it came: "taint node-7: PATCH /api/v1/nodes/node-7: 409
/// …".
struct Error {
  Fault fault = Fault::Unavailable;
  std::string path;
  std::optional<Duration> retry_after = std::nullopt;  ///< set only when the server told us

  Error while_doing(std::string_view action) && {
    path.insert(0, std::string(action) + ": ");
    return std::move(*this);
  }
};

/// For what will never be taken as it is: `why` is all that is told of it.
inline Error bad_input(std::string why) {
  return {.fault = Fault::Invalid, .path = std::move(why)};
}

enum class Retry { Never, AfterRereading, AfterRelisting, AfterBackoff };

/// The whole retry policy. A new Fault does not compile until it is decided here.
constexpr Retry retry_for(Fault fault) {
  switch (fault) {
    case Fault::NotFound:
    case Fault::AlreadyExists:
    case Fault::NotLeading:
      return Retry::Never;
    case Fault::Conflict:
      return Retry::AfterRereading;
    case Fault::Gone:
    case Fault::TooLarge:
      return Retry::AfterRelisting;
    case Fault::Invalid:
    case Fault::Unauthorized:
    case Fault::Forbidden:
    case Fault::Throttled:
    case Fault::Unavailable:
    case Fault::Timeout:
    case Fault::Malformed:
      return Retry::AfterBackoff;
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

/// Whether a write that ended so may have taken effect all the same: nobody heard the server say.
constexpr bool may_have_been_applied(Fault fault) {
  return fault == Fault::Timeout || fault == Fault::Unavailable || fault == Fault::Malformed;
}

/// A value, or the reason why there is none.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : held_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return held_.index() == 0; }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  Error& error() {
    assert(held_.index() == 1);
    return std::get<1>(held_);
  }
  const Error& error() const {
    assert(held_.index() == 1);
    return std::get<1>(held_);
  }

 private:
  T& value() {
    assert(held_.index() == 0);
    return std::get<0>(held_);
  }
  const T& value() const {
    assert(held_.index() == 0);
    return std::get<0>(held_);
  }

  std::variant<T, Error> held_;
};

}  // namespace nlc

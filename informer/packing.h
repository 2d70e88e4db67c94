#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

/// Values as a sequence of bytes, and back, without type tags: the reader has to know the order.
namespace nlc::informer {

/// A time in eight bytes; the smallest value stands for none.
constexpr std::int64_t no_time = std::numeric_limits<std::int64_t>::min();

inline std::int64_t packed_time(const std::optional<WallTime>& time) {
  return time ? time->time_since_epoch().count() : no_time;
}
inline std::optional<WallTime> unpacked_time(std::int64_t time) {
  if (time == no_time) return std::nullopt;
  return WallTime(std::chrono::microseconds(time));
}

/// The same in four bytes, of a time of the API in whole seconds since 1970; 0 stands for none.
inline std::uint32_t packed_seconds(const std::optional<WallTime>& time) {
  if (!time) return 0;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time).time_since_epoch();
  return static_cast<std::uint32_t>(seconds.count());
}
inline std::optional<WallTime> unpacked_seconds(std::uint32_t time) {
  if (time == 0) return std::nullopt;
  return WallTime(std::chrono::seconds(time));
}

class Packing {
 public:
  /// As a varint: seven bits a byte, least significant first.
  void number(std::uint64_t value) {
    for (; value >= more; value >>= 7U) bytes_ += static_cast<char>((value & (more - 1)) | more);
    bytes_ += static_cast<char>(value);
  }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  /// As the difference from the last time written.
  void time(const std::optional<WallTime>& value) {
    number(value ? 1 : 0);
    if (!value) return;
    const auto now = static_cast<std::uint64_t>(value->time_since_epoch().count());
    const std::uint64_t change = now - last_time_;
    const bool back = (change >> 63U) != 0;
    number(back ? (~change << 1U) | 1U : change << 1U);
    last_time_ = now;
  }

  std::string_view bytes() const { return bytes_; }

 private:
  static constexpr std::uint64_t more = 128;

  std::string bytes_;
  std::uint64_t last_time_ = 0;
};

/// Reads what a `Packing` of the same order wrote.
class Unpacking {
 public:
  explicit Unpacking(std::string_view bytes) : bytes_(bytes) {}

  bool is_over() const { return bytes_.empty(); }

  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = static_cast<unsigned char>(bytes_.front());
      bytes_.remove_prefix(1);
      value |= std::uint64_t{byte & 127U} << shift;
      if (byte < 128) return value;
    }
  }
  std::string_view text() {
    const std::size_t size = number();
    const std::string_view value = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return value;
  }
  std::optional<WallTime> time() {
    if (number() == 0) return std::nullopt;
    const std::uint64_t change = number();
    last_time_ += (change & 1U) != 0 ? ~(change >> 1U) : change >> 1U;
    return WallTime(std::chrono::microseconds(static_cast<std::int64_t>(last_time_)));
  }

 private:
  std::string_view bytes_;
  std::uint64_t last_time_ = 0;
};

}  // namespace nlc::informer

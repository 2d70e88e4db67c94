#pragma once

#include <cstddef>
#include <optional>

#include "runtime/time.h"

namespace nlc::controller {

/// When memory that was freed is worth giving back: after start-up or a mass failure, and once more
/// when what these left for later is over as well.
///
/// Pure.
class MemoryReturn {
 public:
  /// So many writes and events leave enough behind.
  static constexpr std::size_t much = 500;

  void stirred(std::size_t times) { stir_ += times; }
  bool is_due(Instant now) const { return stir_ >= much || (again_ && now >= *again_); }
  void returned(Instant now) {
    again_ = stir_ >= much ? std::optional(now + later) : std::nullopt;
    stir_ = 0;
  }

 private:
  static constexpr Duration later = std::chrono::seconds(50);  ///< idle connections are closed

  std::size_t stir_ = 0;  ///< how much happened since
  std::optional<Instant> again_;
};

}  // namespace nlc::controller

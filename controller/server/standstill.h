#pragma once

#include <optional>
#include <utility>

#include "runtime/time.h"

namespace nlc::controller {

/// Whether this process stood still, stopped or starved: its timers come before what has waited in
/// its sockets meanwhile, and when that came nobody knows.
///
/// Pure, on one thread.
class Standstill {
 public:
  static constexpr Duration noticed_from = std::chrono::seconds(2);

  /// The process runs now, as it does once a second at least. True: it had not for a while.
  bool ends(Instant now) {
    const Instant before = std::exchange(ran_, now).value_or(now);
    const bool ends = now > before + noticed_from;
    if (ends) ended_ = now;
    return ends;
  }
  /// What is read now may have waited meanwhile: it is in moments.
  bool ended_lately(Instant now) const { return ended_ && now < *ended_ + read_within; }

 private:
  static constexpr Duration read_within = std::chrono::seconds(2);
  std::optional<Instant> ran_;
  std::optional<Instant> ended_;
};

}  // namespace nlc::controller

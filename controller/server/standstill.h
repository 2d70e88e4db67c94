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
  /// The process runs now, as it does once a second at least. True: it had not for a while.
  bool ends(Instant now) {
    const Instant before = std::exchange(ran_, now).value_or(now);
    return now > before + noticed_from;
  }

 private:
  static constexpr Duration noticed_from = std::chrono::seconds(2);
  std::optional<Instant> ran_;
};

}  // namespace nlc::controller

#pragma once

#include <optional>

#include "runtime/time.h"

namespace nlc::net {

/// When the watches of one transport are read next: a busy stream after its pause (StreamPause),
/// and the quiet ones that may wait go along with it instead of waking us each for itself. Pure.
class StreamPace {
 public:
  /// After a look at `now`; `pause`: of a busy stream. When to look again; nothing: the first byte
  /// that comes shall wake us.
  std::optional<Instant> next_look(std::optional<Duration> pause, Instant now) {
    if (pause) {
      common_ = now + *pause;
      return common_;
    }
    return common_ && *common_ > now ? common_ : std::nullopt;
  }

 private:
  std::optional<Instant> common_;  ///< the next look at the stream that was busy last
};

}  // namespace nlc::net

#pragma once

#include <optional>

#include "runtime/time.h"

namespace nlc::net {

/// When the watches of one transport are read next: a busy stream after its pause (StreamPause),
/// and the quiet ones together with it, instead of each waking us for its own events. Pure.
class StreamPace {
 public:
  /// After a stream was read at `now`: when to read it again. `pause` is set for a busy stream.
  /// Nothing: do not wait, the first byte shall wake us.
  std::optional<Instant> next_look(std::optional<Duration> pause, Instant now) {
    if (pause) {
      common_ = now + *pause;
      return common_;
    }
    return common_ && *common_ > now ? common_ : std::nullopt;
  }

 private:
  std::optional<Instant> common_;  ///< when the stream that was busy last is read next
};

}  // namespace nlc::net

#pragma once

#include <optional>

#include "runtime/time.h"

namespace nlc::net {

/// When the watches of one transport are read next. Being woken costs more than all that is read
/// then: a stream on which events follow one another is read once in its batching time, and the
/// quiet ones go along with it instead of waking us each for itself. Pure.
class StreamPace {
 public:
  enum class Stream { Busy, Quiet };

  /// After a look at `now`: when to look again. Nothing: the first byte that comes shall wake us.
  std::optional<Instant> next_look(Stream stream, Duration batching, Instant now) {
    if (stream == Stream::Busy) {
      common_ = now + batching;
      return common_;
    }
    return common_ && *common_ > now ? common_ : std::nullopt;
  }

 private:
  std::optional<Instant> common_;  ///< the next look at the stream that was busy last
};

}  // namespace nlc::net

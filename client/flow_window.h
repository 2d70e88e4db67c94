#pragma once

#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// How many requests of one kind may be on their way to a server at once: all that is allowed while
/// it keeps up, half as many each time it throttles, slows or fails, and more with each good
/// answer. So writes run side by side as far as the server goes along, and a server in trouble is
/// asked by few at a time. What was sent before it last shrank counts neither way, and a minute
/// without trouble opens it wide.
///
/// One object whose request hangs, or that somebody's policy refuses, tells nothing of the server:
/// trouble does not count where something that was sent later has been answered well, nor does that
/// of a request which failed before while others are answered well.
///
/// Pure; answers are told with the moment their request was sent.
class FlowWindow {
 public:
  struct Bounds {
    int most;
    int least = 1;
    /// Each request keeps to what it was asked to wait; the others only so long, lest one odd
    /// answer stops everything.
    Duration pause_max = std::chrono::seconds(10);
  };
  explicit FlowWindow(Bounds bounds) : bounds_(bounds), size_(bounds.most) {}

  void answered(Instant sent, Instant now, const Result<Response>& answer,
                Try attempt = Try::First);
  /// It throttles, slows or fails.
  static bool is_trouble(Instant sent, Instant now, const Result<Response>& answer);

  int size(Instant now) const;

  /// A server that throttles may ask for a pause: nothing of this kind is to be sent before this.
  Instant pause_ends() const { return pause_ends_; }

 private:
  /// A server that takes longer is not asked for more at once.
  static constexpr Duration slow = std::chrono::seconds(2);
  /// A good answer vouches for the server for so long.
  static constexpr Duration vouched = std::chrono::seconds(10);
  static constexpr Duration remembered = std::chrono::minutes(1);

  void note_good(Instant sent, Instant now);

  Bounds bounds_;
  int size_;
  int good_ = 0;  ///< answers since it last changed
  Instant shrunk_ = Instant::min();
  Instant pause_ends_ = Instant::min();
  Instant last_good_ = Instant::min();       ///< when it came
  Instant last_good_sent_ = Instant::min();  ///< the latest sending that was answered well
};

}  // namespace nlc::client

#pragma once

#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// How many requests of one kind may be in flight: a congestion window. It is halved each time the
/// server throttles, is slow or fails, grows with good answers, and is opened fully after a minute
/// without trouble. Answers to requests that were sent before it last shrank change nothing.
///
/// A request that hangs because of its object, or is refused by somebody's policy, is no evidence
/// about the server: trouble does not count where a request sent later has been answered well, nor
/// does that of a repeated request while others are answered well.
///
/// Pure; each answer is told with the moment at which its request was sent.
class ConcurrencyLimiter {
 public:
  struct Bounds {
    int most;
    int least = 1;
    /// The longest pause that one answer's Retry-After means for the other requests. The request
    /// itself waits for all of it.
    Duration pause_max = std::chrono::seconds(10);
  };
  explicit ConcurrencyLimiter(Bounds bounds) : bounds_(bounds), size_(bounds.most) {}

  void answered(Instant sent, Instant now, const Result<Response>& answer,
                Try attempt = Try::First);
  /// The answer shows a server that throttles, is slow or fails.
  static bool is_trouble(Instant sent, Instant now, const Result<Response>& answer);

  int size(Instant now) const;

  /// A server that throttles may ask for a pause: nothing of this kind is to be sent before this.
  Instant pause_ends() const { return pause_ends_; }

 private:
  /// An answer that takes longer counts as trouble.
  static constexpr Duration slow = std::chrono::seconds(2);
  /// For how long a good answer shows that trouble is not the server's.
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

#pragma once

#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// How many requests may be on their way to a server at once: all that is allowed while it keeps
/// up, half as many each time it throttles, slows or fails, and one more for every round of good
/// answers. So writes run side by side as far as the server goes along, and a server in trouble is
/// asked by one at a time. What was sent before it last shrank counts neither way.
///
/// Pure; answers are told with the moment their request was sent.
class FlowWindow {
 public:
  explicit FlowWindow(int most) : most_(most), size_(most) {}

  void answered(Instant sent, Instant now, const Result<Response>& answer);

  int size() const { return size_; }

  /// A server that throttles may ask for a pause: nothing is to be sent before this.
  Instant pause_ends() const { return pause_ends_; }

 private:
  /// A server that takes longer is not asked for more at once.
  static constexpr Duration slow = std::chrono::seconds(2);
  /// Each request keeps to what it was asked to wait; all of them only so long, lest one odd answer
  /// stops everything.
  static constexpr Duration pause_max = std::chrono::seconds(10);

  int most_;
  int size_;
  int good_ = 0;  ///< answers since it last changed
  Instant shrunk_ = Instant::min();
  Instant pause_ends_ = Instant::min();
};

}  // namespace nlc::client

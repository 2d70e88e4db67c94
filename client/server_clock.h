#pragma once

#include <chrono>

#include "runtime/time.h"

namespace nlc::client {

/// Whether the API server's calendar is proven close to ours, by the Date header of its answers.
/// Only then may a timestamp that others wrote into an object say how long ago something was. On
/// the executor's thread.
class ServerClock {
 public:
  /// `date` has whole seconds, cut off.
  void note(WallTime date, WallTime ours) {
    const auto ahead = date - ours;
    close_ = ahead < limit && ahead > -(limit + std::chrono::seconds(1));
  }
  /// False as long as no answer told.
  bool close() const { return close_; }

 private:
  static constexpr std::chrono::seconds limit{2};
  bool close_ = false;
};

}  // namespace nlc::client

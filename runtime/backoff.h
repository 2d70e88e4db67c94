#pragma once

#include "runtime/random.h"
#include "runtime/time.h"

namespace nlc {

struct BackoffOptions {
  Duration backoff_min = std::chrono::milliseconds(800);
  Duration backoff_max = std::chrono::seconds(30);
};

/// Waits that double from `backoff_min` to `backoff_max`, each drawn uniformly from (half of it,
/// all of it], so that clients which failed together do not come back together. Who calls `reset`
/// decides what is health; time alone is not (spec/incidents.md "Back-off that forgets").
class Backoff {
 public:
  explicit Backoff(BackoffOptions options) : options_(options), next_(options.backoff_min) {}

  /// The wait before the next try; at least `floor` (a server's Retry-After).
  Duration next(Random& random, Duration floor = Duration{0});

  void reset() { next_ = options_.backoff_min; }

 private:
  BackoffOptions options_;
  Duration next_;
};

}  // namespace nlc

#include "runtime/backoff.h"

#include <algorithm>
#include <cassert>

#include "runtime/planted.h"

namespace nlc {

Duration Backoff::next(Random& random, Duration floor) {
  assert(next_ > Duration{0});
  const Duration wait = next_ - random.between(Duration{0}, next_ / 2);
  next_ = std::min(next_ * 2, options_.backoff_max);
  if (planted("tries-again-at-once")) return std::chrono::milliseconds(1);
  return std::max(wait, floor);
}

}  // namespace nlc

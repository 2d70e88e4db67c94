#include "runtime/backoff.h"

#include <algorithm>
#include <cassert>

namespace nlc {

Duration Backoff::next(Random& random, Duration floor) {
  assert(next_ > Duration{0});
  const Duration wait = next_ - random.between(Duration{0}, next_ / 2);
  next_ = std::min(next_ * 2, options_.backoff_max);
  return std::max(wait, floor);
}

}  // namespace nlc

#pragma once

#include "runtime/clock.h"

namespace nlc::net {

/// The machine's clocks: CLOCK_BOOTTIME for decisions, CLOCK_REALTIME for what is written and
/// shown.
class SystemClock final : public Clock {
 public:
  Instant now() const override;
  WallTime wall_now() const override;
};

}  // namespace nlc::net

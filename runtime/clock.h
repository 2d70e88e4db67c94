#pragma once

#include "runtime/time.h"

namespace nlc {

/// Where time comes from. One implementation reads the machine's clocks (`net/`), one is virtual
/// (`sim/`). Safe to call from any thread.
class Clock {
 public:
  virtual ~Clock() = default;

  virtual Instant now() const = 0;

  /// Only for values that are written into objects or shown; never compare it to decide.
  virtual WallTime wall_now() const = 0;
};

}  // namespace nlc

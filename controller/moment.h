#pragma once

#include "runtime/time.h"

namespace nlc::controller {

/// One reading of both clocks: everything that is decided together sees the same moment.
struct Moment {
  Instant now;    ///< decides
  WallTime wall;  ///< is written
};

}  // namespace nlc::controller

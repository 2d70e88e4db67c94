#pragma once

#include "controller/options/policy.h"
#include "controller/pause/pauses.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"

namespace nlc::controller {

/// What those borrow who judge and repair nodes. All of it outlives them.
struct NodeEnv {
  View view;
  const Policy& policy;
  const Pauses& pauses;
  ApiAvailability& availability;  ///< `NodeHealth` tells it of heartbeats that prove writes
};

}  // namespace nlc::controller

#pragma once

#include <string>

#include "sim/nlc_fleet.h"

namespace nlc::sim {

struct HollowFlags {
  FleetFlags fleet;
  std::string kubeconfig;  ///< empty: as kubectl looks for one
  std::string context;
  std::string namespace_ = "hollow";
  bool leave = false;
};

/// `nlc hollow`: hollow kubelets against any cluster, until asked to end; then it removes what it
/// made. Returns the exit code.
int run_hollow(const HollowFlags& flags);

}  // namespace nlc::sim

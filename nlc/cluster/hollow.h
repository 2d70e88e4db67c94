#pragma once

#include <string>

#include "nlc/cluster/fleet.h"
#include "nlc/cluster/report.h"

namespace nlc::workbench {

struct HollowFlags {
  FleetFlags fleet;
  std::string kubeconfig;  ///< empty: as kubectl looks for one
  std::string context;
  std::string name_prefix = "hollow";
  std::string namespace_ = "hollow";
  bool leave = false;
  bool schedulable = false;  ///< a scheduler may place pods on the nodes
  bool yes = false;          ///< also on a server that is not on this machine, without being asked
  ReportFlags report;
};

/// `nlc hollow`: hollow kubelets against any cluster, until asked to end; then it removes what it
/// made. SIGUSR1 and SIGUSR2 cut the power and give it back without waiting for the flags' moments.
/// Returns the exit code.
int run_hollow(const HollowFlags& flags);

}  // namespace nlc::workbench

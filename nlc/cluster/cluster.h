#pragma once

#include <cstdint>
#include <string>

#include "nlc/cluster/fleet.h"
#include "nlc/cluster/report.h"

namespace nlc::workbench {

struct ClusterFlags {
  FleetFlags fleet;
  ReportFlags report;
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = 0;
  std::string kubeconfig = "./nlc.kubeconfig";
};

/// `nlc cluster`: the embedded API server on a port, with hollow kubelets, until it is asked to
/// end. Returns the exit code.
int run_cluster(const ClusterFlags& flags);

}  // namespace nlc::workbench

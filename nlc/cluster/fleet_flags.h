#pragma once

#include "nlc/cluster/fleet.h"
#include "nlc/cluster/report.h"
#include "runtime/flags.h"

/// The part of the command line that `nlc cluster` and `nlc hollow` share.
namespace nlc::workbench {

void fleet_flags(FlagGroup& group, FleetFlags& flags);
void report_flags(FlagGroup& group, ReportFlags& flags);

/// Refuses what no single flag can see; called once all of them are read.
void check(const FleetFlags& flags);

}  // namespace nlc::workbench

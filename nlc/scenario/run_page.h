#pragma once

#include <string>

#include "sim/scenario/recording.h"

namespace nlc::workbench {

/// Records a run and writes the page that plays it. False when it could not be, which was
/// complained of.
bool write_run_page(const std::string& file, const sim::scenario::Scenario& scenario,
                    const sim::scenario::Recording& recording);

}  // namespace nlc::workbench

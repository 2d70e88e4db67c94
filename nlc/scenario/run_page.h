#pragma once

#include <string>

#include "sim/scenario/recording.h"

namespace nlc::sim {

/// Records a run and writes the page that plays it. False when it could not be, which was
/// complained of.
bool write_run_page(const std::string& file, const scenario::Scenario& scenario,
                    const scenario::Recording& recording);

}  // namespace nlc::sim

#pragma once

#include <string>
#include <vector>

#include "controller/observe/record.h"

namespace nlc::program {

/// What was compared so far, as the lines of a table for the log: kinds of changes with their
/// outcomes and how much earlier ours would have been, then the causes of disagreements.
std::vector<std::string> observe_summary(const controller::observe::Record& record);

}  // namespace nlc::program

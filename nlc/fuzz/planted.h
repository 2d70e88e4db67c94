#pragma once

#include <string>

#include "nlc/fuzz/findings.h"
#include "nlc/fuzz/flags.h"

namespace nlc::workbench {

/// Why what is asked for cannot be planted; empty when it can, or nothing is.
std::string not_plantable(const FuzzFlags& flags);

/// Plants that mistake, or all of them one after the other, and plays days until one shows it. A
/// row of a table for each: how many days it took, the rule, and what is left of the day. Returns
/// the exit code: 0 when all were found.
int find_planted(const FuzzFlags& flags, Findings& findings);

}  // namespace nlc::workbench

#pragma once

#include <string>

#include "nlc/fuzz/flags.h"

namespace nlc::workbench {

/// Why such a mistake cannot be planted in this program; empty when it can.
std::string no_such_mistake(const std::string& name);

/// Plants that mistake, or all of them one after the other, and plays days until one shows it. A
/// row of a table for each: how many days it took, the rule, and what is left of the day. Returns
/// the exit code: 0 when all were found.
int find_planted(const FuzzFlags& flags);

}  // namespace nlc::workbench

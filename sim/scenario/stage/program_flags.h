#pragma once

#include <string>
#include <utility>
#include <vector>

#include "program/flags.h"

namespace nlc::sim::scenario {

/// Sets one of these flags, names without dashes; in the place of its present value, if it has one.
void set_flag(std::vector<std::pair<std::string, std::string>>& flags, const std::string& name,
              const std::string& value);

/// What the program says to these flags, names without dashes, when it is played in virtual time:
/// those that tell it how to reach a server and its reader change nothing there, and are refused.
program::CommandLine read_program_flags(
    const std::vector<std::pair<std::string, std::string>>& flags);

}  // namespace nlc::sim::scenario

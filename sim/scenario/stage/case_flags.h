#pragma once

#include <map>
#include <string>

#include "program/flags.h"
#include "runtime/result.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// The flags with which a case is played.
struct CaseFlags {
  Settings settings;  ///< as they are said
  program::Flags common;
  std::map<std::string, program::Flags> own;  ///< of replicas that are not like the others

  const program::Flags& of(const std::string& replica) const {
    const auto found = own.find(replica);
    return found == own.end() ? common : found->second;
  }
};

/// Those of the case, what its timeline makes of them, and `wins`. Fails where the controller does
/// not take them.
Result<CaseFlags> flags_of(const Scenario& scenario, const Settings& wins);

std::string value_in(const Settings& settings, const std::string& name,
                     const std::string& otherwise);

}  // namespace nlc::sim::scenario

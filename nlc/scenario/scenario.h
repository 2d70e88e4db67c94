#pragma once

#include <string>
#include <utility>
#include <vector>

namespace nlc::workbench {

struct ScenarioFlags {
  std::vector<std::string> files;
  std::vector<std::string> only;  ///< ids, or areas such as "NX"; empty: all
  bool trace = false;
  bool json = false;
  std::vector<std::pair<std::string, std::string>> flags;  ///< of the controller: name, value
  std::string deviations;                                  ///< file; empty: no case deviates
  std::string page;  ///< files to write, of one case; empty: none
  std::string gantt;
};

/// `nlc scenario`: runs the cases of the files in virtual time and tells how they ended. Returns
/// the exit code: 0 only when none failed, 1 when some did, 2 when there was nothing to run by.
int run_scenarios(const ScenarioFlags& flags);

}  // namespace nlc::workbench

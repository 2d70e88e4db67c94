#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace nlc::workbench {

struct ExperimentFlags {
  std::string file;               ///< of scenarios
  std::string only;               ///< id of the one to run; empty: the file has one
  std::vector<std::string> vary;  ///< "node-monitor-period=2s,5s"
  std::size_t seeds = 1;
  std::size_t jobs = 0;  ///< runs at once; 0: as many as there are processors
  std::string csv;       ///< files to write; empty: none
  std::string json;
  std::string plot;
  std::string page;  ///< of the first setting's first run
};

/// `nlc experiment`: one scenario over a grid of flags and seeds, in virtual time. Prints a table
/// of what each setting costs and saves. Returns the exit code: 2 when flags or file are wrong, 1
/// when it was interrupted or could not write.
int run_experiment(const ExperimentFlags& flags);

}  // namespace nlc::workbench

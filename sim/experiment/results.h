#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "report/spread.h"
#include "sim/experiment/grid.h"
#include "sim/experiment/meter.h"

namespace nlc::sim::experiment {

using report::Spread;
using report::Tally;

/// What one setting came to, over all seeds.
struct Summary {
  std::size_t runs = 0;
  std::size_t deaths = 0;
  PerMark<Spread> since_heartbeat;  ///< from a dead node's last heartbeat
  PerMark<Spread> since_grace;      ///< from the end of its grace
  Tally false_positives;
  Tally evictions;
  Tally pods_deleted;
  Tally api_writes;
};

Summary summarize(const std::vector<Measures>& runs, Duration grace);

struct Row {
  Setting setting;
  Summary summary;
};

/// An experiment's outcome: what the table, the files and the plot are made of.
struct Results {
  std::string id;     ///< of the scenario
  std::string title;  ///< of the scenario
  std::size_t seeds = 0;
  std::vector<Axis> axes;
  std::vector<Row> rows;  ///< in the order of `settings_of`
};

/// Nodes that died, over all rows.
std::size_t deaths_in(const Results& results);

/// Whether every node that died met that moment.
bool came_to_all(const Results& results, Moment moment);

}  // namespace nlc::sim::experiment

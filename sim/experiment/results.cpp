#include "sim/experiment/results.h"

#include <algorithm>

namespace nlc::sim::experiment {
namespace {

Tally tally_over(const std::vector<Measures>& runs, std::size_t Measures::*what) {
  std::vector<std::size_t> counts;
  for (const Measures& run : runs) counts.push_back(run.*what);
  return report::tally_of(counts);
}

std::vector<Duration> times_of(const std::vector<Measures>& runs, Moment moment) {
  std::vector<Duration> times;
  for (const Measures& run : runs) {
    for (const Death& death : run.deaths) {
      const std::optional<Duration> after = death.after[index_of(moment)];
      if (after) times.push_back(*after);
    }
  }
  return times;
}

Spread earlier(Spread spread, Duration by) {
  if (spread.count == 0) return spread;
  for (Duration* time : {&spread.least, &spread.p50, &spread.p99, &spread.most}) *time -= by;
  return spread;
}

}  // namespace

Summary summarize(const std::vector<Measures>& runs, Duration grace) {
  Summary summary{.runs = runs.size()};
  for (const Measures& run : runs) summary.deaths += run.deaths.size();
  for (const Moment moment : marks) {
    const Spread spread = report::spread_of(times_of(runs, moment));
    summary.since_heartbeat[index_of(moment)] = spread;
    summary.since_grace[index_of(moment)] = earlier(spread, grace);
  }
  summary.false_positives = tally_over(runs, &Measures::false_positives);
  summary.evictions = tally_over(runs, &Measures::evictions);
  summary.pods_deleted = tally_over(runs, &Measures::pods_deleted);
  summary.api_writes = tally_over(runs, &Measures::api_writes);
  return summary;
}

std::size_t deaths_in(const Results& results) {
  std::size_t deaths = 0;
  for (const Row& row : results.rows) deaths += row.summary.deaths;
  return deaths;
}

bool came_to_all(const Results& results, Moment moment) {
  return std::ranges::all_of(results.rows, [moment](const Row& row) {
    return row.summary.since_heartbeat[index_of(moment)].count == row.summary.deaths;
  });
}

}  // namespace nlc::sim::experiment

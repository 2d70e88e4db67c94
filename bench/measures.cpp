#include "bench/measures.h"

#include <cassert>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/text_table.h"

namespace nlc::bench {
namespace {

using report::fixed;
using report::TextColumn;

/// Titles and units, to the left of the numbers.
std::vector<TextColumn> labels(const Run& run) {
  TextColumn titles{.flush = report::Flush::Left};
  TextColumn units{.flush = report::Flush::Left};
  for (const Measure& measure : run) {
    titles.cells.push_back(measure.title);
    units.cells.push_back(measure.unit);
  }
  return {titles, units};
}

/// As many digits as the first run has.
TextColumn numbers(const std::string& heading, const Run& first, const Run& run) {
  assert(first.size() == run.size());
  TextColumn column;
  if (!heading.empty()) column.heading = {heading};
  for (std::size_t at = 0; at < run.size(); ++at) {
    assert(run[at].key == first[at].key);
    column.cells.push_back(fixed(run[at].value, first[at].digits));
  }
  return column;
}

Run median_of(const std::vector<Run>& runs) {
  Run median = runs.front();
  for (std::size_t at = 0; at < median.size(); ++at) {
    std::vector<double> values;
    for (const Run& run : runs) values.push_back(run[at].value);
    median[at].value = percentile(std::move(values), 0.5);
  }
  return median;
}

/// "25 ×"; with a digit behind the point where that matters.
std::string ratio(double first, double second) {
  if (std::isnan(first) || first == 0 || !(second > 0)) return "–";
  const double times = first / second;
  return fixed(times, times < 10 ? 1 : 0) + " ×";
}

}  // namespace

std::string table(const std::vector<Run>& runs) {
  if (runs.size() < 2) return table(runs, std::vector<std::string>(runs.size()));
  std::vector<Run> all = runs;
  std::vector<std::string> names;
  for (std::size_t run = 1; run <= runs.size(); ++run)
    names.push_back("run " + std::to_string(run));
  all.push_back(median_of(runs));
  names.emplace_back("median");
  return table(all, names);
}

std::string table(const std::vector<Run>& runs, const std::vector<std::string>& names) {
  assert(runs.size() == names.size());
  if (runs.empty()) return {};
  std::vector<TextColumn> columns = labels(runs.front());
  for (std::size_t at = 0; at < runs.size(); ++at) {
    columns.push_back(numbers(names[at], runs.front(), runs[at]));
  }
  return text_table(columns, "  ");
}

std::string comparison(const Named& first, const Named& second) {
  std::vector<TextColumn> columns = labels(first.run);
  columns.push_back(numbers(first.name, first.run, first.run));
  columns.push_back(numbers(second.name, first.run, second.run));
  TextColumn& ratios = columns.emplace_back(TextColumn{.heading = {"ratio"}});
  for (std::size_t at = 0; at < first.run.size(); ++at) {
    ratios.cells.push_back(ratio(first.run[at].value, second.run[at].value));
  }
  return text_table(columns, "  ");
}

std::string json(const Facts& facts, const std::vector<Run>& runs) {
  nlohmann::ordered_json root;
  for (const Fact& fact : facts) root["facts"][fact.name] = fact.value;
  root["runs"] = nlohmann::ordered_json::array();
  for (const Run& run : runs) {
    nlohmann::ordered_json values;
    for (const Measure& measure : run) values[measure.key] = measure.value;
    root["runs"].push_back(std::move(values));
  }
  return root.dump(2);
}

}  // namespace nlc::bench

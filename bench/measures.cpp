#include "bench/measures.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

namespace nlc::bench {
namespace {

using Row = std::vector<std::string>;

std::string shown(double value, int digits) {
  if (std::isnan(value)) return "–";
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return {text.data(), std::min(static_cast<std::size_t>(size), text.size() - 1)};
}

Row heading(std::size_t runs) {
  Row row{"", ""};
  for (std::size_t run = 1; run <= runs; ++run) row.push_back("run " + std::to_string(run));
  row.push_back("median");
  return row;
}

Row row_of(const std::vector<Run>& runs, std::size_t at) {
  const Measure& first = runs.front()[at];
  Row row{first.title, first.unit};
  std::vector<double> values;
  for (const Run& run : runs) {
    assert(run[at].key == first.key);
    values.push_back(run[at].value);
    row.push_back(shown(run[at].value, first.digits));
  }
  if (runs.size() > 1) row.push_back(shown(percentile(std::move(values), 0.5), first.digits));
  return row;
}

/// As a terminal shows it: the bytes that go on with a character take no place.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

/// Titles and units to the left, numbers to the right.
std::string aligned(const std::vector<Row>& rows) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], width(row[column]));
    }
  }
  std::string text;
  for (const Row& row : rows) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string gap(widths[column] - width(row[column]), ' ');
      text += "  " + (column < 2 ? row[column] + gap : gap + row[column]);
    }
    text += "\n";
  }
  return text;
}

/// "25 ×"; with a digit behind the point where that matters.
std::string ratio(double first, double second) {
  if (std::isnan(first) || first == 0 || !(second > 0)) return "–";
  const double times = first / second;
  return shown(times, times < 10 ? 1 : 0) + " ×";
}

}  // namespace

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  const double rank = std::ceil(share * static_cast<double>(values.size()));
  return values[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

std::string table(const std::vector<Run>& runs) {
  if (runs.empty()) return {};
  std::vector<Row> rows;
  if (runs.size() > 1) rows.push_back(heading(runs.size()));
  for (std::size_t at = 0; at < runs.front().size(); ++at) rows.push_back(row_of(runs, at));
  return aligned(rows);
}

std::string table(const std::vector<Run>& runs, const std::vector<std::string>& names) {
  assert(runs.size() == names.size());
  if (runs.empty()) return {};
  std::vector<Row> rows{{"", ""}};
  rows.front().insert(rows.front().end(), names.begin(), names.end());
  for (std::size_t at = 0; at < runs.front().size(); ++at) {
    const Measure& first = runs.front()[at];
    rows.push_back({first.title, first.unit});
    for (const Run& run : runs) {
      assert(run[at].key == first.key);
      rows.back().push_back(shown(run[at].value, first.digits));
    }
  }
  return aligned(rows);
}

std::string comparison(const Named& first, const Named& second) {
  assert(first.run.size() == second.run.size());
  std::vector<Row> rows{{"", "", first.name, second.name, "ratio"}};
  for (std::size_t at = 0; at < first.run.size(); ++at) {
    const Measure& left = first.run[at];
    const Measure& right = second.run[at];
    assert(left.key == right.key);
    rows.push_back({left.title, left.unit, shown(left.value, left.digits),
                    shown(right.value, left.digits), ratio(left.value, right.value)});
  }
  return aligned(rows);
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

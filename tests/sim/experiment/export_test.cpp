#include "sim/experiment/export.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/sim/experiment/made_results.h"

namespace nlc::sim::experiment {
namespace {

using testing::Eq;
using testing::SizeIs;
using testing::StartsWith;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

/// Line `row` (0 is the heading) of the CSV, in the column of that name.
std::string cell(const std::string& csv, std::size_t row, const std::string& column) {
  const std::vector<std::string> lines = split(csv, '\n');
  const std::vector<std::string> names = split(lines.at(0), ',');
  const auto at = std::ranges::find(names, column) - names.begin();
  return split(lines.at(row) + ",.", ',').at(static_cast<std::size_t>(at));
}

TEST(Csv, HasALinePerSettingAndTheFlagsFirst) {
  const std::string csv = csv_of(made::two_graces());
  EXPECT_THAT(csv, StartsWith("node-monitor-grace-period,runs,nodes_died,"
                              "seconds_from_last_heartbeat_unknown_nodes,"));
  EXPECT_THAT(split(csv, '\n'), SizeIs(3));
}

TEST(Csv, TimesAreSecondsToTheMillisecond) {
  const std::string csv = csv_of(made::two_graces());
  EXPECT_THAT(cell(csv, 2, "node-monitor-grace-period"), Eq("40s"));
  EXPECT_THAT(cell(csv, 2, "seconds_from_last_heartbeat_unknown_max"), Eq("40.005"));
  EXPECT_THAT(cell(csv, 2, "seconds_from_end_of_grace_unknown_max"), Eq("0.005"));
  EXPECT_THAT(cell(csv, 1, "healthy_condemned_per_run_mean"), Eq("1.5"));
  EXPECT_THAT(cell(csv, 1, "healthy_condemned_per_run_total"), Eq("3"));
}

TEST(Csv, WhatWasNeverMeasuredIsEmpty) {
  Results results = made::two_graces();
  results.rows.front().summary.since_heartbeat[index_of(Moment::PodMarked)] = {};
  const std::string csv = csv_of(results);
  EXPECT_THAT(cell(csv, 1, "seconds_from_last_heartbeat_pods_deleted_nodes"), Eq("0"));
  EXPECT_THAT(cell(csv, 1, "seconds_from_last_heartbeat_pods_deleted_p50"), Eq(""));
}

TEST(Csv, ValueWithACommaIsQuoted) {
  Results results = made::two_graces();
  results.rows.front().setting.front().second = "a,\"b\"";
  EXPECT_THAT(split(csv_of(results), '\n').at(1), StartsWith("\"a,\"\"b\"\"\",2,2,"));
}

TEST(Json, HasTheSameNumbersUnderTheirNames) {
  const auto json = nlohmann::json::parse(json_of(made::two_graces()));
  EXPECT_THAT(json["scenario"], Eq("TWO"));
  EXPECT_THAT(json["seeds"], Eq(2));
  ASSERT_THAT(json["settings"], SizeIs(2));
  const auto& patient = json["settings"][1];
  EXPECT_THAT(patient["flags"], Eq(nlohmann::json{{"node-monitor-grace-period", "40s"}}));
  EXPECT_THAT(patient["nodes_died"], Eq(1));
  EXPECT_THAT(patient["seconds_from_last_heartbeat"]["no_execute"]["p99"], Eq(41.0));
  EXPECT_THAT(patient["seconds_from_end_of_grace"]["no_execute"]["nodes"], Eq(1));
  EXPECT_THAT(patient["api_writes_per_run"],
              Eq(nlohmann::json{{"mean", 4.0}, {"min", 0}, {"max", 8}, {"total", 8}}));
}

}  // namespace
}  // namespace nlc::sim::experiment

#pragma once

#include <chrono>

#include "sim/experiment/results.h"

namespace nlc::sim::experiment::made {

using namespace std::chrono_literals;

inline Death death(PerMark<std::optional<Duration>> after) {
  return {.node = "dead", .after = after};
}

/// Two settings of one flag; with the shorter grace a healthy node becomes Unknown.
inline Results two_graces() {
  const std::vector<Measures> hasty{
      {.deaths = {death({20s, 20s, 21s, 51s}), death({20s, 20s, std::nullopt, std::nullopt})},
       .false_positives = 3,
       .evictions = 1,
       .pods_deleted = 2,
       .api_writes = 12},
      {.deaths = {}, .false_positives = 0, .evictions = 0, .pods_deleted = 0, .api_writes = 4}};
  const std::vector<Measures> patient{
      {.deaths = {death({40s + 5ms, 40s + 10ms, 41s, 71s})},
       .false_positives = 0,
       .evictions = 1,
       .pods_deleted = 2,
       .api_writes = 8},
      {.deaths = {}, .false_positives = 0, .evictions = 0, .pods_deleted = 0, .api_writes = 0}};
  const std::string flag = "node-monitor-grace-period";
  return {.id = "TWO",
          .title = "A node dies, \"perhaps\"",
          .seeds = 2,
          .axes = {{.flag = flag, .values = {"20s", "40s"}}},
          .rows = {{.setting = {{flag, "20s"}}, .summary = summarize(hasty, 20s)},
                   {.setting = {{flag, "40s"}}, .summary = summarize(patient, 40s)}}};
}

}  // namespace nlc::sim::experiment::made

#include "sim/experiment/table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/experiment/made_results.h"

namespace nlc::sim::experiment {
namespace {

using testing::Eq;
using testing::HasSubstr;

TEST(Table, TellsTimesSinceTheHeartbeatAndSinceTheGraceAndWhatWasCounted) {
  EXPECT_THAT(table_of(made::two_graces()), Eq(R"(TWO: A node dies, "perhaps"
2 settings, 2 seeds each

Seconds from a dead node's last heartbeat

                      Unknown           NoSchedule              NoExecute                 pods deleted
node-monitor-
 grace-period     p50   p99   max     p50   p99   max    nodes   p50   p99   max    nodes   p50   p99   max
          20s    20.0  20.0  20.0    20.0  20.0  20.0        1  21.0  21.0  21.0        1  51.0  51.0  51.0
          40s    40.0  40.0  40.0    40.0  40.0  40.0        1  41.0  41.0  41.0        1  71.0  71.0  71.0

Seconds from the end of a dead node's grace

                       Unknown               NoSchedule             NoExecute           pods deleted
node-monitor-
 grace-period      p50    p99    max      p50    p99    max      p50    p99    max     p50   p99   max
          20s    0.000  0.000  0.000    0.000  0.000  0.000    1.000  1.000  1.000    31.0  31.0  31.0
          40s    0.005  0.005  0.005    0.010  0.010  0.010    1.000  1.000  1.000    31.0  31.0  31.0

Per run

                               false positives    evictions    pods deleted    API writes
node-monitor-
 grace-period    nodes died          mean  max    mean  max       mean  max     mean  max
          20s           1.0           1.5    3     0.5    1        1.0    2      8.0   12
          40s           0.5           0.0    0     0.5    1        1.0    2      4.0    8
)"));
}

TEST(Table, SaysSoWhenNoNodeDied) {
  Results results = made::two_graces();
  for (Row& row : results.rows) row.summary.deaths = 0;
  const std::string table = table_of(results);
  EXPECT_THAT(table, HasSubstr("\nNo node died.\n"));
  EXPECT_THAT(table, testing::Not(HasSubstr("Unknown")));
}

TEST(Table, WithoutAnAxisThereIsALineWithoutFlags) {
  Results results = made::two_graces();
  results.axes.clear();
  results.rows.resize(1);
  results.rows.front().setting.clear();
  EXPECT_THAT(table_of(results), HasSubstr("1 setting, 2 seeds each"));
}

}  // namespace
}  // namespace nlc::sim::experiment

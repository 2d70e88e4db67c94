#include "bench/measures.h"

#include <gtest/gtest.h>

namespace nlc::bench {
namespace {

Run run_with(double cost, double memory) {
  return {{"cost_us", "cost", "µs", cost, 2}, {"memory_mib", "memory used", "MiB", memory, 0}};
}

TEST(Table, OneRunIsAColumnOfNumbersThatEndTogether) {
  EXPECT_EQ(table({run_with(4.256, 12)}),
            "  cost         µs   4.26\n"
            "  memory used  MiB    12\n");
}

TEST(Table, SeveralRunsStandBesideTheirMedian) {
  EXPECT_EQ(table({run_with(4, 12), run_with(6, 10), run_with(5, 11)}),
            "                    run 1  run 2  run 3  median\n"
            "  cost         µs    4.00   6.00   5.00    5.00\n"
            "  memory used  MiB     12     10     11      11\n");
}

TEST(Comparison, TellsHowManyTimesAsMuchTheFirstTook) {
  EXPECT_EQ(comparison({"theirs", run_with(125, 292)}, {"ours", run_with(50, 10)}),
            "                    theirs   ours  ratio\n"
            "  cost         µs   125.00  50.00  2.5 ×\n"
            "  memory used  MiB     292     10   29 ×\n");
}

TEST(Comparison, HasNoRatioToNothing) {
  EXPECT_EQ(comparison({"theirs", {{"positives", "positives", "", 109, 0}}},
                       {"ours", {{"positives", "positives", "", 0, 0}}}),
            "               theirs  ours  ratio\n"
            "  positives       109     0      –\n");
}

TEST(Json, HasTheFactsAndEachRunByKey) {
  EXPECT_EQ(json({{"nodes", "1000"}}, {run_with(4.5, 12)}),
            "{\n"
            "  \"facts\": {\n"
            "    \"nodes\": \"1000\"\n"
            "  },\n"
            "  \"runs\": [\n"
            "    {\n"
            "      \"cost_us\": 4.5,\n"
            "      \"memory_mib\": 12.0\n"
            "    }\n"
            "  ]\n"
            "}");
}

}  // namespace
}  // namespace nlc::bench

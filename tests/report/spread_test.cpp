#include "report/spread.h"

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::report {
namespace {

using namespace std::chrono_literals;
using testing::DoubleEq;
using testing::Eq;

TEST(Spread, PercentilesAreTimesThatWereMeasured) {
  std::vector<Duration> times;
  for (int i = 200; i > 0; --i) times.push_back(i * 1s);
  const Spread spread = spread_of(times);
  EXPECT_THAT(spread.count, Eq(200U));
  EXPECT_THAT(spread.least, Eq(1s));
  EXPECT_THAT(spread.p50, Eq(100s));
  EXPECT_THAT(spread.p99, Eq(198s));
  EXPECT_THAT(spread.most, Eq(200s));
}

TEST(Spread, SingleTimeIsAllOfIt) {
  const Spread spread = spread_of({7s});
  EXPECT_THAT(spread.p50, Eq(7s));
  EXPECT_THAT(spread.p99, Eq(7s));
  EXPECT_THAT(spread.most, Eq(7s));
}

TEST(Spread, OfNothingIsEmpty) { EXPECT_THAT(spread_of({}).count, Eq(0U)); }

TEST(Tally, KeepsMeanTotalAndEnds) {
  const Tally tally = tally_of({4, 0, 5});
  EXPECT_THAT(tally.mean, DoubleEq(3));
  EXPECT_THAT(tally.total, Eq(9U));
  EXPECT_THAT(tally.least, Eq(0U));
  EXPECT_THAT(tally.most, Eq(5U));
}

TEST(Percentile, IsTheSmallestValueThatCoversTheShare) {
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.5), 2);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.51), 3);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 0.99), 4);
  EXPECT_EQ(percentile({4, 1, 3, 2}, 1), 4);
}

TEST(Percentile, OfNothingIsZeroAndOfOneValueThatValue) {
  EXPECT_TRUE(std::isnan(percentile({}, 0.99)));
  EXPECT_EQ(percentile({7}, 0), 7);
}

}  // namespace
}  // namespace nlc::report

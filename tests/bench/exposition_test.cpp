#include "bench/exposition.h"

#include <gtest/gtest.h>

namespace nlc::bench {
namespace {

constexpr const char* exposition =
    "# HELP seen_total Events.\n"
    "# TYPE seen_total counter\n"
    "seen_total{resource=\"leases_old\"} 7\n"
    "seen_total{resource=\"leases\"} 1234\n"
    "asked_total{verb=\"PUT\",code=\"200\"} 3\n"
    "asked_total{verb=\"GET\",code=\"200\"} 5\n"
    "asked_total{verb=\"PUT\",code=\"409\"} 7\n"
    "asked_total_sum{verb=\"PUT\",code=\"200\"} 11\n"
    "size 1.5e3\n";

TEST(Exposition, SeriesIsFoundByItsWholeNameAndLabels) {
  EXPECT_EQ(sample(exposition, "seen_total{resource=\"leases\"}"), 1234);
  EXPECT_EQ(sample(exposition, "size"), 1500);
}

TEST(Exposition, BeginningOfANameIsNoSeries) {
  EXPECT_EQ(sample(exposition, "seen_total"), std::nullopt);
  EXPECT_EQ(sample(exposition, "seen_total{resource=\"pods\"}"), std::nullopt);
  EXPECT_EQ(sample("", "size"), std::nullopt);
}

TEST(Exposition, SeriesThatHaveAllTheLabelsAreAddedUp) {
  EXPECT_EQ(sum_of(exposition, "asked_total", {"verb=\"PUT\""}), 10);
  EXPECT_EQ(sum_of(exposition, "asked_total", {"verb=\"PUT\"", "code=\"200\""}), 3);
  EXPECT_EQ(sum_of(exposition, "asked_total", {"verb=\"POST\""}), 0);
}

}  // namespace
}  // namespace nlc::bench

#include "bench/exposition.h"

#include <gtest/gtest.h>

namespace nlc::bench {
namespace {

constexpr const char* text =
    "# HELP seen_total Events.\n"
    "# TYPE seen_total counter\n"
    "seen_total{resource=\"leases_old\"} 7\n"
    "seen_total{resource=\"leases\"} 1234\n"
    "size 1.5e3\n";

TEST(Exposition, SeriesIsFoundByItsWholeNameAndLabels) {
  EXPECT_EQ(sample(text, "seen_total{resource=\"leases\"}"), 1234);
  EXPECT_EQ(sample(text, "size"), 1500);
}

TEST(Exposition, BeginningOfANameIsNoSeries) {
  EXPECT_EQ(sample(text, "seen_total"), std::nullopt);
  EXPECT_EQ(sample(text, "seen_total{resource=\"pods\"}"), std::nullopt);
  EXPECT_EQ(sample("", "size"), std::nullopt);
}

}  // namespace
}  // namespace nlc::bench

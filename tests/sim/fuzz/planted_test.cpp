#include "runtime/planted.h"

#include <gtest/gtest.h>

#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::sim::fuzz {
namespace {

/// The mistake of that name, until the end of a test.
class Planted {
 public:
  explicit Planted(std::string_view name) { plant(name); }
  ~Planted() { plant({}); }
};

/// The rule that the first of so many days breaks; empty when none does.
std::string rule_broken_within(std::uint64_t days) {
  for (std::uint64_t seed = 1; seed <= days; ++seed) {
    if (const DayResult result = play(day_of(seed)); !result.good()) return result.rule;
  }
  return {};
}

/// All of them: `make fuzz-planted`.
TEST(Fuzz, FindsAMistakeThatIsPlanted) {
  const Planted mistake("outage-is-silence");
  EXPECT_NE(rule_broken_within(50), "");
}

TEST(Fuzz, FindsNothingOnTheSameDaysWithoutIt) { EXPECT_EQ(rule_broken_within(10), ""); }

}  // namespace
}  // namespace nlc::sim::fuzz

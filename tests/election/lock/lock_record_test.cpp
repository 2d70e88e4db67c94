#include "election/lock/lock_record.h"

#include <gtest/gtest.h>

namespace nlc::election {
namespace {

using namespace std::chrono_literals;

TEST(LockRecord, LastsForTheLongerOfTwoLeasesAndForAYearAtMost) {
  const auto lasts = [](std::optional<std::int64_t> seconds) {
    LockRecord theirs;
    theirs.duration_seconds = seconds;
    return lease_of(theirs, 20s);
  };
  EXPECT_EQ(lasts(std::nullopt), 20s);
  EXPECT_EQ(lasts(-1), 20s);
  EXPECT_EQ(lasts(15), 20s);
  EXPECT_EQ(lasts(60), 60s);
  EXPECT_EQ(lasts(2147483647), 365 * 24h);
}

TEST(LockVersion, OfAPairIsOlderIfEitherHalfIs) {
  EXPECT_TRUE(is_older_lock("9", "10"));
  EXPECT_FALSE(is_older_lock("10", "10"));
  EXPECT_TRUE(is_older_lock("10,11", "10,12"));
  EXPECT_TRUE(is_older_lock("9,13", "10,12"));
  EXPECT_FALSE(is_older_lock("11,12", "10,12"));
  EXPECT_FALSE(is_older_lock("11", "10,12")) << "a half that is missing";
  EXPECT_FALSE(is_older_lock("one", "two")) << "nobody can tell";
}

}  // namespace
}  // namespace nlc::election

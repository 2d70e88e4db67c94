#include <gtest/gtest.h>

#include "election/election_options.h"

namespace nlc::election {
namespace {

using namespace std::chrono_literals;

std::string wrong_option(ElectionOptions options) {
  if (options.identity.empty()) options.identity = "baz";
  const auto bad = check(options);
  return bad ? bad->option : "";
}

TEST(ElectionOptions, DefaultsNeedOnlyAnIdentity) {
  EXPECT_EQ(check({})->message, "Lock identity is empty");
  EXPECT_FALSE(check({.identity = "baz"}));
}

TEST(ElectionOptions, TheLeaseHasToBeLongerThanTheDeadline) {
  EXPECT_EQ(wrong_option({.lease_duration = 10s, .renew_deadline = 10s}), "lease_duration");
  EXPECT_EQ(wrong_option({.lease_duration = 11s, .renew_deadline = 10s}), "");
}

TEST(ElectionOptions, TheDeadlineHasToBeMoreThanOneAndAFifthPeriods) {
  EXPECT_EQ(wrong_option({.renew_deadline = 12s, .retry_period = 10s}), "renew_deadline");
  EXPECT_EQ(wrong_option({.renew_deadline = 12001ms, .retry_period = 10s}), "");
}

TEST(ElectionOptions, DurationsHaveToBePositive) {
  EXPECT_EQ(wrong_option({.retry_period = 0s}), "retry_period");
  EXPECT_EQ(wrong_option({.renew_deadline = 0s, .retry_period = -1s}), "retry_period");
  EXPECT_NE(wrong_option({.lease_duration = 0s, .renew_deadline = -1s, .retry_period = -2s}), "");
}

TEST(ElectionOptions, TheLeaseHasToBeWholeSeconds) {
  EXPECT_EQ(wrong_option({.lease_duration = 15500ms}), "lease_duration");
}

TEST(ElectionOptions, AnIdentityHasToBeWritableIntoJsonAndLogs) {
  EXPECT_EQ(wrong_option({.identity = "a b"}), "identity");
  EXPECT_EQ(wrong_option({.identity = "\xff"}), "identity");
  EXPECT_EQ(wrong_option({.identity = "\x7f"}), "identity");
  EXPECT_EQ(wrong_option({.identity = "!~"}), "");
}

TEST(ElectionOptions, EachLockHasOneName) {
  for (const std::string name :
       {"leases", "endpoints", "configmaps", "endpointsleases", "configmapsleases"}) {
    ASSERT_TRUE(lock_kind(name));
    EXPECT_EQ(name_of(*lock_kind(name)), name);
  }
  EXPECT_FALSE(lock_kind("lease"));
}

}  // namespace
}  // namespace nlc::election

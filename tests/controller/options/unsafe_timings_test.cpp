#include "controller/options/unsafe_timings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

std::vector<std::string> rules(const Policy& policy) {
  std::vector<std::string> found;
  for (const Warning& warning : unsafe_timings(policy, 0)) found.emplace_back(warning.rule);
  return found;
}

TEST(UnsafeTimings, DefaultsAreSafe) { EXPECT_THAT(rules({}), IsEmpty()); }

TEST(UnsafeTimings, GraceNeedsRoomForThreeBeats) {
  EXPECT_THAT(rules({.monitor_grace = 30s}), Not(Contains("heartbeats-per-grace")));
  EXPECT_THAT(rules({.monitor_grace = 30s - 1ns}), Contains("heartbeats-per-grace"));
  const std::vector<Warning> found = unsafe_timings({.monitor_grace = 20s}, 0);
  ASSERT_FALSE(found.empty());
  EXPECT_THAT(found[0].message, HasSubstr("--node-monitor-grace-period=20s"));
  EXPECT_THAT(found[0].message, HasSubstr("2 heartbeats"));
  EXPECT_THAT(unsafe_timings({.monitor_grace = 10s}, 0)[0].message, HasSubstr("1 heartbeat "));
}

TEST(UnsafeTimings, StartupGraceNeedsThemToo) {
  EXPECT_THAT(rules({.startup_grace = 30s}), IsEmpty());
  EXPECT_THAT(rules({.startup_grace = 29s}), ElementsAre("heartbeats-per-startup-grace"));
}

TEST(UnsafeTimings, GraceShouldOutlastADeadConnection) {
  EXPECT_THAT(rules({.monitor_grace = 45s}), IsEmpty());
  EXPECT_THAT(rules({.monitor_grace = 45s - 1ns}), ElementsAre("dead-connection"));
}

TEST(UnsafeTimings, PeriodShouldNotExceedTheGrace) {
  EXPECT_THAT(rules({.monitor_period = 50s}), IsEmpty());
  EXPECT_THAT(rules({.monitor_period = 51s}), ElementsAre("period-over-grace"));
}

TEST(UnsafeTimings, EvictionTimeoutCountsOnlyWithoutTheTaintManager) {
  EXPECT_THAT(rules({.pod_eviction_timeout = 49s}), ElementsAre("timeout-without-effect"));
  EXPECT_THAT(rules({.evict_by_taints = false, .pod_eviction_timeout = 50s}), IsEmpty());
  EXPECT_THAT(rules({.evict_by_taints = false, .pod_eviction_timeout = 49s}),
              ElementsAre("grace-over-eviction-timeout"));
}

TEST(UnsafeTimings, LimitUnderWhichWhatIsReadIsTooOldWhenItWouldBeWrittenIsNamed) {
  EXPECT_THAT(unsafe_timings({}, 0), IsEmpty()) << "no limit";
  EXPECT_THAT(unsafe_timings({}, 0.5), IsEmpty());
  const std::vector<Warning> found = unsafe_timings({}, 0.49);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, "requests-per-read");
  EXPECT_THAT(found[0].message, HasSubstr("--kube-api-qps"));
}

TEST(UnsafeTimings, RetriesThatFollowEachOtherFasterThanFiveASecondAreNamed) {
  EXPECT_THAT(unsafe_timings({}, 0, 200ms), IsEmpty());
  const std::vector<Warning> found = unsafe_timings({}, 0, 199ms);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rule, "retries-per-second");
  EXPECT_THAT(found[0].message, HasSubstr("--leader-elect-retry-period=199ms"));
}

TEST(UnsafeTimings, RatesThatTurnThePaceAroundAreNamed) {
  EXPECT_THAT(rules({.eviction_rate = 0}), ElementsAre("no-evictions"));
  EXPECT_THAT(rules({.eviction_rate = 0.1, .secondary_eviction_rate = 0.2}),
              ElementsAre("secondary-rate-over-rate"));
  EXPECT_THAT(rules({.eviction_rate = 0.1, .secondary_eviction_rate = 0.1}), IsEmpty());
}

TEST(UnsafeTimings, SmallZonesStopEvictingInSilence) {
  const std::vector<int> sizes{50, 51, 2};
  const std::optional<Warning> found = silent_stop({}, sizes);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->message, HasSubstr("1 of 3 zones"));
  EXPECT_THAT(found->message, HasSubstr("55%"));
  EXPECT_THAT(found->message, HasSubstr("--large-cluster-size-threshold=50"));
}

TEST(UnsafeTimings, ZonesOfTwoNodesAreNeverPartlyDisruptedAndLargeOnesGoOn) {
  const std::vector<int> sizes{51, 2, 1};
  EXPECT_FALSE(silent_stop({}, sizes));
  const std::vector<int> small{3};
  EXPECT_TRUE(silent_stop({}, small));
  EXPECT_FALSE(silent_stop({.eviction_rate = 0}, small)) << "they never began";
}

TEST(UnsafeTimings, WithoutASecondaryRateLargeZonesStopToo) {
  const std::vector<int> sizes{500, 500};
  const std::optional<Warning> found = silent_stop({.secondary_eviction_rate = 0}, sizes);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->message, HasSubstr("2 of 2 zones"));
  EXPECT_THAT(found->message, HasSubstr("--secondary-node-eviction-rate=0"));
}

}  // namespace
}  // namespace nlc::controller

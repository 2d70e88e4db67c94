#include "controller/zones/zones.h"

#include <gtest/gtest.h>

#include "controller/zones/token_bucket.h"
#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

TEST(TokenBucket, StartsWithOneTokenAndDripsAtItsRate) {
  TokenBucket bucket(0.1, start);
  EXPECT_TRUE(bucket.has_token(start));
  bucket.take(start);
  EXPECT_FALSE(bucket.has_token(start + 9999ms));
  EXPECT_TRUE(bucket.has_token(start + 10s));
  EXPECT_EQ(bucket.next_token(), start + 10s);
}

TEST(TokenBucket, WhoIsBehindOthersHasTheTokenAfterTheirs) {
  TokenBucket bucket(0.1, start);
  EXPECT_EQ(bucket.next_token_after(2, start + 1h), start + 1h + 20s) << "one is there";
  bucket.take(start + 1h);
  EXPECT_EQ(bucket.next_token_after(2, start + 1h), start + 1h + 30s);
  EXPECT_EQ(TokenBucket(0, start).next_token_after(2, start), std::nullopt);
}

TEST(TokenBucket, RateOfATokenInCenturiesIsAWaitThatAClockCanHold) {
  TokenBucket bucket(1e-10, start);
  bucket.take(start);
  EXPECT_GT(bucket.next_token_after(1000, start), start + 24h * 365 * 30);
}

TEST(TokenBucket, SavesOneTokenAtMost) {
  TokenBucket bucket(1, start);
  bucket.take(start + 1h);
  EXPECT_FALSE(bucket.has_token(start + 1h));
}

TEST(TokenBucket, RateZeroIsNeverAlsoFromTheBeginning) {
  TokenBucket bucket(0, start);
  EXPECT_FALSE(bucket.has_token(start + 24h));
  EXPECT_EQ(bucket.next_token(), std::nullopt);
}

TEST(TokenBucket, RateOneResumesAfterAStopOneWholeIntervalLater) {
  TokenBucket bucket(1, start);
  bucket.set_rate(0, start);
  bucket.set_rate(1, start + 1min);
  EXPECT_FALSE(bucket.has_token(start + 1min));
  EXPECT_TRUE(bucket.has_token(start + 1min + 1s));
}

TEST(TokenBucket, ChangeBetweenRatesKeepsATokenThatWasThere) {
  TokenBucket bucket(0.1, start);
  bucket.set_rate(0.01, start);
  EXPECT_TRUE(bucket.has_token(start));
}

TEST(TokenBucket, TokenThatIsPutBackIsThereAgain) {
  TokenBucket bucket(0.1, start);
  bucket.take(start);
  bucket.put_back(start);
  EXPECT_TRUE(bucket.has_token(start));
}

TEST(TokenBucket, TokenThatIsTakenBeforeItIsThereIsNotOwed) {
  TokenBucket bucket(0.1, start);
  bucket.take(start);
  bucket.take(start + 5s);
  EXPECT_EQ(bucket.next_token(), start + 15s);
}

TEST(TokenBucket, TokenThatIsPutBackAtRateZeroIsNotThereWhenTheRateComesBack) {
  TokenBucket bucket(1, start);
  bucket.set_rate(0, start);
  bucket.put_back(start);
  EXPECT_FALSE(bucket.has_token(start));
  bucket.set_rate(1, start);
  EXPECT_FALSE(bucket.has_token(start));
}

TEST(ZoneKey, DeprecatedLabelsWinIndependentlyAndANulStandsBetween) {
  api::Node node;
  EXPECT_EQ(zone_key(node), "");
  node.labels = {{"topology.kubernetes.io/zone", "new"},
                 {"failure-domain.beta.kubernetes.io/zone", "old"},
                 {"topology.kubernetes.io/region", "r"}};
  EXPECT_EQ(zone_key(node), std::string("r:\0:old", 7));
}

TEST(ZoneState, NeedsThreeNotReadyNodesAndTheThresholdToBePartlyDisrupted) {
  const Policy policy;
  EXPECT_EQ(zone_state({.ready = 1, .not_ready = 2}, policy), ZoneState::Normal);
  EXPECT_EQ(zone_state({.ready = 2, .not_ready = 3}, policy), ZoneState::PartialDisruption);
  EXPECT_EQ(zone_state({.ready = 3, .not_ready = 3}, policy), ZoneState::Normal);
  EXPECT_EQ(zone_state({.ready = 9, .not_ready = 11}, policy), ZoneState::PartialDisruption);
  EXPECT_EQ(zone_state({.ready = 0, .not_ready = 1}, policy), ZoneState::FullDisruption);
  EXPECT_EQ(zone_state({}, policy), ZoneState::Normal);
  EXPECT_EQ(zone_state({.ready = 3, .not_ready = 3}, {.unhealthy_zone_threshold = 0.5}),
            ZoneState::PartialDisruption)
      << "the threshold itself";
}

TEST(ZoneRate, SmallPartlyDisruptedZonesStopAndLargeOnesSlowDown) {
  const Policy policy;
  EXPECT_EQ(zone_rate(ZoneState::PartialDisruption, {.ready = 10, .not_ready = 40}, policy), 0);
  EXPECT_EQ(zone_rate(ZoneState::PartialDisruption, {.ready = 11, .not_ready = 40}, policy), 0.01);
  EXPECT_EQ(zone_rate(ZoneState::FullDisruption, {.not_ready = 5}, policy), 0.1);
}

class ZonesTest : public ::testing::Test {
 protected:
  /// The zones have just these nodes from now on.
  Zones::Transition count(const std::map<std::string, ZoneCount>& counts, Instant now) {
    std::vector<std::pair<std::string, Zones::Member>> next;
    for (const auto& [key, count] : counts) {
      for (int i = 0; i < count.ready; ++i) next.push_back({key, {.ready = true}});
      for (int i = 0; i < count.not_ready; ++i) next.push_back({key, {.ready = false}});
    }
    return replace(std::move(next), now);
  }
  Zones::Transition replace(std::vector<std::pair<std::string, Zones::Member>> next, Instant now) {
    for (const auto& [key, member] : next) zones.join(zones.of(key, now), member);
    for (const auto& [key, member] : members) zones.leave(zones.of(key, now), member);
    members = std::move(next);
    changes.clear();
    return zones.settle(now, changes);
  }

  const Policy policy;
  Zones zones{policy};
  std::vector<std::pair<std::string, Zones::Member>> members;
  std::vector<Zones::Change> changes;
};

TEST_F(ZonesTest, AllZonesFullyDisruptedStopAndOneThatIsNotSetsThemGoing) {
  EXPECT_EQ(count({{"a", {.not_ready = 3}}, {"b", {.ready = 3}}}, start), Zones::Transition::None);
  EXPECT_EQ(zones.of("a", start).evictions.rate(), 0.1);
  EXPECT_EQ(count({{"a", {.not_ready = 3}}, {"b", {.not_ready = 3}}}, start),
            Zones::Transition::EnteredFullDisruption);
  EXPECT_EQ(zones.of("a", start).evictions.rate(), 0);
  EXPECT_EQ(count({{"a", {.not_ready = 3}}, {"b", {.ready = 1, .not_ready = 2}}}, start + 1min),
            Zones::Transition::LeftFullDisruption);
  EXPECT_EQ(zones.of("a", start).evictions.rate(), 0.1);
}

TEST_F(ZonesTest, ZoneRemembersWhenItCeasedToBeDisruptedForTheLastTime) {
  count({{"a", {.not_ready = 1}}}, start);
  EXPECT_EQ(zones.of("a", start).recovered, std::nullopt);
  count({{"a", {.ready = 1}}}, start + 1min);
  EXPECT_EQ(zones.of("a", start).recovered, start + 1min);
  count({{"a", {.ready = 2}}}, start + 2min);
  EXPECT_EQ(zones.of("a", start).recovered, start + 1min);
}

TEST_F(ZonesTest, ChangesOfStateAreToldOnce) {
  count({{"a", {.ready = 1}}, {"b", {.ready = 1}}}, start);
  EXPECT_EQ(changes.size(), 2U);
  count({{"a", {.ready = 1}}, {"b", {.not_ready = 1}}}, start);
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].zone->key, "b");
  EXPECT_EQ(changes[0].before, ZoneState::Normal);
}

TEST_F(ZonesTest, NextTokenIsTheFirstOfAZoneInWhichSomebodyWaitsForOne) {
  count({{"a", {.ready = 1}}, {"b", {.ready = 1}}, {"c", {.ready = 1}}, {"d", {.ready = 1}}},
        start);
  for (const char* key : {"a", "b", "c"}) {
    zones.of(key, start).queue.insert({AvailableTime{}, 0});
  }
  zones.of("b", start).evictions.take(start + 1s);
  zones.of("c", start).evictions.take(start + 2s);
  zones.of("d", start).evictions.take(start);
  EXPECT_EQ(zones.next_token(start + 2s), start + 11s) << "a has one, and nobody waits in d";
}

TEST_F(ZonesTest, VanishedZonesLeaveAtOnce) {
  count({{"a", {.ready = 1}}, {"b", {.ready = 1}}}, start);
  count({{"a", {.ready = 1}}}, start);
  EXPECT_EQ(zones.all().size(), 1U);
  EXPECT_FALSE(zones.all().contains("b"));
}

TEST_F(ZonesTest, ZoneThatComesBackHasTheTokenItWouldHaveHad) {
  count({{"a", {.ready = 1}}, {"b", {.ready = 1}}}, start);
  zones.of("b", start).evictions.take(start);
  count({{"a", {.ready = 1}}}, start + 1s);
  count({{"a", {.ready = 1}}, {"b", {.ready = 1}}}, start + 2s);
  EXPECT_FALSE(zones.of("b", start + 2s).evictions.has_token(start + 10s - 1ms));
  EXPECT_TRUE(zones.of("b", start + 2s).evictions.has_token(start + 10s));
}

TEST_F(ZonesTest, ZoneThatComesBackWhileAllAreFullyDisruptedLetsNobodyGo) {
  count({{"a", {.ready = 1}}, {"b", {.ready = 1}}}, start);
  zones.of("b", start).evictions.take(start);
  count({{"a", {.ready = 1}}}, start + 1s);
  count({{"a", {.not_ready = 1}}}, start + 2s);
  EXPECT_EQ(zones.of("b", start + 3s).evictions.rate(), 0);
}

TEST_F(ZonesTest, ZoneOfExcludedNodesOnlyStaysAndKeepsItsRateLimit) {
  EXPECT_EQ(replace({{"a", {.excluded = true}}}, start), Zones::Transition::None);
  zones.of("a", start).evictions.take(start);
  EXPECT_EQ(replace({{"a", {.excluded = true}}}, start), Zones::Transition::None);
  EXPECT_FALSE(zones.of("a", start).evictions.has_token(start));
}

TEST_F(ZonesTest, WhereNoNodeIsLeftAFullDisruptionGoesOnUntilOneIsReady) {
  EXPECT_EQ(count({}, start), Zones::Transition::None);
  EXPECT_FALSE(zones.all_disrupted()) << "none has ever been there";
  ASSERT_EQ(count({{"a", {.not_ready = 1}}}, start), Zones::Transition::EnteredFullDisruption);
  EXPECT_EQ(count({}, start + 1s), Zones::Transition::None);
  EXPECT_TRUE(zones.all_disrupted());
  EXPECT_EQ(count({{"b", {.ready = 1}}}, start + 2s), Zones::Transition::LeftFullDisruption);
  EXPECT_EQ(count({}, start + 3s), Zones::Transition::None);
  EXPECT_FALSE(zones.all_disrupted());
}

TEST_F(ZonesTest, WhereOnlyExcludedNodesAreLeftAFullDisruptionGoesOnUntilOneIsReady) {
  ASSERT_EQ(count({{"a", {.not_ready = 3}}}, start), Zones::Transition::EnteredFullDisruption);
  EXPECT_EQ(replace({{"a", {.excluded = true}}}, start), Zones::Transition::None);
  EXPECT_EQ(zones.of("a", start).evictions.rate(), 0);
  EXPECT_EQ(replace({{"a", {.excluded = true, .ready = true}}}, start),
            Zones::Transition::LeftFullDisruption);
  EXPECT_EQ(zones.of("a", start).evictions.rate(), 0.1);
}

TEST_F(ZonesTest, StateFollowsACountBeforeTheNextPass) {
  ASSERT_EQ(count({{"a", {.ready = 10}}}, start), Zones::Transition::None);
  EXPECT_FALSE(zones.unsettled());
  Zone& zone = zones.of("a", start);
  for (int i = 0; i < 6; ++i) {
    zones.leave(zone, {.ready = true});
    zones.join(zone, {.ready = false});
  }
  EXPECT_TRUE(zones.unsettled());
  zones.settle(start, changes);
  EXPECT_EQ(zone.state, ZoneState::PartialDisruption);
  EXPECT_FALSE(zone.may_evict(start + 24h));
}

}  // namespace
}  // namespace nlc::controller

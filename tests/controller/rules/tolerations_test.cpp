#include "controller/rules/tolerations.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

SeenTaint seen(std::string_view key, Instant since) {
  return {.taint = a_taint(key, "NoExecute"), .since = since};
}

TEST(Comparisons, TolerateValuesBelowAndAboveTheirOwnWhileTheGateIsOn) {
  const auto tolerated = [](const char* op, const char* own, const char* taints) {
    api::Taint taint = a_taint("k", "NoExecute");
    taint.value = taints;
    return tolerates({.key = "k", .operator_ = op, .value = own}, taint, Comparisons::On);
  };
  EXPECT_TRUE(tolerated("Lt", "10", "9"));
  EXPECT_TRUE(tolerated("Gt", "-10", "-9"));
  EXPECT_TRUE(tolerated("Gt", "0", "1"));
  EXPECT_TRUE(tolerated("Lt", "1", "0"));
  EXPECT_FALSE(tolerated("Lt", "10", "10"));
  EXPECT_FALSE(tolerated("Gt", "10", "10"));
  EXPECT_FALSE(tolerated("Lt", "9", "10"));
  EXPECT_FALSE(tolerated("Near", "10", "9"));
}

TEST(Comparisons, TolerateNothingThatIsNotWrittenAsAWholeNumber) {
  for (const char* odd : {"", "+9", "09", " 9", "9 ", "9.0", "x", "99999999999999999999"}) {
    api::Taint taint = a_taint("k", "NoExecute");
    taint.value = odd;
    EXPECT_FALSE(tolerates({.operator_ = "Lt", .value = "10"}, taint, Comparisons::On)) << odd;
    taint.value = "9";
    EXPECT_FALSE(tolerates({.operator_ = "Gt", .value = odd}, taint, Comparisons::On)) << odd;
  }
}

TEST(Tolerates, EmptyKeyAndEffectMatchEverythingWithExists) {
  EXPECT_TRUE(tolerates({.operator_ = "Exists"}, a_taint("k", "NoExecute")));
  EXPECT_FALSE(
      tolerates({.operator_ = "Exists", .effect = "NoSchedule"}, a_taint("k", "NoExecute")));
  EXPECT_FALSE(tolerates({.key = "other", .operator_ = "Exists"}, a_taint("k", "NoExecute")));
}

TEST(Tolerates, EqualComparesValuesAndIsTheDefaultOperator) {
  api::Taint valued = a_taint("k", "NoExecute");
  valued.value = "v";
  EXPECT_TRUE(tolerates({.key = "k", .value = "v"}, valued));
  EXPECT_TRUE(tolerates({.key = "k", .operator_ = "Equal", .value = "v"}, valued));
  EXPECT_FALSE(tolerates({.key = "k", .value = "w"}, valued));
}

TEST(Tolerates, OtherOperatorsTolerateNothing) {
  EXPECT_FALSE(tolerates({.key = "k", .operator_ = "Gt", .value = "1"}, a_taint("k", "NoExecute")));
}

TEST(EvictionDeadline, UntoleratedTaintEvictsAtOnce) {
  const std::vector<SeenTaint> taints{seen("k", start)};
  EXPECT_EQ(eviction_deadline({}, taints, Instant::min()), start);
}

TEST(EvictionDeadline, TolerationWithoutSecondsIsForEver) {
  const std::vector<SeenTaint> taints{seen("k", start)};
  const std::vector<api::Toleration> tolerations{tolerates_for("k", std::nullopt)};
  EXPECT_EQ(eviction_deadline(tolerations, taints, Instant::min()), std::nullopt);
}

TEST(EvictionDeadline, TheEarliestEndOfATolerationWins) {
  const std::vector<SeenTaint> taints{seen("long", start), seen("short", start + 30s)};
  const std::vector<api::Toleration> tolerations{tolerates_for("long", 100),
                                                 tolerates_for("short", 10)};
  EXPECT_EQ(eviction_deadline(tolerations, taints, Instant::min()), start + 40s);
}

TEST(EvictionDeadline, FirstTolerationInPodOrderDecides) {
  const std::vector<SeenTaint> taints{seen("k", start)};
  const std::vector<api::Toleration> tolerations{tolerates_for("k", std::nullopt),
                                                 tolerates_for("k", 10)};
  EXPECT_EQ(eviction_deadline(tolerations, taints, Instant::min()), std::nullopt);
}

TEST(EvictionDeadline, ZeroAndNegativeSecondsAreNow) {
  const std::vector<SeenTaint> taints{seen("k", start)};
  EXPECT_EQ(eviction_deadline(std::vector{tolerates_for("k", 0)}, taints, Instant::min()), start);
  EXPECT_EQ(eviction_deadline(std::vector{tolerates_for("k", -5)}, taints, Instant::min()), start);
}

TEST(EvictionDeadline, PodThatComesLaterThanTheTaintHasItsWholeToleration) {
  const std::vector<SeenTaint> taints{seen("k", start)};
  const std::vector<api::Toleration> tolerations{tolerates_for("k", 300)};
  EXPECT_EQ(eviction_deadline(tolerations, taints, start + 1h), start + 1h + 300s);
}

TEST(EvictionDeadline, TolerationBeyondTheClockDoesNotOverflow) {
  const std::vector<SeenTaint> taints{seen("k", start)};
  const std::vector<api::Toleration> tolerations{
      tolerates_for("k", std::numeric_limits<std::int64_t>::max())};
  EXPECT_GT(eviction_deadline(tolerations, taints, Instant::min()), start + 24h * 365);
}

}  // namespace
}  // namespace nlc::controller

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/model/releases.h"
#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// node0 is labelled a: b from 10 s until 20 s, and again from 30 s on.
Parts blinking(const std::vector<std::string>& expect) {
  const auto label = [](const char* at, const char* value) {
    return "{at: " + std::string(at) +
           ", patch: {kind: Node, name: node1, merge: {metadata: "
           "{labels: {a: " +
           value + "}}}}}";
  };
  return {.timeline = {label("10s", "b"), label("20s", "null"), label("30s", "b")},
          .expect = expect};
}

std::string expecting_node1(const std::string& when, const std::string& label) {
  return expecting(when, "{node: {name: node1, " + label + "}}");
}

constexpr const char* labelled = "labels: {a: b}";
constexpr const char* bare = "labels_absent: [a]";

std::vector<std::string> seen_by(const std::vector<std::string>& expect) {
  std::vector<std::string> seen;
  for (const Failure& failure : play(blinking(expect)).failures) seen.push_back(failure.seen);
  return seen;
}

TEST(Witnesses, HoldsWantsTheWholeIntervalWithBothEnds) {
  EXPECT_THAT(seen_by({expecting_node1("holds: [10s, 19.999s]", labelled)}), IsEmpty());
  EXPECT_THAT(seen_by({expecting_node1("holds: [20s, 29.999s]", bare)}), IsEmpty());
  ASSERT_EQ(seen_by({expecting_node1("holds: [9.999s, 15s]", labelled)}).size(), 1U);
  EXPECT_THAT(seen_by({expecting_node1("holds: [10s, 20s]", labelled)}).at(0),
              HasSubstr("at +20.000s: the labels are {"));
}

TEST(Witnesses, AChangeWithinAnIntervalIsSeenHoweverShort) {
  Parts parts = blinking({expecting_node1("holds: [0s, 5m]", bare)});
  parts.timeline = {
      "{at: 77s, patch: {kind: Node, name: node1, merge: {metadata: {labels: {a: "
      "b}}}}}",
      "{at: 77001ms, patch: {kind: Node, name: node1, merge: {metadata: {labels: "
      "{a: null}}}}}"};
  EXPECT_THAT(seen_in(parts), HasSubstr("at +77.000s"));
}

TEST(Witnesses, BecomesWantsTheChangeWithinItsInterval) {
  EXPECT_THAT(seen_by({expecting_node1("becomes: [10s, 11s]", labelled),
                       expecting_node1("becomes: [20s, 21s]", bare),
                       expecting_node1("becomes: [30s, 31s]", labelled)}),
              IsEmpty());
  EXPECT_THAT(seen_by({expecting_node1("becomes: [5s, 9s]", labelled)}).at(0),
              HasSubstr("at +9.000s"));
}

TEST(Witnesses, WhatBecomesSoWasNotSoBefore) {
  EXPECT_THAT(seen_by({expecting_node1("becomes: [12s, 13s]", labelled)}).at(0),
              HasSubstr("it was so before"));
}

TEST(Witnesses, AStepAtTheBeginningOfItsIntervalMayUndoWhatWasSo) {
  Parts parts = blinking({expecting_node1("becomes: [10s, 21s]", bare)});
  EXPECT_EQ(seen_in(parts), "");
}

TEST(Witnesses, WhatAnEarlierExpectationWantsMayBeSoAlready) {
  EXPECT_THAT(seen_by({expecting_node1("becomes: [30s, 31s]", labelled),
                       expecting_node1("becomes: [40s, 41s]", labelled)}),
              IsEmpty());
}

TEST(Witnesses, WhatBecameSoStaysSoUntilAnotherExpectationTakesOver) {
  EXPECT_THAT(
      seen_by({expecting_node1("becomes: [10s, 11s]", labelled), expecting_node1("at: 20s", bare)}),
      IsEmpty());
  const std::vector<std::string> seen =
      seen_by({expecting_node1("becomes: [10s, 11s]", labelled),
               "{when: {holds: [0s, 60s]}, that: [{process: alive}]}"});
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_THAT(seen[0], HasSubstr("at +20.000s: no longer so: the labels are"));
}

TEST(Witnesses, AtLooksAtOneMoment) {
  EXPECT_THAT(seen_by({expecting_node1("at: 15s", labelled)}), IsEmpty());
  EXPECT_EQ(seen_by({expecting_node1("at: 25s", labelled)}).size(), 1U);
}

TEST(Witnesses, AllChecksOfAnExpectationHoldTogether) {
  const std::string both =
      "{when: {at: 15s}, that: [{node: {name: node1, labels: {a: b}}}, {node: {name: node0, "
      "labels: {a: b}}}]}";
  const Outcome outcome = play(blinking({both}));
  ASSERT_EQ(outcome.failures.size(), 1U);
  EXPECT_THAT(outcome.failures[0].expectation, HasSubstr("at 15s {node: {name: node0"));
}

TEST(Witnesses, ExpectationsOfOtherReleasesArePassedOver) {
  const std::string impossible = expecting_node1("at: 15s", "labels: {a: never}");
  const auto only_for = [&](const std::string& releases) {
    std::string text = impossible;
    return text.insert(text.size() - 1, ", only_for: '" + releases + "'");
  };
  EXPECT_THAT(seen_by({only_for("<=1.20 (measured on amd64)")}), IsEmpty());
  EXPECT_EQ(seen_by({only_for(">=1.23 (newer limiter library)")}).size(), 1U);
}

TEST(Releases, OursAreThoseFrom134On) {
  for (const char* ours : {"all", "", ">=1.18", ">=1.34", "1.29..1.36",
                           "all (zone states are "
                           "internal)"}) {
    EXPECT_TRUE(concerns_us(ours)) << ours;
  }
  for (const char* others : {"<=1.26", "<1.34", "1.29..1.33", ">=1.37", "1.16",
                             "1.19.0-1.19.8, 1.20.0-1.20.4 and equivalents"}) {
    EXPECT_FALSE(concerns_us(others)) << others;
  }
}

}  // namespace
}  // namespace nlc::sim::scenario::testing

#include "informer/list_takeover.h"

#include <gtest/gtest.h>
#include <vector>

namespace nlc::informer {
namespace {

PackedIdentity state(std::string_view version, std::string_view uid = "u1") {
  PackedIdentity identity;
  identity.set(uid, version);
  return identity;
}

/// What slot 0 holds when the list is over.
struct Row {
  std::string_view version;
  PackedIdentity identity() const { return state(version); }
};
using Rows = std::vector<Row>;

TEST(ListTakeover, AnOlderStateIsTakenForAListIsTheWholeTruth) {
  ListTakeover list({.version = "10"}, 1);
  EXPECT_TRUE(list.takes(0, state("9"), state("8")));
  EXPECT_TRUE(list.has(0));
}

TEST(ListTakeover, WhatIsHeldAlreadyIsNotTakenOnceMore) {
  ListTakeover list({.version = "10"}, 1);
  EXPECT_FALSE(list.takes(0, state("9"), state("9")));
  EXPECT_TRUE(list.has(0));
}

TEST(ListTakeover, AnAnswerThatIsNewerThanTheListStandsUnlessTheObjectIsAnother) {
  ListTakeover list({.version = "10"}, 2);
  EXPECT_FALSE(list.takes(0, state("11"), state("8")));
  EXPECT_TRUE(list.takes(1, state("11", "u1"), state("8", "u2")));
}

TEST(ListTakeover, OfAServerThatWentBackNothingStands) {
  ListTakeover list({.version = "10", .rewound = true}, 1);
  EXPECT_TRUE(list.takes(0, state("5000"), state("8")));
  EXPECT_TRUE(list.makes_older(state("5000")));
  EXPECT_FALSE(list.makes_older(state("10")));
}

TEST(ListTakeover, OfAnObjectThatIsListedTwiceTheNewerStateCounts) {
  ListTakeover list({.version = "10"}, 1);
  list.adds(0);
  EXPECT_FALSE(list.takes(0, state("9"), state("8")));
  EXPECT_TRUE(list.takes(0, state("9"), state("10")));
}

TEST(ListTakeover, AReversalIsAContradictionIfItLastsToTheEndOfTheList) {
  ListTakeover list({.version = "10"}, 1);
  EXPECT_TRUE(list.takes(0, state("9"), state("8")));
  EXPECT_EQ(list.contradictions(Rows{Row{"8"}}), 1U);
  EXPECT_EQ(list.contradictions(Rows{Row{"9"}}), 0U) << "listed once more, as it was held";
}

}  // namespace
}  // namespace nlc::informer

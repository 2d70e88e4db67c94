#include "controller/observe/matcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/observe/record.h"
#include "tests/controller/objects.h"

namespace nlc::controller::observe {
namespace {

using namespace controller::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Change unknown_of(const std::string& node, const std::string& uid = "uid") {
  return {.kind = ChangeKind::ConditionsUnknown,
          .uid = uid,
          .object = "node/" + node,
          .node = node,
          .value = {}};
}

Change taint_of(const std::string& node, const std::string& taint) {
  return {.kind = ChangeKind::TaintAdded,
          .uid = "uid-" + node,
          .object = "node/" + node,
          .node = node,
          .value = taint};
}

/// The only one that was found.
Finding only(Matcher& matcher) {
  const std::vector<Finding> found = matcher.take();
  EXPECT_THAT(found, SizeIs(1));
  return found.empty() ? Finding{} : found.front();
}

TEST(Matcher, WhatIsDecidedFirstAgreesWhenItIsSeenEarlierByTheTimeBetween) {
  Matcher matcher;
  matcher.decided(unknown_of("a"), start);
  EXPECT_THAT(matcher.take(), IsEmpty());
  matcher.seen(unknown_of("a"), Instant::max(), start + 4s);
  const Finding found = only(matcher);
  EXPECT_EQ(found.agreement, Agreement::Agree);
  EXPECT_EQ(found.lead(), 4s);
  EXPECT_THAT(matcher.open(), IsEmpty());
}

TEST(Matcher, WhatIsWishedForAgainAndAgainWasDecidedTheFirstTime) {
  Matcher matcher;
  for (int i = 0; i < 5; ++i) matcher.decided(unknown_of("a"), start + i * 1s);
  matcher.seen(unknown_of("a"), Instant::max(), start + 5s);
  EXPECT_EQ(only(matcher).lead(), 5s);
}

TEST(Matcher, WhatIsSeenFirstAgreesLaterWhenItIsDecidedAfterAll) {
  Matcher matcher;
  matcher.seen(unknown_of("a"), start + 9s, start);
  EXPECT_THAT(matcher.take(), IsEmpty());
  matcher.decided(unknown_of("a"), start + 7s);
  EXPECT_EQ(only(matcher).lead(), -7s);
}

TEST(Matcher, WhatIsSeenFirstAgreesLaterWhenItsTimeHasComeHere) {
  Matcher matcher;
  matcher.seen(unknown_of("a"), start + 9s, start);
  matcher.came_due(key_of(unknown_of("a")), start + 10s, start + 11s);
  EXPECT_EQ(only(matcher).lead(), -10s);
  EXPECT_THAT(matcher.open(), IsEmpty());
}

TEST(Matcher, WhatWasDueHereWhenItWasSeenAgreesAtOnce) {
  Matcher matcher;
  matcher.seen(unknown_of("a"), start, start);
  EXPECT_EQ(only(matcher).lead(), 0s);
}

TEST(Matcher, WhatIsNotWantedAnyMoreWasOnlyOursAndSaysWhy) {
  Matcher matcher;
  matcher.decided(unknown_of("a"), start);
  matcher.dropped(key_of(unknown_of("a")), {.cause = Cause::AtTheDeadline}, start + 1s);
  const Finding found = only(matcher);
  EXPECT_EQ(found.agreement, Agreement::OnlyOurs);
  EXPECT_EQ(found.why.cause, Cause::AtTheDeadline);
  EXPECT_EQ(found.lead(), std::nullopt);
}

TEST(Matcher, WhatIsSeenAndNeverWantedHereWasOnlyTheirs) {
  Matcher matcher;
  matcher.seen_alone(unknown_of("a"), {}, start);
  EXPECT_EQ(only(matcher).agreement, Agreement::OnlyTheirs);
  matcher.seen(unknown_of("b"), start + 9s, start);
  matcher.dropped(key_of(unknown_of("b")), {.cause = Cause::Held}, start + 1s);
  const Finding found = only(matcher);
  EXPECT_EQ(found.agreement, Agreement::OnlyTheirs);
  EXPECT_EQ(found.why.cause, Cause::Held);
}

TEST(Matcher, WhatNobodyExpectedHereAgreesAllTheSameIfItHadBeenDecided) {
  Matcher matcher;
  matcher.decided(unknown_of("a"), start);
  matcher.seen_alone(unknown_of("a"), {}, start + 1s);
  EXPECT_EQ(only(matcher).agreement, Agreement::Agree);
}

TEST(Matcher, WhatIsGivenUpIsToldOnceWhateverComesAfterwards) {
  Matcher matcher;
  const ChangeKey key = key_of(unknown_of("a"));
  matcher.decided(unknown_of("a"), start);
  matcher.given_up(key, {.cause = Cause::UpstreamDefect, .defect = "D-TE-1"}, start + 15min);
  EXPECT_EQ(only(matcher).why.defect, "D-TE-1");
  matcher.given_up(key, {}, start + 16min);
  matcher.decided(unknown_of("a"), start + 16min);
  matcher.seen(unknown_of("a"), Instant::max(), start + 17min);
  EXPECT_THAT(matcher.take(), IsEmpty());
  EXPECT_THAT(matcher.open(), IsEmpty());
}

TEST(Matcher, EachTaintAndEachObjectIsOneByItself) {
  Matcher matcher;
  matcher.decided(taint_of("a", "k:NoSchedule"), start);
  matcher.decided(taint_of("a", "k:NoExecute"), start);
  matcher.decided(taint_of("b", "k:NoSchedule"), start);
  matcher.seen(taint_of("a", "k:NoExecute"), Instant::max(), start + 1s);
  EXPECT_EQ(only(matcher).change.value, "k:NoExecute");
  EXPECT_THAT(matcher.open(), SizeIs(2));
}

TEST(Matcher, NamesakeIsAnotherObject) {
  Matcher matcher;
  matcher.decided(unknown_of("a", "first"), start);
  matcher.seen(unknown_of("a", "second"), Instant::max(), start + 1s);
  EXPECT_THAT(matcher.take(), IsEmpty());
  EXPECT_THAT(matcher.open(), SizeIs(2));
}

TEST(Matcher, WhatIsSeenBeyondItsPlacesIsOverlookedAndCounted) {
  Matcher matcher;
  for (std::size_t i = 0; i < Matcher::open_max; ++i) {
    matcher.seen(unknown_of("a", std::to_string(i)), Instant::max(), start);
  }
  EXPECT_EQ(matcher.places_left(), 0U);
  matcher.seen(unknown_of("a", "more"), Instant::max(), start);
  EXPECT_THAT(matcher.open(), SizeIs(Matcher::open_max));
  EXPECT_EQ(matcher.overlooked(), 1U);
  matcher.seen(unknown_of("a", "at once"), start, start);
  EXPECT_EQ(matcher.overlooked(), 1U) << "it needs no place";
}

// --- changes ------------------------------------------------------------------------------------

std::vector<std::string> told(const std::vector<Change>& changes) {
  std::vector<std::string> words;
  for (const Change& change : changes) {
    words.push_back(std::string(name_of(change.kind)) + " " + change.object + " " + change.value);
  }
  return words;
}

TEST(Changes, OfANodeAreItsUnknownAndEachManagedTaintThatComesOrGoes) {
  api::Node before = ready_node("a");
  before.taints = {a_taint("node.kubernetes.io/not-ready", "NoSchedule"),
                   a_taint("mine", "NoExecute")};
  api::Node after = silent_node("a");
  after.taints = {a_taint("node.kubernetes.io/unreachable", "NoSchedule"),
                  a_taint("node.kubernetes.io/unreachable", "NoExecute")};
  EXPECT_THAT(told(changes_between(before, after)),
              ElementsAre("conditions_unknown node/a ",
                          "taint_added node/a node.kubernetes.io/unreachable:NoSchedule",
                          "taint_added node/a node.kubernetes.io/unreachable:NoExecute",
                          "taint_removed node/a node.kubernetes.io/not-ready:NoSchedule"));
  EXPECT_THAT(changes_between(after, after), IsEmpty());
}

TEST(Changes, OfADecisionAreEachOfItsTaints) {
  SetTaints set;
  set.node = {.name = "a", .uid = "uid"};
  set.added = "k:NoSchedule,k:NoExecute";
  set.removed = "l:NoSchedule";
  EXPECT_THAT(told(changes_of(set)),
              ElementsAre("taint_added node/a k:NoSchedule", "taint_added node/a k:NoExecute",
                          "taint_removed node/a l:NoSchedule"));
  EXPECT_THAT(changes_of(ReadNode{}), IsEmpty());
}

TEST(Changes, PodLosesItsReadyOnlyWhereItWasSaid) {
  const api::Pod ready = pod_on("a", "p");
  api::Pod not_ready = ready;
  not_ready.ready->status = api::ConditionStatus::False;
  EXPECT_TRUE(loses_ready(ready, not_ready));
  EXPECT_FALSE(loses_ready(not_ready, not_ready));
  EXPECT_FALSE(loses_ready(not_ready, ready));
}

// --- the record ---------------------------------------------------------------------------------

Finding agreed(Duration lead) {
  return {.change = unknown_of("a"),
          .agreement = Agreement::Agree,
          .ours = start,
          .theirs = start + lead,
          .at = start + lead};
}

TEST(Record, KeepsTheLastThousandAndCountsAll) {
  Record record;
  for (int i = 0; i < 2500; ++i) record.add(agreed(i * 1ms));
  EXPECT_THAT(record.last, SizeIs(Record::findings_max));
  EXPECT_THAT(record.of(ChangeKind::ConditionsUnknown).leads, SizeIs(Record::leads_max));
  EXPECT_EQ(record.of(ChangeKind::ConditionsUnknown).count(Agreement::Agree), 2500U);
}

TEST(Record, TellsOfEachFindingWhenItWasAndTheNewestFirst) {
  Record record;
  record.add(agreed(2s));
  record.add({.change = taint_of("b", "k:NoExecute"),
              .agreement = Agreement::OnlyTheirs,
              .why = {.cause = Cause::UpstreamDefect, .defect = "D-ZD-13"},
              .ours = {},
              .theirs = start + 3s,
              .at = start + 3s});
  record.since = start;
  record.now = start + 5s;
  record.wall = noon;
  const std::string json = json_of(record);
  EXPECT_THAT(json, HasSubstr("\"leadSeconds\": 2.0"));
  EXPECT_THAT(json, HasSubstr("\"ours\": \"2026-01-02T11:59:55.000000Z\""));
  EXPECT_THAT(json, HasSubstr("\"defect\": \"D-ZD-13\""));
  EXPECT_LT(json.find("k:NoExecute"), json.find("\"object\": \"node/a\""));
}

}  // namespace
}  // namespace nlc::controller::observe

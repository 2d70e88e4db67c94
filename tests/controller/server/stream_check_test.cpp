#include "controller/server/stream_check.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using Verdict = StreamCheck::Verdict;

TEST(StreamCheck, StreamThatBringsWhatWasReadIsWell) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "90"}, start + 1s), Verdict::Well);
  EXPECT_EQ(check.look({.version = "100"}, start + 2s), Verdict::Well);
  EXPECT_EQ(check.look({.version = "100"}, start + 1h), Verdict::Well);
}

TEST(StreamCheck, StreamThatStaysBehindIsBegunAnewWhenItsTimeoutEnds) {
  StreamCheck check(5s);
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "99"}, start + 5s), Verdict::Well);
  EXPECT_EQ(check.look({.version = "99"}, start + 5s + 1ns), Verdict::Restart);
}

TEST(StreamCheck, ItIsBegunAnewOnceInEachTimeout) {
  StreamCheck check(5s);
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "90"}, start + 6s), Verdict::Restart);
  EXPECT_EQ(check.look({.version = "90"}, start + 11s), Verdict::Stalled);
  EXPECT_EQ(check.look({.version = "90"}, start + 11s + 1ns), Verdict::Restart);
}

TEST(StreamCheck, WhatTheStreamHasBroughtAlreadyIsNotAwaited) {
  StreamCheck check;
  check.found("90", {.version = "100"}, start);
  EXPECT_EQ(check.look({.version = "100"}, start + 1h), Verdict::Well);
}

TEST(StreamCheck, NewerFindingsDoNotRenewTheTimeout) {
  StreamCheck check(5s);
  check.found("100", {.version = "90"}, start);
  check.found("200", {.version = "90"}, start + 4s);
  EXPECT_EQ(check.look({.version = "150"}, start + 6s), Verdict::Restart);
}

TEST(StreamCheck, CaughtUpByAListItIsWellOnlyWhenItMovesByItself) {
  StreamCheck check(5s);
  check.found("100", {.version = "90", .applied = 7}, start);
  EXPECT_EQ(check.look({.version = "90", .applied = 7}, start + 6s), Verdict::Restart);
  EXPECT_EQ(check.look({.version = "110", .applied = 7}, start + 7s), Verdict::Stalled);
  EXPECT_EQ(check.look({.version = "111", .applied = 8}, start + 8s), Verdict::Well);
}

TEST(StreamCheck, QuietCollectionIsWellAfterAMinuteWithoutLag) {
  StreamCheck check(5s);
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "90"}, start + 6s), Verdict::Restart);
  EXPECT_EQ(check.look({.version = "110"}, start + 66s), Verdict::Stalled);
  EXPECT_EQ(check.look({.version = "110"}, start + 66s + 1ns), Verdict::Well);
}

TEST(StreamCheck, ListThatIsBegunSinceAndDoesNotHaveWhatWasShownIsOfAServerThatWentBack) {
  StreamCheck check(5s);
  check.found("100", {.version = "90", .lists = 1}, start);
  EXPECT_EQ(check.look({.version = "90", .lists = 1}, start + 6s), Verdict::Restart);
  EXPECT_EQ(check.look({.version = "", .lists = 1}, start + 7s), Verdict::Stalled);
  EXPECT_EQ(check.look({.version = "93", .lists = 2}, start + 8s), Verdict::WentBack);
  EXPECT_EQ(check.look({.version = "94", .applied = 1, .lists = 2}, start + 9s), Verdict::Well);
}

TEST(StreamCheck, ListThatWasUnderWayAlreadyTellsNothingOfThat) {
  StreamCheck check(5s);
  check.found("100", {.version = "", .lists = 1}, start);
  EXPECT_EQ(check.look({.version = "", .lists = 1}, start + 6s), Verdict::Restart);
  EXPECT_EQ(check.look({.version = "93", .lists = 2}, start + 8s), Verdict::Stalled);
  EXPECT_EQ(check.look({.version = "93", .lists = 2}, start + 12s), Verdict::Restart);
  EXPECT_EQ(check.look({.version = "94", .lists = 3}, start + 13s), Verdict::WentBack);
}

TEST(StreamCheck, ListThatWasBegunBeforeSomethingNewerWasShownNeedNotHaveThat) {
  StreamCheck check(5s);
  check.found("100", {.version = "90", .lists = 1}, start);
  EXPECT_EQ(check.look({.version = "90", .lists = 1}, start + 6s), Verdict::Restart);
  check.found("200", {.version = "", .lists = 1}, start + 7s);
  EXPECT_EQ(check.look({.version = "150", .lists = 2}, start + 8s), Verdict::Stalled);
}

TEST(StreamCheck, WhatWasAwaitedOfAServerThatWentBackIsForgotten) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  check.forget();
  EXPECT_EQ(check.look({.version = "3"}, start + 1h), Verdict::Well);
}

}  // namespace
}  // namespace nlc::controller

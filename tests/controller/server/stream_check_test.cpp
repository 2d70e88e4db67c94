#include "controller/server/stream_check.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using StreamState = StreamCheck::StreamState;

TEST(StreamCheck, StreamThatBringsWhatWasReadIsWell) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "90"}, start + 1s), StreamState::Well);
  EXPECT_EQ(check.look({.version = "100"}, start + 2s), StreamState::Well);
  EXPECT_EQ(check.look({.version = "100"}, start + 1h), StreamState::Well);
}

TEST(StreamCheck, StreamThatStaysBehindIsBegunAnewWhenItsTimeoutEnds) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "99"}, start + 5s), StreamState::Well);
  EXPECT_EQ(check.look({.version = "99"}, start + 5s + 1ns), StreamState::Restart);
}

TEST(StreamCheck, ItIsBegunAnewOnceInEachTimeout) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "90"}, start + 6s), StreamState::Restart);
  EXPECT_EQ(check.look({.version = "90"}, start + 11s), StreamState::Stalled);
  EXPECT_EQ(check.look({.version = "90"}, start + 11s + 1ns), StreamState::Restart);
}

TEST(StreamCheck, WhatTheStreamHasBroughtAlreadyIsNotAwaited) {
  StreamCheck check;
  check.found("90", {.version = "100"}, start);
  EXPECT_EQ(check.look({.version = "100"}, start + 1h), StreamState::Well);
}

TEST(StreamCheck, NewerFindingsDoNotRenewTheTimeout) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  check.found("200", {.version = "90"}, start + 4s);
  EXPECT_EQ(check.look({.version = "150"}, start + 6s), StreamState::Restart);
}

TEST(StreamCheck, CaughtUpByAListItIsWellOnlyWhenItMovesByItself) {
  StreamCheck check;
  check.found("100", {.version = "90", .applied = 7}, start);
  EXPECT_EQ(check.look({.version = "90", .applied = 7}, start + 6s), StreamState::Restart);
  EXPECT_EQ(check.look({.version = "110", .applied = 7}, start + 7s), StreamState::Stalled);
  EXPECT_EQ(check.look({.version = "111", .applied = 8}, start + 8s), StreamState::Well);
}

TEST(StreamCheck, QuietCollectionIsWellAfterAMinuteWithoutLag) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  EXPECT_EQ(check.look({.version = "90"}, start + 6s), StreamState::Restart);
  EXPECT_EQ(check.look({.version = "110"}, start + 66s), StreamState::Stalled);
  EXPECT_EQ(check.look({.version = "110"}, start + 66s + 1ns), StreamState::Well);
}

TEST(StreamCheck, ListThatIsBegunSinceAndDoesNotHaveWhatWasShownIsOfAServerThatWentBack) {
  StreamCheck check;
  check.found("100", {.version = "90", .lists = 1}, start);
  EXPECT_EQ(check.look({.version = "90", .lists = 1}, start + 6s), StreamState::Restart);
  EXPECT_EQ(check.look({.version = "", .lists = 1}, start + 7s), StreamState::Stalled);
  EXPECT_EQ(check.look({.version = "93", .lists = 2}, start + 8s), StreamState::WentBack);
  EXPECT_EQ(check.look({.version = "94", .applied = 1, .lists = 2}, start + 9s), StreamState::Well);
}

TEST(StreamCheck, ListThatWasUnderWayAlreadyTellsNothingOfThat) {
  StreamCheck check;
  check.found("100", {.version = "", .lists = 1}, start);
  EXPECT_EQ(check.look({.version = "", .lists = 1}, start + 6s), StreamState::Restart);
  EXPECT_EQ(check.look({.version = "93", .lists = 2}, start + 8s), StreamState::Stalled);
  EXPECT_EQ(check.look({.version = "93", .lists = 2}, start + 12s), StreamState::Restart);
  EXPECT_EQ(check.look({.version = "94", .lists = 3}, start + 13s), StreamState::WentBack);
}

TEST(StreamCheck, ListThatWasBegunBeforeSomethingNewerWasShownNeedNotHaveThat) {
  StreamCheck check;
  check.found("100", {.version = "90", .lists = 1}, start);
  EXPECT_EQ(check.look({.version = "90", .lists = 1}, start + 6s), StreamState::Restart);
  check.found("200", {.version = "", .lists = 1}, start + 7s);
  EXPECT_EQ(check.look({.version = "150", .lists = 2}, start + 8s), StreamState::Stalled);
}

TEST(StreamCheck, WhatWasAwaitedOfAServerThatWentBackIsForgotten) {
  StreamCheck check;
  check.found("100", {.version = "90"}, start);
  check.forget();
  EXPECT_EQ(check.look({.version = "3"}, start + 1h), StreamState::Well);
}

}  // namespace
}  // namespace nlc::controller

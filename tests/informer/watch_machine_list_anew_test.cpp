#include <algorithm>

#include "tests/informer/watching.h"

namespace nlc::informer::testing {
namespace {

TEST(WatchMachineList, AListThatSomebodyElseAsksForBeginsAtOnceAlsoWhileAnotherTryIsWaitedFor) {
  Watching watching;
  watching.sync_at("10");
  watching.end(broken());
  ASSERT_TRUE(watching.would<WaitUntil>());
  watching.list_anew();
  EXPECT_TRUE(watching.streams_a_list());
  EXPECT_EQ(watching.machine.version(), "");
}

TEST(WatchMachineList, AListThatSomebodyElseAsksForBeginsWithItsFirstPage) {
  Watching watching({.stream_lists = false});
  watching.page("10", "second");
  watching.list_anew();
  EXPECT_TRUE(watching.lists_by_pages());
  watching.page("10", "second");
  watching.list_anew();
  EXPECT_GT(watching.wait(), 0s) << "the second one in a row";
  EXPECT_TRUE(watching.lists_by_pages());
}

TEST(WatchMachineList, AfterAWaitTheListThatSomebodyElseAskedForIsReadAndNoStreamResumed) {
  Watching watching;
  for (int times = 0; times < 2; ++times) {
    watching.sync_at("10");
    watching.list_anew();
  }
  EXPECT_GT(watching.wait(), 0s);
  EXPECT_TRUE(watching.streams_a_list());
}

/// A restore may take back what came meanwhile before the list is answered.
TEST(WatchMachineList, WhileSuchAListHasToWaitTheStreamBeforeItGoesOn) {
  Watching watching;
  for (const char* version : {"10", "20"}) {
    watching.machine.accepted();
    watching.sync_at(version);
    watching.list_anew();
  }
  EXPECT_TRUE(watching.wants<WaitUntil>().beside_stream);
  EXPECT_EQ(watching.added("21"), ObjectUse::Apply);
  EXPECT_EQ(watching.added("20"), ObjectUse::Ignore) << "it tells again of what may be gone";
  watching.event(api::EventType::Bookmark, "22");
  watching.error(410, "Expired");
  EXPECT_TRUE(watching.wants<WaitUntil>().beside_stream);
  EXPECT_EQ(watching.machine.expired(), 0U);
  EXPECT_EQ(watching.machine.version(), "");
  EXPECT_GT(watching.wait(), 0s);
  watching.sync_at("21");
  EXPECT_EQ(watching.machine.rewinds(), 1U) << "22 was seen";
}

TEST(WatchMachineList, AStreamThatHasListedNothingYetDoesNotGoOnBesideSuchAWait) {
  Watching watching;
  watching.sync_at("10");
  watching.list_anew();
  watching.machine.accepted();
  watching.list_anew();
  EXPECT_FALSE(watching.wants<WaitUntil>().beside_stream);
}

TEST(WatchMachineList, AfterAHealthyStreamAListThatSomebodyElseAsksForIsFreeAgain) {
  Watching watching;
  watching.sync_at("10");
  watching.list_anew();
  watching.sync_at("20");
  for (int minute = 0; minute < 2; ++minute) {
    watching.now += 1min;
    watching.added("21");
  }
  watching.list_anew();
  EXPECT_TRUE(watching.streams_a_list());
}

TEST(WatchMachineList, AfterAHealthyStreamTheWaitsForSuchListsBeginToDoubleAnew) {
  Watching watching;
  int version = 10;
  const auto waits_for_the_next = [&]() -> Duration {
    watching.sync_at(std::to_string(++version));
    watching.list_anew();
    return watching.would<WaitUntil>() ? watching.wait() : Duration{0};
  };
  Duration longest{0};
  for (int times = 0; times < 8; ++times) longest = std::max(longest, waits_for_the_next());
  watching.sync_at(std::to_string(++version));
  for (int minute = 0; minute < 2; ++minute) {
    watching.now += 1min;
    watching.added(std::to_string(++version));
  }
  watching.list_anew();
  ASSERT_TRUE(watching.streams_a_list());
  waits_for_the_next();
  EXPECT_LT(waits_for_the_next(), longest / 4);
}

}  // namespace
}  // namespace nlc::informer::testing

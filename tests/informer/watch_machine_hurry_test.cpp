#include "tests/informer/watching.h"

/// Recovery begins when the server is back: which waits are cut short when it is heard elsewhere,
/// and which are not.
namespace nlc::informer::testing {
namespace {

/// A collection that is watched at version 10, on a server that has failed for two minutes.
Watching after_outage(const client::StreamEnd& end) {
  Watching watching;
  watching.sync_at("10");
  while (watching.now < start + 2min) {
    watching.end(end);
    if (watching.would<WaitUntil>()) watching.wait();
  }
  return watching;
}

TEST(WatchMachineHurry, ALongWaitEndsTwoSecondsAfterTheLastTryWhateverFailedBefore) {
  for (const client::StreamEnd& end : {broken(), broken(Fault::Timeout), closed(), refused(401),
                                       refused(500), refused(503), refused(504)}) {
    Watching watching = after_outage(end);
    watching.end(end);
    EXPECT_EQ(watching.wait_hurried(100ms), 2s);
    EXPECT_TRUE(watching.resumes_at("10"));
  }
}

TEST(WatchMachineHurry, AStreamThatHadLivedIsOpenedAtOnce) {
  Watching watching = after_outage(broken());
  watching.machine.accepted();
  watching.now += 2s;
  watching.end(broken());

  watching.hurry();

  EXPECT_TRUE(watching.resumes_at("10"));
}

TEST(WatchMachineHurry, TheNextTryIsNeitherEarlierNorLaterThanTwoSecondsAfterTheLast) {
  Watching watching = after_outage(refused(401));
  watching.end(refused(401));
  const Instant tried = watching.now;

  watching.now = tried + 1s;
  watching.hurry();
  ASSERT_TRUE(watching.would<WaitUntil>());
  EXPECT_EQ(watching.wants<WaitUntil>().until, tried + 2s) << "news that come early are not lost";

  watching.now = tried + 2s - 1ns;
  watching.hurry();
  EXPECT_TRUE(watching.would<WaitUntil>());
  watching.now = tried + 2s;
  watching.hurry();
  EXPECT_TRUE(watching.resumes_at("10"));
}

TEST(WatchMachineHurry, AServerThatRefusesForEverIsAskedOnceInTwoSecondsAtMost) {
  for (const bool synced : {true, false}) {
    for (const Duration every : {1ms, 300ms, 1999ms, 2000ms}) {
      Watching watching;
      if (synced) watching.sync_at("10");
      int asked = 0;
      while (watching.now < start + 10min) {
        watching.end(refused(403));
        ++asked;
        watching.wait_hurried(every);
      }
      EXPECT_LE(asked, 303) << "the first waits are shorter than two seconds by themselves";
      EXPECT_GE(asked, 145);
    }
  }
}

TEST(WatchMachineHurry, NewsThatComeOnceAreOneTry) {
  Watching watching = after_outage(refused(401));
  watching.end(refused(401));
  watching.now += 3s;
  watching.hurry();
  EXPECT_TRUE(watching.resumes_at("10"));
  watching.end(refused(401));
  EXPECT_GE(watching.wait(), 15s);
}

TEST(WatchMachineHurry, WhatTheServerAskedForIsWaitedUpToTenSeconds) {
  for (const client::StreamEnd& end :
       {refused(429, 5s), refused(503, 5s), refused(403, 5s), refused(500, 5s)}) {
    Watching watching = after_outage(end);
    watching.end(end);
    EXPECT_EQ(watching.wait_hurried(100ms), 5s);
  }
  Watching watching = after_outage(refused(429, 1h));
  watching.end(refused(429, 1h));
  EXPECT_EQ(watching.wait_hurried(100ms), 10s);
}

TEST(WatchMachineHurry, ThrottlingWithoutATimeIsWaitedOut) {
  Watching watching = after_outage(refused(429));
  watching.end(refused(429));
  EXPECT_GE(watching.wait_hurried(100ms), 15s);
}

TEST(WatchMachineHurry, AListOfWhichNothingCameIsTriedAgain) {
  for (const client::StreamEnd& end : {broken(), refused(401), refused(403), refused(503)}) {
    Watching watching;
    while (watching.now < start + 2min) {
      watching.end(end);
      watching.wait();
    }
    watching.end(end);
    EXPECT_EQ(watching.wait_hurried(100ms), 2s);
  }
  for (const Fault fault :
       {Fault::Unavailable, Fault::Timeout, Fault::Forbidden, Fault::Unauthorized}) {
    Watching watching({.stream_lists = false});
    while (watching.now < start + 2min) {
      watching.page_fails(failed(fault));
      watching.wait();
    }
    watching.page_fails(failed(fault));
    EXPECT_EQ(watching.wait_hurried(100ms), 2s);
    EXPECT_TRUE(watching.lists_by_pages());
  }
}

TEST(WatchMachineHurry, APageInTheMiddleIsAskedForAgain) {
  Watching watching({.stream_lists = false});
  watching.page("10", "second");
  for (int times = 0; times < 4; ++times) {
    watching.page_fails(failed(Fault::Unavailable));
    watching.wait();
  }
  watching.page_fails(failed(Fault::Unavailable));
  EXPECT_EQ(watching.wait_hurried(100ms), 2s);
  EXPECT_EQ(watching.wants<GetPage>().continue_token, "second");
}

TEST(WatchMachineHurry, WaitsBetweenWholeListsAreNotCutShort) {
  const std::vector<std::function<void(Watching&)>> ways = {
      [](Watching& watching) { watching.error(410, "Expired"); },
      [](Watching& watching) { watching.error(500, "InternalError"); },
      [](Watching& watching) { watching.end(refused(410)); },
      [](Watching& watching) { watching.end(refused(400)); },
  };
  for (std::size_t way = 0; way < ways.size(); ++way) {
    Watching watching({.stream_lists = false});
    Duration waited{0};
    while (watching.now < start + 3min) {
      if (watching.lists_by_pages()) watching.page("10");
      ways[way](watching);
      waited = watching.wait_hurried(100ms);
    }
    EXPECT_GE(waited, 15s) << "way " << way;
  }
}

TEST(WatchMachineHurry, AListThatIsCutInTheMiddleEachTimeIsNotHurried) {
  for (const bool stream_lists : {true, false}) {
    Watching watching({.stream_lists = stream_lists});
    Duration waited{0};
    while (watching.now < start + 3min) {
      if (watching.streams_a_list()) {
        watching.machine.accepted();
        watching.end(broken());
      } else {
        watching.page("10", "second");
        watching.page_fails(failed(Fault::Forbidden));
      }
      waited = watching.wait_hurried(100ms);
    }
    EXPECT_GE(waited, 15s);
  }
}

}  // namespace
}  // namespace nlc::informer::testing

#include "tests/informer/watching.h"

/// How often a server is asked when things go wrong.
namespace nlc::informer::testing {
namespace {

TEST(WatchMachinePace, WaitsDoubleFromLessThanASecondToHalfAMinute) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    Watching watching({}, seed);
    watching.sync_at("10");
    for (const Duration most :
         {800ms, 1600ms, 3200ms, 6400ms, 12800ms, 25600ms, 30000ms, 30000ms}) {
      watching.end(broken());
      const Duration waited = watching.wait();
      EXPECT_GT(waited, most / 2 - 1ns);
      EXPECT_LE(waited, most);
    }
  }
}

TEST(WatchMachinePace, ALongOutageDoesNotFallBackToShortWaits) {
  Watching watching;
  watching.sync_at("10");
  while (watching.now < start + 1h) {
    watching.end(broken());
    const Duration waited = watching.wait();
    if (watching.now > start + 2min) {
      EXPECT_GE(waited, 15s);
    }
  }
}

TEST(WatchMachinePace, AServerThatComesBackWithoutItsHistoryIsListedAtOnceHoweverLongItWasAway) {
  Watching watching;
  watching.sync_at("10");
  while (watching.now < start + 2min) {
    watching.end(broken());
    watching.wait();
  }

  watching.error(410, "Expired");

  EXPECT_LE(watching.wait(), 800ms);
  EXPECT_TRUE(watching.streams_a_list());
}

TEST(WatchMachinePace, WhatTheServerAsksIsTheLeastThatIsWaited) {
  Watching watching;
  watching.sync_at("10");

  watching.end(refused(429, 7s));
  EXPECT_GE(watching.wait(), 7s);

  watching.end(refused(503, 7s));
  EXPECT_GE(watching.wait(), 7s);
}

TEST(WatchMachinePace, WhatTheServerAsksForAPageIsWaitedToo) {
  Watching watching({.stream_lists = false});

  watching.page_fails(failed(Fault::Throttled, 7s));

  EXPECT_GE(watching.wait(), 7s);
}

TEST(WatchMachinePace, AServerThatAsksForAnHourIsAskedAgainAfterTenSeconds) {
  const std::vector<std::function<void(Watching&)>> ways = {
      [](Watching& watching) { watching.end(refused(429, 1h)); },
      [](Watching& watching) { watching.end(refused(503, 1h)); },
      [](Watching& watching) { watching.end(refused(410, 1h)); },
      [](Watching& watching) { watching.end(refused(403, 1h)); },
      [](Watching& watching) { watching.end(refused(500, 1h)); },
      [](Watching& watching) { watching.error(429, "TooManyRequests", 1h); },
      [](Watching& watching) { watching.error(500, "InternalError", 1h); },
      [](Watching& watching) { watching.error(410, "Expired", 1h); },
      [](Watching& watching) { watching.page_fails(failed(Fault::Throttled, 1h)); },
      [](Watching& watching) { watching.page_fails(failed(Fault::Unavailable, 1h)); },
  };
  for (const bool synced : {true, false}) {
    for (std::size_t way = 0; way < ways.size(); ++way) {
      Watching watching;
      if (synced) watching.sync_at("10");
      ways[way](watching);
      EXPECT_EQ(watching.wait(), 10s) << "way " << way;
    }
  }
}

TEST(WatchMachinePace, OnlyFiveStreamsAreReopenedAtOnceAndThenOneASecond) {
  Watching watching;
  watching.sync_at("10");
  int at_once = 0;
  watching.added("11");
  watching.end(closed());
  while (watching.would<OpenWatch>()) {
    ++at_once;
    watching.added("11");
    watching.end(closed());
  }
  EXPECT_EQ(at_once, 5);

  int reopened = 0;
  const Instant then = watching.now;
  while (watching.now < then + 30s) {
    if (watching.would<WaitUntil>()) watching.wait();
    ++reopened;
    watching.added("11");
    watching.end(closed());
  }
  EXPECT_LE(reopened, 36);
}

TEST(WatchMachinePace, AServerThatAlwaysAnswersExpiredIsNotHammered) {
  Watching watching;
  int requests = 0;
  while (watching.now < start + 60s) {
    ++requests;
    watching.end(refused(410));
    watching.wait();
  }
  EXPECT_LE(requests, 40);
}

TEST(WatchMachinePace, AServerThatListsButNeverWatchesIsNotHammered) {
  Watching watching({.stream_lists = false});
  int lists = 0;
  while (watching.now < start + 10min) {
    if (watching.lists_by_pages()) {
      ++lists;
      watching.page("10");
    }
    watching.end(refused(410));
    watching.wait();
  }
  EXPECT_LE(lists, 40) << "a list that was read does not make the watch healthy";
}

TEST(WatchMachinePace, OnlyAStreamThatLivedForTwoMinutesEndsTheTimeOfLongWaits) {
  for (const auto& [lived, is_healthy] :
       {std::pair<Duration, bool>{119s, false}, std::pair<Duration, bool>{120s, true}}) {
    Watching watching;
    watching.sync_at("10");
    for (int failure = 0; failure < 7; ++failure) {
      watching.end(broken());
      watching.wait();
    }
    watching.now += lived - 60s;
    watching.added("11");
    watching.now += 60s;
    watching.added("12");
    watching.end(broken());
    const Duration waited = watching.wait();
    EXPECT_EQ(waited <= 800ms, is_healthy) << waited.count();
  }
}

TEST(WatchMachinePace, AnIdleStreamThatABalancerCutsEachTimeIsResumedAtOnce) {
  for (const client::StreamEnd& cut : {broken(), closed()}) {
    Watching watching;
    watching.sync_at("10");
    for (int times = 0; times < 50; ++times) {
      watching.machine.accepted();
      watching.now += 35s;
      watching.end(cut);
      EXPECT_TRUE(watching.resumes_at("10"));
    }
  }
}

TEST(WatchMachinePace, AStreamThatLivedForFiveSecondsIsResumedAtOnce) {
  for (const Duration lived : {5s - 1ns, Duration(5s)}) {
    Watching watching;
    watching.sync_at("10");
    watching.end(broken());
    watching.wait();
    watching.machine.accepted();
    watching.now += lived;
    watching.end(broken());
    EXPECT_EQ(watching.would<OpenWatch>(), lived == 5s);
  }
}

TEST(WatchMachinePace, AStreamThatIsCutSoonAfterItWasTakenIsWaitedForLongerEachTime) {
  Watching watching;
  watching.sync_at("10");
  Duration waited{0};
  for (int times = 0; times < 8; ++times) {
    watching.machine.accepted();
    watching.now += 4s;
    watching.end(broken());
    waited = watching.wait();
  }
  EXPECT_GE(waited, 15s);
}

TEST(WatchMachinePace, APageInTheMiddleThatFailsIsAskedForAgainAndNotTheWholeList) {
  Watching watching({.stream_lists = false});
  watching.page("10", "second");
  for (int times = 0; times < 5; ++times) {
    watching.page_fails(failed(Fault::Throttled));
    watching.wait();
    EXPECT_EQ(watching.wants<GetPage>().continue_token, "second");
  }
  watching.page_fails(failed(Fault::Throttled));
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages()) << "five times is enough";

  watching.page("11", "second");
  watching.page_fails(failed(Fault::Gone));
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages()) << "its token has run out";
}

TEST(WatchMachinePace, HealthCountsHoweverAStreamIsLeft) {
  const std::vector<std::function<void(Watching&)>> ways = {
      [](Watching& watching) { watching.end(broken()); },
      [](Watching& watching) { watching.error(410, "Expired"); },
      [](Watching& watching) {
        watching.silence();
        watching.end(broken());
      },
  };
  for (std::size_t way = 0; way < ways.size(); ++way) {
    Watching watching;
    watching.sync_at("10");
    for (int failure = 0; failure < 7; ++failure) {
      watching.end(broken());
      watching.wait();
    }
    for (int minute = 0; minute < 5; ++minute) {
      watching.now += 1min;
      watching.added("11");
    }
    ways[way](watching);
    EXPECT_LE(watching.wait(), 800ms) << "way " << way;
  }
}

TEST(WatchMachinePace, AStreamThatOnlyHungIsNoHealthyOne) {
  Watching watching({.progress_limit = 10min});
  watching.sync_at("10");
  for (int failure = 0; failure < 7; ++failure) {
    watching.end(broken());
    watching.wait();
  }

  watching.now += 9min;
  watching.end(broken(Fault::Timeout));

  EXPECT_GE(watching.wait(), 15s);
}

}  // namespace
}  // namespace nlc::informer::testing

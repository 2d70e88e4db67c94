#include "tests/informer/watching.h"

namespace nlc::informer::testing {
namespace {

using api::EventType;

TEST(WatchMachineStream, EveryKindOfChangeAndEveryBookmarkMovesTheVersion) {
  Watching watching;
  watching.sync_at("10");

  watching.added("20");
  EXPECT_EQ(watching.machine.version(), "20");
  watching.event(EventType::Modified, "30");
  EXPECT_EQ(watching.machine.version(), "30");
  watching.event(EventType::Bookmark, "40");
  EXPECT_EQ(watching.machine.version(), "40");
  watching.event(EventType::Deleted, "50");
  EXPECT_EQ(watching.machine.version(), "50");
}

TEST(WatchMachineStream, AnEventThatCannotBeReadMovesNothingAndEndsNothing) {
  Watching watching;
  watching.sync_at("10");

  EXPECT_EQ(watching.event(EventType::Malformed, "99"), ObjectUse::Ignore);

  EXPECT_EQ(watching.machine.version(), "10");
  EXPECT_EQ(watching.added("11"), ObjectUse::Apply);
}

TEST(WatchMachineStream, AChangeWithoutAVersionDoesNotLoseThePlace) {
  Watching watching;
  watching.sync_at("10");

  watching.added("");
  watching.end(closed());

  EXPECT_TRUE(watching.resumes_at("10"));
}

TEST(WatchMachineStream, LostHistoryIsCountedHoweverTheServerTellsOfItAndNotWhereAListIsRefused) {
  Watching watching;
  watching.error(410, "Expired");
  EXPECT_EQ(watching.machine.expired(), 0U) << "nothing was to go on";
  watching.wait();
  watching.sync_at("10");

  watching.error(410, "Expired");
  EXPECT_EQ(watching.machine.expired(), 1U);
  watching.wait();
  watching.sync_at("20");
  watching.end(closed());
  EXPECT_TRUE(watching.resumes_at("20"));
  watching.end(refused(410));
  EXPECT_EQ(watching.machine.expired(), 2U);
}

TEST(WatchMachineStream, AStreamThatClosedAfterEventsIsReopenedAtOnceWhereItWas) {
  Watching watching;
  watching.sync_at("10");
  watching.added("11");

  watching.end(closed());

  EXPECT_TRUE(watching.resumes_at("11"));
}

TEST(WatchMachineStream, AStreamThatClosedWithoutEventsIsReopenedAfterAWait) {
  Watching watching({.stream_lists = false});
  watching.page("10");
  watching.now += 5s;

  watching.end(closed());

  EXPECT_GE(watching.wait(), 400ms);
  EXPECT_TRUE(watching.resumes_at("10"));
}

TEST(WatchMachineStream, AThrottledOrUnreachableServerIsAskedAgainForTheSamePlace) {
  for (const client::StreamEnd& end : {broken(), broken(Fault::Timeout), refused(429), refused(500),
                                       refused(503), refused(403), refused(401)}) {
    Watching watching;
    watching.sync_at("10");
    watching.end(end);
    watching.wait();
    EXPECT_TRUE(watching.resumes_at("10"));
  }
}

TEST(WatchMachineStream, APlaceThatTheServerWillNeverTakeIsGivenUp) {
  for (const int status : {400, 404, 410, 422}) {
    Watching watching;
    watching.sync_at("10");
    watching.end(refused(status));
    EXPECT_GE(watching.wait(), 400ms);
    EXPECT_TRUE(watching.streams_a_list()) << status;
  }
}

TEST(WatchMachineStream, AnErrorEventOtherThanThrottlingIsAnsweredWithAList) {
  Watching watching;
  watching.sync_at("10");

  // A corrupt object behind version 10 would end each stream that resumes there.
  watching.error(500, "StoreReadError");

  EXPECT_GE(watching.wait(), 400ms);
  EXPECT_TRUE(watching.streams_a_list());
}

TEST(WatchMachineStream, AThrottlingErrorEventKeepsThePlaceAndWaitsAsAsked) {
  Watching watching;
  watching.sync_at("10");

  watching.error(429, "TooManyRequests", 7s);

  EXPECT_GE(watching.wait(), 7s);
  EXPECT_TRUE(watching.resumes_at("10"));
}

TEST(WatchMachineStream, ASilentStreamIsReopenedWhereItWas) {
  Watching watching;
  watching.sync_at("10");
  watching.now += 60s;
  watching.added("11");

  EXPECT_EQ(watching.silence(), 90s) << "counted from the last progress";

  EXPECT_TRUE(watching.resumes_at("11"));
}

TEST(WatchMachineStream, AfterASecondSilentStreamTheVersionIsProbed) {
  Watching watching;
  watching.sync_at("10");

  watching.silence();
  watching.silence();

  EXPECT_TRUE(watching.would<ProbeVersion>());
  EXPECT_LT(watching.now - start, 200s);
}

TEST(WatchMachineStream, EventsBetweenTwoSilencesProveTheStreamGood) {
  Watching watching;
  watching.sync_at("10");

  for (int round = 0; round < 5; ++round) {
    watching.now += 10s;
    watching.added(std::to_string(20 + round));
    watching.silence();
    EXPECT_TRUE(watching.would<OpenWatch>()) << round;
  }
}

TEST(WatchMachineStream, AServerThatRanBackwardsIsListedAnew) {
  Watching watching;
  watching.sync_at("5000");
  watching.silence();
  watching.silence();

  watching.next = watching.machine.on_probe("300", watching.now);
  EXPECT_EQ(watching.machine.last_reason(), "version_rewound");
  watching.wait();

  EXPECT_TRUE(watching.streams_a_list());
  watching.sync_at("301");
  EXPECT_EQ(watching.machine.version(), "301");
}

TEST(WatchMachineStream, AServerThatIsMerelyQuietIsWatchedOn) {
  for (const std::string_view version : {"5000", "5001", "10000"}) {
    Watching watching;
    watching.sync_at("5000");
    watching.silence();
    watching.silence();
    watching.next = watching.machine.on_probe(version, watching.now);
    EXPECT_TRUE(watching.resumes_at("5000"));
  }
}

TEST(WatchMachineStream, AFailedProbeIsNoProofAndTheStreamIsReopened) {
  Watching watching;
  watching.sync_at("5000");
  watching.silence();
  watching.silence();

  watching.page_fails(failed(Fault::Unavailable));

  EXPECT_GE(watching.wait(), 400ms);
  EXPECT_TRUE(watching.resumes_at("5000"));
}

TEST(WatchMachineStream, LifetimesAreDrawnFromFiveMinutesToTenSoThatStreamsDoNotEndTogether) {
  std::set<Duration> drawn;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Watching watching({}, seed);
    const Duration lifetime = watching.wants<OpenWatch>().timeout;
    EXPECT_GE(lifetime, 300s);
    EXPECT_LT(lifetime, 600s);
    drawn.insert(std::chrono::floor<std::chrono::seconds>(lifetime));
  }
  EXPECT_GT(drawn.size(), 50U);
}

TEST(WatchMachineStream, ALongerMinimumDoublesAsMaximum) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Watching watching({.watch_min = 30min}, seed);
    EXPECT_GE(watching.wants<OpenWatch>().timeout, 30min);
    EXPECT_LT(watching.wants<OpenWatch>().timeout, 60min);
  }
}

TEST(WatchMachineStream, WhatCannotBeReadIsNoProgress) {
  Watching watching;
  watching.sync_at("10");
  for (int second = 0; second < 60; ++second) {
    watching.now += 1s;
    watching.event(EventType::Malformed, "");
  }

  EXPECT_EQ(watching.silence(), 30s);
  EXPECT_TRUE(watching.resumes_at("10"));
}

TEST(WatchMachineStream, AStreamThatClosedAfterGarbageIsReopenedAfterAWait) {
  Watching watching({.stream_lists = false});
  watching.page("10");
  watching.event(EventType::Malformed, "");

  watching.end(closed());

  EXPECT_GE(watching.wait(), 400ms);
}

TEST(WatchMachineStream, ABookmarkOrEventThatGoesBackDoesNotMoveThePlaceBack) {
  for (const EventType type : {EventType::Bookmark, EventType::Modified, EventType::Deleted}) {
    Watching watching;
    watching.sync_at("100");
    watching.event(type, "99");
    EXPECT_EQ(watching.machine.version(), "100");
    watching.event(type, "101");
    EXPECT_EQ(watching.machine.version(), "101");
  }
}

TEST(WatchMachineStream, WhatIsToldOnceMoreOfBeforeIsNoChangeAndADeletionAlwaysIsOne) {
  Watching watching;
  watching.sync_at("100");

  EXPECT_EQ(watching.event(EventType::Added, "99"), ObjectUse::Ignore);
  EXPECT_EQ(watching.event(EventType::Modified, "99"), ObjectUse::Ignore);
  EXPECT_EQ(watching.event(EventType::Modified, "100"), ObjectUse::Apply);
  EXPECT_EQ(watching.event(EventType::Deleted, "99"), ObjectUse::Apply);
}

TEST(WatchMachineStream, AfterAServerWentBackItsEventsCountFromWhereItIsNow) {
  Watching watching;
  watching.sync_at("5000");
  watching.error(410, "Expired");
  watching.wait();
  watching.sync_at("300");
  EXPECT_EQ(watching.machine.rewinds(), 1U);

  watching.added("301");
  EXPECT_EQ(watching.machine.version(), "301");
}

TEST(WatchMachineStream, VersionsThatAreNoNumbersAreTakenAsTheyCome) {
  Watching watching;
  watching.sync_at("b-9");
  watching.added("a-10");
  EXPECT_EQ(watching.machine.version(), "a-10");
  watching.silence();
  watching.silence();
  watching.next = watching.machine.on_probe("a", watching.now);
  EXPECT_TRUE(watching.resumes_at("a-10")) << "nobody can tell which is older";
  EXPECT_EQ(watching.machine.rewinds(), 0U);
}

TEST(WatchMachineStream, AProbeWithoutAVersionProvesNothing) {
  Watching watching;
  watching.sync_at("5000");
  watching.silence();
  watching.silence();
  watching.next = watching.machine.on_probe("", watching.now);
  EXPECT_TRUE(watching.resumes_at("5000"));
}

}  // namespace
}  // namespace nlc::informer::testing

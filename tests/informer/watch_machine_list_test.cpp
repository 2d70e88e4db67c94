#include <gmock/gmock.h>

#include "tests/informer/watching.h"

namespace nlc::informer::testing {
namespace {

using api::EventType;
using ::testing::AllOf;
using ::testing::Ge;
using ::testing::Le;

TEST(WatchMachineList, BeginsByStreamingTheListAtTheNewestState) {
  const Watching watching;

  EXPECT_TRUE(watching.streams_a_list());
  EXPECT_EQ(watching.wants<OpenWatch>().resource_version, "");
}

TEST(WatchMachineList, GathersUntilTheMarkedBookmarkAndTakesItsVersion) {
  Watching watching;

  EXPECT_EQ(watching.added("9"), ObjectUse::Gather);
  EXPECT_EQ(watching.added("4"), ObjectUse::Gather);
  EXPECT_FALSE(watching.machine.synced());
  EXPECT_EQ(watching.machine.version(), "");

  EXPECT_EQ(watching.marked_bookmark("12"), ObjectUse::Commit);
  EXPECT_TRUE(watching.machine.synced());
  EXPECT_EQ(watching.machine.version(), "12");
}

TEST(WatchMachineList, AnUnmarkedBookmarkDoesNotEndTheInitialEvents) {
  Watching watching;
  watching.added("9");

  EXPECT_EQ(watching.event(EventType::Bookmark, "12"), ObjectUse::Ignore);

  EXPECT_FALSE(watching.machine.synced());
  EXPECT_EQ(watching.machine.version(), "");
}

TEST(WatchMachineList, ChangesBeforeTheMarkArePartOfTheListAndChangesAfterItAreNot) {
  Watching watching;

  EXPECT_EQ(watching.event(EventType::Modified, "3"), ObjectUse::Gather);
  EXPECT_EQ(watching.event(EventType::Deleted, "5"), ObjectUse::Gather);
  watching.sync_at("5");
  EXPECT_EQ(watching.event(EventType::Modified, "6"), ObjectUse::Apply);
  EXPECT_EQ(watching.machine.version(), "6");
}

TEST(WatchMachineList, WaitsOnlySoLongForTheMarkedBookmarkThenListsByPages) {
  Watching watching;
  watching.now += 20s;
  watching.added("9");

  EXPECT_EQ(watching.silence(), 10s) << "progress does not lengthen the wait for the whole list";
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages());
  EXPECT_LT(watching.now - start, 60s);
}

TEST(WatchMachineList, AServerThatRefusesToStreamListsIsAskedForPagesAtOnce) {
  Watching watching;

  watching.end(refused(422));

  EXPECT_TRUE(watching.lists_by_pages());
}

TEST(WatchMachineList, RemembersForAWhileThatStreamingFailed) {
  Watching watching;
  watching.end(refused(422));
  watching.page("10");

  watching.error(410, "Expired");
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages());
  watching.page("20");

  watching.now = start + 10min;
  watching.error(410, "Expired");
  watching.wait();
  EXPECT_TRUE(watching.streams_a_list());
}

TEST(WatchMachineList, TenMinutesAfterARefusalOfStreamsTheyAreTriedAgain) {
  for (const Duration after : {10min - 1ns, Duration(10min)}) {
    Watching watching;
    watching.end(refused(422));
    watching.page("10");
    watching.now = start + after;
    watching.list_anew();
    EXPECT_EQ(watching.streams_a_list(), after == 10min);
  }
}

TEST(WatchMachineList, AStreamThatWasTakenAndBroughtNothingIsRememberedAsUnableToStream) {
  Watching watching;
  watching.machine.accepted();
  watching.silence();
  watching.wait();
  watching.page("10");
  watching.error(410, "Expired");
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages());
}

TEST(WatchMachineList, EveryWayOfNotFinishingAStreamedListLeadsToPages) {
  const std::vector<std::function<void(Watching&)>> ways = {
      [](Watching& watching) { watching.end(closed()); },
      [](Watching& watching) { watching.error(500, "InternalError"); },
      [](Watching& watching) { watching.error(504, "Timeout"); },
      [](Watching& watching) { watching.end(refused(500)); },
      [](Watching& watching) { watching.end(refused(404)); },
      [](Watching& watching) {
        watching.added("1");
        watching.end(broken());
      },
      [](Watching& watching) { watching.silence(); },
  };
  for (std::size_t way = 0; way < ways.size(); ++way) {
    Watching watching;
    ways[way](watching);
    EXPECT_GE(watching.wait(), 400ms);
    EXPECT_TRUE(watching.lists_by_pages()) << "way " << way;
  }
}

TEST(WatchMachineList, AServerThatIsAwayOrBusyIsNotHeldToBeUnableToStream) {
  for (const client::StreamEnd& end : {broken(), refused(429), refused(503, 1s), refused(401)}) {
    Watching watching;
    watching.end(end);
    watching.wait();
    EXPECT_TRUE(watching.streams_a_list());
  }
}

TEST(WatchMachineList, AfterAServerErrorOrARefusalOnlyTheNextListIsReadByPages) {
  const std::vector<std::function<void(Watching&)>> ways = {
      [](Watching& watching) { watching.end(refused(500)); },
      [](Watching& watching) { watching.end(refused(503)); },
      [](Watching& watching) { watching.end(refused(403)); },
      [](Watching& watching) { watching.silence(); },
  };
  for (const auto& way : ways) {
    Watching watching;
    way(watching);
    watching.wait();
    EXPECT_TRUE(watching.lists_by_pages()) << "each stream might be answered so";
    watching.page("10");

    watching.error(410, "Expired");
    watching.wait();
    EXPECT_TRUE(watching.streams_a_list()) << "nothing was said about streaming";
  }
}

TEST(WatchMachineList, WhereStreamsAndPagesBothFailTheyAreTriedInTurn) {
  Watching watching;
  for (int turn = 0; turn < 20; ++turn) {
    EXPECT_TRUE(watching.streams_a_list());
    watching.end(refused(500));
    watching.wait();
    EXPECT_TRUE(watching.lists_by_pages());
    watching.page_fails(failed(Fault::Unavailable));
    watching.wait();
  }
  EXPECT_GE(watching.now - start, 5min) << "in longer and longer waits";
}

TEST(WatchMachineList, WherePagesAreRefusedListsAreStreamedAgainWhateverIsRemembered) {
  const std::vector<std::function<void(Watching&)>> ways = {
      [](Watching& watching) { watching.end(refused(422)); },
      [](Watching& watching) { watching.end(refused(404)); },
      [](Watching& watching) {
        watching.machine.accepted();
        watching.end(broken());
      },
      [](Watching& watching) {
        watching.machine.accepted();
        watching.silence();
      },
  };
  for (const auto& way : ways) {
    for (const Fault fault :
         {Fault::Forbidden, Fault::Throttled, Fault::Invalid, Fault::NotFound, Fault::TooLarge}) {
      Watching watching;
      way(watching);
      if (watching.would<WaitUntil>()) watching.wait();
      EXPECT_TRUE(watching.lists_by_pages());

      watching.page_fails(failed(fault));
      EXPECT_GE(watching.wait(), 400ms);
      EXPECT_TRUE(watching.streams_a_list()) << name_of(fault);
    }
  }
}

TEST(WatchMachineList, TheThirdStreamOfAListInARowThatDoesNotBeginIsFollowedByPages) {
  for (const client::StreamEnd& end : {refused(429), refused(401), refused(410), broken()}) {
    Watching watching;
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(watching.streams_a_list());
      watching.end(end);
      watching.wait();
    }
    EXPECT_TRUE(watching.lists_by_pages());
    watching.page_fails(failed(Fault::Throttled));
    watching.wait();
    EXPECT_TRUE(watching.streams_a_list()) << "once";
  }
}

TEST(WatchMachineList, AServerThatIsAwayOrAPageInTheMiddleDoesNotEndTheMemory) {
  for (const Fault fault : {Fault::Unavailable, Fault::Timeout, Fault::Unauthorized}) {
    Watching watching;
    watching.end(refused(422));
    watching.page_fails(failed(fault));
    watching.wait();
    EXPECT_TRUE(watching.lists_by_pages()) << name_of(fault);
  }
  Watching watching;
  watching.end(refused(422));
  watching.page("10", "next");
  watching.page_fails(failed(Fault::Forbidden));
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages());
}

TEST(WatchMachineList, AListWithoutAVersionIsNoList) {
  Watching watching({.stream_lists = false});

  EXPECT_NE(watching.page(""), ObjectUse::Commit);

  EXPECT_FALSE(watching.machine.synced());
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages());
}

TEST(WatchMachineList, AMarkedBookmarkWithoutAVersionEndsNoList) {
  Watching watching;
  watching.added("1");

  EXPECT_NE(watching.marked_bookmark(""), ObjectUse::Commit);

  EXPECT_FALSE(watching.machine.synced());
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages());
}

TEST(WatchMachineList, AnExpiredVersionIsListedAnewAtTheNewestState) {
  for (const bool at_opening : {true, false}) {
    Watching watching;
    watching.sync_at("10");

    if (at_opening) {
      watching.end(refused(410));
    } else {
      watching.error(410, "Expired");
    }

    EXPECT_EQ(watching.machine.version(), "");
    EXPECT_GE(watching.wait(), 400ms);
    EXPECT_TRUE(watching.streams_a_list());
    EXPECT_EQ(watching.wants<OpenWatch>().resource_version, "");
  }
}

TEST(WatchMachineList, AStreamedListThatIsCutOnceItWasTakenIsReadByPages) {
  Watching watching;
  watching.machine.accepted();
  watching.end(broken());
  watching.wait();
  EXPECT_TRUE(watching.lists_by_pages());
}

TEST(WatchMachineList, AnEventThatCannotBeReadIsPartOfTheList) {
  Watching watching;
  EXPECT_EQ(watching.event(EventType::Malformed, ""), ObjectUse::Gather);
  watching.sync_at("10");
  EXPECT_EQ(watching.event(EventType::Malformed, ""), ObjectUse::Ignore);
}

/// For how long a stream that may not go on is asked for, until a list by pages takes its place.
Duration asked_for_while_forbidden(Watching& watching) {
  const Instant begun = watching.now;
  do {
    watching.end(refused(403));
    if (watching.would<WaitUntil>()) watching.wait();
  } while (!watching.would<GetPage>() && watching.now < begun + 5min);
  return watching.now - begun;
}

TEST(WatchMachineList, WhoMayNotGoOnWithAStreamListsByPagesAfterHalfAMinute) {
  Watching watching;
  watching.sync_at("10");
  EXPECT_THAT(asked_for_while_forbidden(watching), AllOf(Ge(30s), Le(90s)));
}

TEST(WatchMachineList, AStreamThatWasAcceptedMeanwhileBeginsThatHalfMinuteAnew) {
  Watching watching;
  watching.sync_at("10");
  watching.end(refused(403));
  watching.now += 1min;
  watching.machine.accepted();
  EXPECT_THAT(asked_for_while_forbidden(watching), Ge(30s));
}

TEST(WatchMachineList, SoDoesAListByPages) {
  Watching watching;
  watching.sync_at("10");
  asked_for_while_forbidden(watching);
  watching.page("20");
  EXPECT_THAT(asked_for_while_forbidden(watching), Ge(30s));
}

}  // namespace
}  // namespace nlc::informer::testing

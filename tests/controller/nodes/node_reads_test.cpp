#include "controller/nodes/node_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NodeReadsTest : public ::testing::Test, protected Stores {
 protected:
  NodeReadsTest() { nodes.replace({silent_node("n")}); }

  /// The reads that are to begin now, begun.
  std::vector<Decision> begun() {
    client::Room room = client::Room::unlimited();
    std::vector<Decision> due = reads.due(now, room);
    for (const Decision& read : due) reads.begun(std::get<ReadNode>(read).node.name, now);
    return due;
  }
  /// That it has this version.
  bool answered(const std::string& version, const std::string& uid = "uid-n") {
    api::Node live = silent_node("n");
    live.uid = uid;
    live.resource_version = version;
    nodes.refresh_by_read(live);
    return reads.answered("n", &live, now);
  }
  void seen(const std::string& version) {
    api::Node node = silent_node("n");
    node.resource_version = version;
    nodes.apply(node);
  }
  bool confirms(Instant since) { return reads.confirms("n", since, now); }

  Instant now = start;
  NodeReads reads{view(), 1};
};

TEST_F(NodeReadsTest, NodeIsReadOnceForAllWhoAsk) {
  EXPECT_FALSE(confirms(start));
  EXPECT_FALSE(confirms(start));
  EXPECT_EQ(reads.failing(), 0U);
  EXPECT_FALSE(reads.progress("n", now)->failed);
  EXPECT_THAT(begun(), SizeIs(1));
  EXPECT_FALSE(confirms(start));
  EXPECT_THAT(begun(), IsEmpty());
  answered("1");
  EXPECT_TRUE(confirms(start));
}

TEST_F(NodeReadsTest, ReadThatBeganBeforeThePodWasDueDoesNotCount) {
  EXPECT_FALSE(confirms(start));
  begun();
  answered("1");
  EXPECT_FALSE(confirms(start + 1ns));
  EXPECT_THAT(begun(), SizeIs(1));
}

TEST_F(NodeReadsTest, ReadIsGoodForTenSeconds) {
  EXPECT_FALSE(confirms(start));
  begun();
  answered("1");
  now += 10s;
  EXPECT_TRUE(confirms(start));
  now += 1ns;
  EXPECT_FALSE(confirms(start));
  EXPECT_THAT(begun(), SizeIs(1));
}

TEST_F(NodeReadsTest, FailedReadIsRepeatedAfterAWaitAndConfirmsNothing) {
  EXPECT_FALSE(confirms(start));
  begun();
  reads.failed("n", {.fault = Fault::Forbidden, .path = "403"}, now);
  EXPECT_FALSE(confirms(start));
  EXPECT_THAT(begun(), IsEmpty());
  EXPECT_EQ(reads.failing(), 1U);
  EXPECT_EQ(reads.last_failure(), "403");
  now = reads.next_due(now).value();
  EXPECT_THAT(begun(), SizeIs(1));
}

TEST_F(NodeReadsTest, NodeThatWasReplacedIsNotConfirmedBeforeTheWatchTellsOfIt) {
  EXPECT_FALSE(confirms(start));
  begun();
  EXPECT_TRUE(answered("1", "another")) << "nothing went back";
  EXPECT_FALSE(confirms(start));
}

TEST_F(NodeReadsTest, NodeThatIsGoneIsConfirmedWhenTheWatchSaysSoToo) {
  EXPECT_FALSE(confirms(start));
  begun();
  reads.answered("n", nullptr, now);
  EXPECT_FALSE(confirms(start));
  nodes.remove("n");
  now = reads.next_due(now).value();
  begun();
  reads.answered("n", nullptr, now);
  EXPECT_TRUE(confirms(start));
}

TEST_F(NodeReadsTest, NodeThatIsOlderThanWhatWasSeenIsNotConfirmedForTheServerWentBack) {
  seen("50");
  EXPECT_FALSE(confirms(start));
  begun();
  EXPECT_FALSE(answered("49"));
  EXPECT_FALSE(confirms(start));
  EXPECT_THAT(begun(), IsEmpty()) << "until all has been listed anew";
  now = reads.next_due(now).value();
  begun();
  EXPECT_TRUE(answered("50"));
  EXPECT_TRUE(confirms(start));
}

TEST_F(NodeReadsTest, NodeThatIsSeenInANewerVersionWhileItIsReadIsReadOnceMore) {
  seen("50");
  EXPECT_FALSE(confirms(start));
  begun();
  seen("51");
  EXPECT_TRUE(answered("50")) << "nothing went back";
  EXPECT_FALSE(confirms(start));
  EXPECT_THAT(begun(), SizeIs(1));
}

TEST_F(NodeReadsTest, WhatNobodyAsksForAnyMoreIsForgotten) {
  EXPECT_FALSE(confirms(start));
  now += NodeReads::good_for;
  client::Room room = client::Room::unlimited();
  EXPECT_THAT(reads.due(now, room), SizeIs(1));
  now += 1ns;
  EXPECT_THAT(begun(), IsEmpty());
  EXPECT_FALSE(reads.progress("n", now));
}

TEST_F(NodeReadsTest, ReadThatIsOnItsWayIsWaitedForHoweverLong) {
  EXPECT_FALSE(confirms(start));
  begun();
  now += 1min;
  EXPECT_THAT(begun(), IsEmpty());
  EXPECT_TRUE(reads.progress("n", now)->in_flight);
}

TEST_F(NodeReadsTest, AnswerThatNobodyWaitsForTellsNothing) {
  const api::Node live = silent_node("n");
  EXPECT_TRUE(reads.answered("nobody", nullptr, now));
  reads.failed("nobody", {.fault = Fault::Unavailable, .path = "503"}, now);
  EXPECT_FALSE(confirms(start));
  EXPECT_TRUE(reads.answered("n", &live, now)) << "it was not asked for yet";
  reads.failed("n", {.fault = Fault::Unavailable, .path = "503"}, now);
  EXPECT_EQ(reads.failing(), 0U);
  EXPECT_EQ(reads.last_failure(), "");
}

TEST_F(NodeReadsTest, TheFirstThatIsToBeReadAgainIsLookedFor) {
  nodes.apply(silent_node("m"));
  for (const char* name : {"m", "n"}) EXPECT_FALSE(reads.confirms(name, start, now));
  EXPECT_THAT(begun(), SizeIs(2));
  reads.failed("m", {.fault = Fault::Throttled, .path = "429", .retry_after = 3s}, now);
  reads.failed("n", {.fault = Fault::Throttled, .path = "429", .retry_after = 9s}, now);
  EXPECT_GE(reads.next_due(now), now + 3s);
  EXPECT_LT(reads.next_due(now), now + 9s);
}

TEST_F(NodeReadsTest, WhereRoomIsScarceTheOneWhoseReadIsLongestAgoIsFirst) {
  nodes.apply(silent_node("m"));
  std::vector<std::string> order;
  for (int i = 0; i < 4; ++i, now += 1s) {
    for (const char* name : {"m", "n"}) EXPECT_FALSE(reads.confirms(name, now, now));
    client::Room room = client::Room::of(1);
    for (const Decision& read : reads.due(now, room)) {
      order.push_back(std::get<ReadNode>(read).node.name);
      reads.begun(order.back(), now);
      const api::Node live = silent_node(order.back());
      reads.answered(order.back(), &live, now);
    }
  }
  EXPECT_EQ(order, (std::vector<std::string>{"m", "n", "m", "n"}));
}

}  // namespace
}  // namespace nlc::controller

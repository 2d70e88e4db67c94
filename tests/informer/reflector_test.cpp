#include "informer/reflector.h"

#include <gmock/gmock.h>

#include "tests/conformance/recorded.h"
#include "tests/informer/watched_nodes.h"

namespace nlc::informer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TEST(Reflector, AsksForProtobufFirstAndTakesJson) {
  World world;
  world.server.refuse(400);  // no streamed lists: pages
  world.run();
  ASSERT_EQ(world.server.pending(), 1U);
  EXPECT_THAT(world.server.accepts,
              ElementsAre("application/vnd.kubernetes.protobuf,application/json",
                          "application/vnd.kubernetes.protobuf,application/json"));
}

TEST(Reflector, StreamInProtobufFillsTheStore) {
  World world;
  world.server.accept("application/vnd.kubernetes.protobuf;stream=watch");
  world.server.say_bytes(conformance::recorded("watch-nodes-initial-events.watch.pb"));
  world.run();
  EXPECT_TRUE(world.store.synced());
  EXPECT_EQ(world.store.size(), 4U);
  EXPECT_EQ(world.reflector->state().malformed, 0U);
}

TEST(Reflector, PageInProtobufFillsTheStore) {
  World world;
  world.server.refuse(400);
  world.run();
  world.server.answer(client::Response{.status = 200,
                                       .content_type = "application/vnd.kubernetes.protobuf",
                                       .body = conformance::recorded("list-nodes.pb")});
  world.run();
  EXPECT_TRUE(world.store.synced());
  EXPECT_EQ(world.store.size(), 4U);
}

TEST(Reflector, AsksForAStreamedListWithBookmarksAndABoundedLife) {
  const World world;

  ASSERT_EQ(world.server.targets.size(), 1U);
  EXPECT_THAT(world.last_target(), ::testing::StartsWith("/api/v1/nodes?"));
  EXPECT_THAT(world.last_target(), HasSubstr("watch=true"));
  EXPECT_THAT(world.last_target(), HasSubstr("allowWatchBookmarks=true"));
  EXPECT_THAT(world.last_target(), HasSubstr("sendInitialEvents=true"));
  EXPECT_THAT(world.last_target(), HasSubstr("resourceVersionMatch=NotOlderThan"));
  EXPECT_THAT(world.last_target(), Not(HasSubstr("resourceVersion=")));
  const std::size_t at = world.last_target().find("timeoutSeconds=") + 15;
  const int seconds = std::stoi(world.last_target().substr(at));
  EXPECT_GE(seconds, 300);
  EXPECT_LT(seconds, 600);
}

TEST(Reflector, NothingReachesTheStoreBeforeTheMarkedBookmark) {
  World world;
  world.server.accept();
  world.server.say(event("ADDED", "a", "1"));
  world.server.say(event("ADDED", "b", "2"));
  world.run();
  EXPECT_THAT(world.nodes(), IsEmpty());
  EXPECT_FALSE(world.reflector->state().synced);

  world.server.say(marked_bookmark("2"));
  world.run();

  EXPECT_THAT(world.nodes(), ElementsAre("a@1", "b@2"));
  EXPECT_TRUE(world.reflector->state().synced);
}

TEST(Reflector, ChangesWithinTheStreamedListAreInIt) {
  World world;
  world.server.accept();
  for (const auto& line :
       {event("ADDED", "p1", "1"), event("ADDED", "p2", "2"), event("MODIFIED", "p1", "3"),
        event("ADDED", "p3", "4"), event("DELETED", "p3", "5"), marked_bookmark("5")}) {
    world.server.say(line);
  }
  world.run();

  EXPECT_THAT(world.nodes(), ::testing::UnorderedElementsAre("p1@3", "p2@2"));
}

TEST(Reflector, TheSameStreamGoesOnAsTheWatch) {
  World world;
  world.sync({"a", "b"});

  world.server.say(event("MODIFIED", "a", "11"));
  world.server.say(event("DELETED", "b", "12"));
  world.server.say(event("ADDED", "c", "13"));
  world.run();

  EXPECT_THAT(world.nodes(), ElementsAre("a@11", "c@13"));
  EXPECT_EQ(world.server.targets.size(), 1U);
}

TEST(Reflector, ReopensAsAPlainWatchWhereItWas) {
  World world;
  world.sync({"a"});
  world.server.say(event("ADDED", "b", "13"));
  world.server.end({});
  world.run();

  EXPECT_THAT(world.last_target(), HasSubstr("resourceVersion=13"));
  EXPECT_THAT(world.last_target(), HasSubstr("allowWatchBookmarks=true"));
  EXPECT_THAT(world.last_target(), Not(HasSubstr("sendInitialEvents")));
  EXPECT_THAT(world.last_target(), Not(HasSubstr("resourceVersionMatch")));
  EXPECT_THAT(world.nodes(), ElementsAre("a@10", "b@13"));
}

TEST(Reflector, ReadsAListByPagesWhereStreamingIsRefused) {
  World world({.page_limit = 2});
  world.server.refuse(422, R"({"kind":"Status","code":422,"reason":"Invalid"})");
  world.run();
  EXPECT_EQ(world.last_target(), "/api/v1/nodes?limit=2");

  world.server.answer(page("10", "t1", node_object("a", "1") + "," + node_object("b", "2")));
  world.run();
  EXPECT_EQ(world.last_target(), "/api/v1/nodes?limit=2&continue=t1");
  EXPECT_THAT(world.nodes(), IsEmpty()) << "half a list is no list";

  world.server.answer(page("12", "", node_object("c", "3")));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@1", "b@2", "c@3"));
  EXPECT_THAT(world.last_target(), ::testing::EndsWith("&resourceVersion=10"))
      << "the first page's version: what changed since then is in the watch";
}

TEST(Reflector, AListThatFailsHalfWayLeavesTheStoreAsItWas) {
  World world({.stream_lists = false, .page_limit = 1});
  world.server.answer(page("10", "", node_object("a", "1")));
  world.run();
  world.server.accept();
  world.server.say(std::string(expired));
  world.run(30s);
  world.server.answer(page("20", "t1", node_object("b", "2")));
  world.run();
  world.server.answer(client::Response{.status = 410, .body = R"({"kind":"Status","code":410})"});
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@1"));

  world.run(30s);
  world.server.answer(page("30", "", node_object("c", "3")));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("c@3")) << "b was part of the list that failed";
}

TEST(Reflector, ATableIsNoList) {
  World world({.stream_lists = false});

  world.server.answer(R"({"kind":"Table","apiVersion":"meta.k8s.io/v1","rows":[]})");
  world.run();

  EXPECT_FALSE(world.store.synced());
  EXPECT_EQ(world.log.count("watch interrupted"), 1U);
}

TEST(Reflector, AnObjectThatCannotBeReadIsSkippedAndNamedAndTheStreamLives) {
  World world;
  world.sync({"a"});
  world.server.say(
      R"({"type":"ADDED","object":{"kind":"Node","metadata":{"name":"bad","resourceVersion":"11","labels":[]}}})");
  world.server.say("this is no JSON");
  world.server.say(event("ADDED", "b", "12"));
  world.run();

  EXPECT_THAT(world.nodes(), ElementsAre("a@10", "b@12"));
  EXPECT_EQ(world.reflector->state().malformed, 2U);
  EXPECT_EQ(world.log.count("object skipped"), 2U);
  EXPECT_EQ(world.log.count("Node bad"), 1U);
  EXPECT_TRUE(world.server.is_streaming());
  EXPECT_EQ(world.server.targets.size(), 1U);
}

TEST(Reflector, AnObjectOfAPageThatCannotBeReadIsSkippedAndNamed) {
  World world({.stream_lists = false});

  world.server.answer(page("10", "", R"({"metadata":{"labels":{}}},)" + node_object("a", "1")));
  world.run();

  EXPECT_THAT(world.nodes(), ElementsAre("a@1"));
  EXPECT_EQ(world.log.count("object skipped"), 1U);
}

TEST(Reflector, AnEventMayComeInAnyNumberOfPieces) {
  World world;
  world.sync({});
  const std::string line = event("ADDED", "a", "11") + "\n";
  for (const char byte : line) world.server.say_bytes(std::string(1, byte));
  world.run();

  EXPECT_THAT(world.nodes(), ElementsAre("a@11"));
}

TEST(Reflector, EventsAfterAnErrorInTheSameStreamAreNotBelieved) {
  World world;
  world.sync({"a"});
  world.server.say_bytes(std::string(expired) + "\n" + event("DELETED", "a", "99") + "\n");
  world.run();

  EXPECT_THAT(world.nodes(), ElementsAre("a@10"));
  EXPECT_FALSE(world.server.is_streaming()) << "the stream has been left";
}

TEST(Reflector, ASilentStreamIsReplacedByAnotherAndThenTheVersionIsProbed) {
  World world;
  world.sync({"a"});

  world.run(90s);
  EXPECT_EQ(world.server.targets.size(), 2U);
  EXPECT_THAT(world.last_target(), HasSubstr("resourceVersion=10"));
  world.server.accept();
  world.run(90s);
  EXPECT_EQ(world.last_target(), "/api/v1/nodes?limit=1");

  world.server.answer(page("10", "", node_object("a", "10")));
  world.run();
  EXPECT_THAT(world.last_target(), HasSubstr("resourceVersion=10"));
  EXPECT_EQ(world.server.targets.size(), 4U);
}

TEST(Reflector, AQuietCollectionIsNoTrouble) {
  World world;
  world.sync({"a"});
  for (int round = 0; round < 20; ++round) {
    world.run(90s);
    if (world.server.pending() > 0) {
      world.server.answer(page("10", "", node_object("a", "10")));
      world.run();
    }
    world.server.accept();
    world.run();
  }

  EXPECT_THAT(world.log.lines, IsEmpty());
  EXPECT_EQ(world.reflector->state().trouble, "");
}

TEST(Reflector, HurryCutsAWaitShort) {
  World world;
  world.sync({"a"});
  for (int failure = 0; failure < 8; ++failure) {
    world.server.end({.refused = {}, .broken = Error{.path = "connection refused"}});
    world.run(30s);
  }
  world.server.end({.refused = {}, .broken = Error{.path = "connection refused"}});
  world.run();
  EXPECT_FALSE(world.server.is_streaming());

  world.reflector->hurry();

  EXPECT_TRUE(world.server.is_streaming());
}

TEST(Reflector, HurryThatComesRightAfterATryIsNotLost) {
  World world;
  world.sync({"a"});
  for (int failure = 0; failure < 8; ++failure) {
    world.server.end({.refused = {}, .broken = Error{.path = "connection refused"}});
    world.run(30s);
  }
  world.server.end({.refused = client::Response{.status = 403}, .broken = {}});
  world.run(10s);
  world.reflector->hurry();
  ASSERT_TRUE(world.server.is_streaming());
  world.server.end({.refused = client::Response{.status = 403}, .broken = {}});
  world.run();

  for (int news = 0; news < 3; ++news) world.reflector->hurry();
  world.run(2s - 1ns);
  EXPECT_FALSE(world.server.is_streaming());
  world.run(1ns);
  EXPECT_TRUE(world.server.is_streaming());
}

TEST(Reflector, HurryDoesNotDisturbAStreamOrAPage) {
  World world;
  world.sync({"a"});
  world.reflector->hurry();
  EXPECT_EQ(world.server.targets.size(), 1U);

  World paging({.stream_lists = false});
  paging.reflector->hurry();
  EXPECT_EQ(paging.server.targets.size(), 1U);
}

TEST(Reflector, HurryDoesNotOverrideWhatTheServerAskedFor) {
  World world;
  world.sync({"a"});
  world.server.end({.refused = client::Response{.status = 429, .retry_after = 1h}, .broken = {}});
  world.run(10s - 1ns);

  world.reflector->hurry();
  EXPECT_FALSE(world.server.is_streaming());

  world.run(1ns);
  EXPECT_TRUE(world.server.is_streaming());
}

TEST(Reflector, NothingIsHeardOrSentAfterItsEnd) {
  enum class Doing { Streaming, Paging, Waiting };
  for (const Doing doing : {Doing::Streaming, Doing::Paging, Doing::Waiting}) {
    World world({.stream_lists = doing != Doing::Paging});
    if (doing == Doing::Streaming) world.sync({"a"});
    if (doing == Doing::Waiting) {
      world.sync({"a"});
      world.server.end({.refused = {}, .broken = Error{.path = "connection refused"}});
      world.run();
    }
    const std::vector<std::string> before = world.nodes();
    const std::size_t sent = world.server.targets.size();
    if (doing == Doing::Streaming) world.server.say(event("ADDED", "late", "99"));

    world.reflector.reset();
    EXPECT_FALSE(world.server.is_streaming());
    if (doing == Doing::Paging) world.server.answer(page("10", "", node_object("late", "1")));
    world.run(1h);

    EXPECT_EQ(world.nodes(), before);
    EXPECT_EQ(world.server.targets.size(), sent);
  }
}

// --- when events came ----------------------------------------------------------------------------

/// Notes when each object came; nothing where that was not told.
struct Dates final : StoreListener<api::Node> {
  explicit Dates(World& world) { world.store.set_listener(this); }
  void on_stored(Slot, const api::Node&, const api::Node*) override { seen.emplace_back(); }
  void on_event(Slot, const api::Node&, const api::Node*, Instant came) override {
    seen.emplace_back(came);
  }
  void on_removed(Slot, const api::Node&) override {}
  void on_synced() override {}

  std::vector<std::optional<Instant>> seen;
};

TEST(Reflector, EventsThatGatheredAreDatedByTheirPlace) {
  World world;
  world.sync({"a", "b", "c"});
  Dates dates(world);
  const Instant since = world.time.now();
  world.run(400ms);
  std::string lines;
  for (int place = 0; place < 100; ++place) {
    lines += event("MODIFIED", "a", std::to_string(11 + place)) + "\n";
  }
  world.server.say_gathered(lines, since);
  world.run();
  ASSERT_EQ(dates.seen.size(), 100U);
  for (std::size_t place = 0; place < 100; ++place) {
    EXPECT_EQ(dates.seen[place], client::arrival(since, since + 400ms, place, 100));
  }
}

TEST(Reflector, AnEventThatDidNotWaitCameJustNow) {
  World world;
  world.sync({"a"});
  Dates dates(world);
  world.run(10s);
  world.server.say(event("MODIFIED", "a", "11"));
  world.run();
  EXPECT_THAT(dates.seen, ElementsAre(world.time.now()));
}

}  // namespace
}  // namespace nlc::informer::testing

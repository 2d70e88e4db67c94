#include <gmock/gmock.h>

#include "tests/informer/watched_nodes.h"

/// What a server says that cannot be read, or cannot be true: nothing is lost by it, and it is told
/// briefly.
namespace nlc::informer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// A node with labels that are none.
std::string unreadable_object(std::string_view name, std::string_view version) {
  return R"({"kind":"Node","metadata":{"name":")" + std::string(name) + R"(","resourceVersion":")" +
         std::string(version) + R"(","labels":[]}})";
}
std::string unreadable(std::string_view type, std::string_view name, std::string_view version) {
  return R"({"type":")" + std::string(type) + R"(","object":)" + unreadable_object(name, version) +
         "}";
}
std::string of_kind(std::string_view type, std::string_view kind, std::string_view name) {
  return R"({"type":")" + std::string(type) + R"(","object":{"kind":")" + std::string(kind) +
         R"(","apiVersion":"v1","metadata":{"name":")" + std::string(name) +
         R"(","resourceVersion":"50"}}})";
}

/// The stream is left for a list, which is waited for.
void leave_for_a_list(World& world) {
  world.server.say(std::string(expired));
  world.run(2s);
}
/// Another list is streamed: these lines, and the end of it.
void stream_list(World& world, const std::vector<std::string>& lines, std::string_view version) {
  leave_for_a_list(world);
  world.server.accept();
  for (const std::string& line : lines) world.server.say(line);
  world.server.say(marked_bookmark(version));
  world.run();
}

// --- objects that cannot be read -----------------------------------------------------------------

TEST(UnreadableObject, StaysAsItWasThroughEveryListAndIsCurrentWhenItCanBeReadAgain) {
  World world;
  world.sync({"a", "b", "c"});
  stream_list(world, {event("ADDED", "a", "10"), unreadable("ADDED", "b", "12")}, "15");
  EXPECT_THAT(world.nodes(), ElementsAre("a@10", "b@10"));

  world.server.say(unreadable("MODIFIED", "b", "16"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@10", "b@10"));
  EXPECT_EQ(world.reflector->state().malformed, 2U);

  world.server.say(event("MODIFIED", "b", "17"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@10", "b@17"));
}

TEST(UnreadableObject, StaysThroughAListByPages) {
  World world({.stream_lists = false});
  world.sync_by_pages(node_object("a", "1") + "," + node_object("b", "2") + "," +
                      node_object("c", "3"));
  leave_for_a_list(world);
  world.server.answer(page("20", "t", node_object("a", "1")));
  world.run();
  world.server.answer(page("20", "", unreadable_object("b", "12")));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@1", "b@2"));
}

TEST(UnreadableObject, IsGoneWhenItsDeletionComes) {
  World world;
  world.sync({"a", "b"});
  world.server.say(unreadable("MODIFIED", "b", "11"));
  world.server.say(unreadable("DELETED", "b", "12"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@10"));
}

TEST(UnreadableObject, IsGoneWhenItsDeletionComesWithinAList) {
  World world;
  world.sync({"a", "b"});
  stream_list(
      world,
      {event("ADDED", "a", "10"), unreadable("ADDED", "b", "12"), unreadable("DELETED", "b", "13")},
      "15");
  EXPECT_THAT(world.nodes(), ElementsAre("a@10"));
}

TEST(UnreadableObject, KeepsTheStateInWhichItWasListedBeforeItChanged) {
  World world;
  world.sync({"a"});
  stream_list(world, {event("ADDED", "a", "12"), unreadable("MODIFIED", "a", "13")}, "15");
  EXPECT_THAT(world.nodes(), ElementsAre("a@12"));
}

TEST(UnreadableObject, WithoutAKeyKeepsAllThatIsMissingFromTheList) {
  for (const std::string& line :
       {std::string("this is no JSON"), std::string(R"({"type":"ADDED","object":{}})"),
        of_kind("ADDED", "Secret", "a")}) {
    World world;
    world.sync({"a", "b"});
    stream_list(world, {event("ADDED", "c", "12"), line}, "15");
    EXPECT_THAT(world.nodes(), ElementsAre("a@10", "b@10", "c@12")) << line;

    stream_list(world, {event("ADDED", "c", "12")}, "20");
    EXPECT_THAT(world.nodes(), ElementsAre("c@12")) << "the next list says all";
  }
}

TEST(UnreadableObject, WithoutAKeyInAPageKeepsAllThatIsMissing) {
  World world({.stream_lists = false});
  world.sync_by_pages(node_object("a", "1") + "," + node_object("b", "2"));
  leave_for_a_list(world);
  world.server.answer(page("20", "", R"({"metadata":{"uid":"u"}},)" + node_object("b", "12")));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@1", "b@12"));
}

TEST(UnreadableObject, ABookmarkThatCannotBeReadIsNone) {
  World world;
  world.sync({"a", "b"});
  stream_list(world, {event("ADDED", "a", "10"), R"({"type":"BOOKMARK","object":{}})"}, "15");
  EXPECT_THAT(world.nodes(), ElementsAre("a@10"));
}

TEST(UnreadableObject, OfAListThatWasGivenUpIsForgotten) {
  World world;
  world.sync({"a", "b"});
  leave_for_a_list(world);
  world.server.accept();
  world.server.say("this is no JSON");
  world.server.end({});
  world.run(2s);
  world.server.answer(page("20", "", node_object("b", "12")));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("b@12"));
}

// --- what is of another kind ---------------------------------------------------------------------

TEST(ForeignEvent, IsNeverStored) {
  World world;
  world.sync({"a"});
  for (const char* type : {"ADDED", "MODIFIED", "DELETED"}) {
    world.server.say(of_kind(type, "Secret", "a"));
    world.server.say(of_kind(type, "Secret", "token"));
  }
  world.server.say(of_kind("BOOKMARK", "Secret", ""));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@10"));
  EXPECT_EQ(world.reflector->version(), "10");
  EXPECT_EQ(world.reflector->state().malformed, 7U);
}

TEST(ForeignList, IsAnErrorAndRemovesNothing) {
  for (const std::string& body :
       {std::string(R"({"kind":"PodList","metadata":{"resourceVersion":"20"},"items":[]})"),
        std::string(), std::string("null"), std::string("{}"), std::string("<html>"),
        std::string(R"({"kind":"NodeList","metadata":{"resourceVersion":"20"}})"),
        std::string(R"({"kind":"NodeList","items":[]})")}) {
    World world({.stream_lists = false});
    world.sync_by_pages(node_object("a", "1"));
    leave_for_a_list(world);
    world.server.answer(body);
    world.run();
    EXPECT_THAT(world.nodes(), ElementsAre("a@1")) << body;
    EXPECT_NE(world.reflector->state().trouble, "") << body;
  }
}

TEST(EmptyList, OfTheRightKindIsBelieved) {
  World world({.stream_lists = false});
  world.sync_by_pages(node_object("a", "1"));
  leave_for_a_list(world);
  world.server.answer(page("20", "", ""));
  world.run();
  EXPECT_THAT(world.nodes(), IsEmpty());
}

// --- versions ------------------------------------------------------------------------------------

TEST(LateDeletion, OfAFormerNodeDoesNotRemoveTheNewOne) {
  const auto of = [](std::string_view type, std::string_view uid, std::string_view version) {
    return R"({"type":")" + std::string(type) +
           R"(","object":{"kind":"Node","metadata":{"name":"a","uid":")" + std::string(uid) +
           R"(","resourceVersion":")" + std::string(version) + R"("}}})";
  };
  World world;
  world.sync({});
  world.server.say(of("ADDED", "second", "20"));
  world.server.say(of("DELETED", "first", "15"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@20"));
  world.server.say(of("DELETED", "second", "25"));
  world.run();
  EXPECT_THAT(world.nodes(), IsEmpty());
}

TEST(ListWhileWritesAreAnswered, DoesNotUndoThem) {
  World world({.stream_lists = false});
  world.sync_by_pages(node_object("a", "1"));
  leave_for_a_list(world);
  api::Node answered{.name = "a", .resource_version = "25"};
  world.store.refresh(answered);
  world.server.answer(page("20", "", node_object("a", "15")));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@25"));
}

TEST(UnreadableObject, OfARestoredServerIsCurrentWhenItCanBeReadAgain) {
  World world;
  world.sync({"a"});
  world.server.say(event("MODIFIED", "a", "5000"));
  stream_list(world, {unreadable("ADDED", "a", "7")}, "300");
  EXPECT_EQ(world.reflector->rewinds(), 1U);
  world.server.say(event("MODIFIED", "a", "301"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@301"));
}

// --- lists without an end ------------------------------------------------------------------------

TEST(EndlessList, IsGivenUpAndRemovesNothing) {
  for (const bool same_token : {true, false}) {
    World world({.stream_lists = false});
    world.sync_by_pages(node_object("a", "1") + "," + node_object("b", "2"));
    leave_for_a_list(world);
    const std::size_t asked = world.server.targets.size();
    int pages = 0;
    for (int seconds = 0; seconds < 600; ++seconds) {
      while (world.server.pending() > 0 && pages < 1000) {
        const std::string token = same_token ? "t" : "t" + std::to_string(pages);
        world.server.answer(page("20", token, node_object("b", "2")));
        ++pages;
        world.run();
      }
      world.run(1s);
    }
    EXPECT_LE(world.server.targets.size() - asked, 100U) << "two pages, then the back-off";
    EXPECT_THAT(world.nodes(), ElementsAre("a@1", "b@2"));
    EXPECT_NE(world.reflector->state().trouble, "");
    EXPECT_LE(world.log.count("reason=list_endless"), 11U);

    while (world.server.pending() == 0) world.run(1s);
    world.server.answer(page("30", "", node_object("b", "3")));
    world.run();
    EXPECT_THAT(world.nodes(), ElementsAre("b@3"));
  }
}

// --- the log -------------------------------------------------------------------------------------

TEST(Trouble, IsToldWhenItBeginsOnceAMinuteAndWhenItIsOver) {
  World world;
  world.sync({"a"});
  for (int failure = 0; failure < 20; ++failure) {
    world.server.end(
        {.refused = {}, .broken = Error{.path = "connection refused " + std::to_string(failure)}});
    world.run(30s);
  }

  EXPECT_EQ(world.log.count("watch interrupted"), 10U) << "in ten minutes";
  EXPECT_EQ(world.log.count("untold=1"), 9U);
  EXPECT_EQ(world.reflector->state().trouble, "connection refused 19");
  EXPECT_EQ(world.reflector->state().restarts, 20U);

  world.server.accept();
  world.run();
  EXPECT_EQ(world.reflector->state().trouble, "");
  EXPECT_TRUE(world.reflector->state().streaming);
  EXPECT_EQ(world.log.count("watch resumed"), 1U);
}

TEST(Trouble, IsShownByItsBeginningHoweverMuchAServerSays) {
  World world;
  world.sync({"a"});
  world.server.refuse(500, R"({"kind":"Status","message":")" + std::string(1 << 20U, 'x') + "\"}");
  world.run();
  EXPECT_LT(world.reflector->state().trouble.size(), 400U);
  for (const std::string& line : world.log.lines) EXPECT_LT(line.size(), 600U);
}

TEST(Trouble, AStreamThatCannotBeReadIsToldOnce) {
  World world;
  world.sync({"a"});
  for (int number = 0; number < 300; ++number) {
    world.server.say("garbage " + std::to_string(number));
    world.server.say(unreadable("MODIFIED", "n" + std::to_string(number), "11"));
    world.run(5ms);
  }
  EXPECT_EQ(world.log.count("object skipped"), 2U) << "an object, and an event";
  EXPECT_EQ(world.reflector->state().malformed, 600U);

  world.run(1min);
  world.server.accept();  // another stream, the silent one was left
  world.server.say(event("MODIFIED", "a", "12"));
  world.run();
  EXPECT_EQ(world.log.count("no more objects that cannot be read"), 1U);
}

TEST(Trouble, AnErrorThatSaysNothingIsToldAllTheSame) {
  World world;
  world.sync({"a"});
  world.server.say(R"({"type":"ERROR","object":{}})");
  world.run();
  EXPECT_EQ(world.log.count("watch interrupted"), 1U);
  EXPECT_NE(world.reflector->state().trouble, "");
}

}  // namespace
}  // namespace nlc::informer::testing

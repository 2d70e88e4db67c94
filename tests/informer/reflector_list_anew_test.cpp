#include <gmock/gmock.h>

#include "informer/reflector.h"
#include "tests/informer/watched_nodes.h"

namespace nlc::informer::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(Reflector, AServerThatRanBackwardsIsTakenAtItsWord) {
  World world;
  world.sync({"a", "b"});
  world.server.say(event("MODIFIED", "a", "5000"));
  world.run(90s);
  world.run(90s);
  world.server.answer(page("300", "", node_object("a", "7")));
  world.run();
  world.run(2s);
  world.server.accept();
  world.server.say(event("ADDED", "a", "7"));
  world.server.say(marked_bookmark("300"));
  world.server.say(event("MODIFIED", "a", "301"));
  world.run();

  EXPECT_THAT(world.nodes(), ElementsAre("a@301"));
}

TEST(Reflector, AListAnewKeepsTheStoreUntilItIsCompleteAndIsCountedByItsReason) {
  World world;
  world.sync({"a", "b"});
  const std::uint64_t restarts = world.reflector->state().restarts;

  world.reflector->list_anew("stalled");
  EXPECT_THAT(world.last_target(), HasSubstr("sendInitialEvents=true"));
  EXPECT_THAT(world.last_target(), Not(HasSubstr("resourceVersion=")));
  EXPECT_EQ(world.reflector->state().restarts, restarts + 1);
  EXPECT_EQ(world.reflector->version(), "");
  world.server.accept();
  world.server.say(event("ADDED", "a", "12"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@10", "b@10"));

  world.server.say(marked_bookmark("12"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@12"));
  EXPECT_EQ(world.reflector->rewinds(), 0U) << "it is newer than what was seen";
}

TEST(Reflector, AListAnewForgetsTheStreamBeforeIt) {
  World world;
  world.sync({"a"});
  world.server.say(event("MODIFIED", "a", "99"));  // on its way when the list is begun
  world.reflector->list_anew("stalled");
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@10"));
}

TEST(Reflector, WhileAListAnewHasToWaitTheStreamBeforeItIsHeardAndWitnessesNothing) {
  World world;
  for (int times = 0; times < 2; ++times) {
    world.sync({"a"});
    world.reflector->list_anew("stalled");
  }
  const std::size_t asked = world.server.targets.size();
  world.server.say(event("MODIFIED", "a", "99"));
  world.run();
  EXPECT_THAT(world.nodes(), ElementsAre("a@99"));
  EXPECT_FALSE(world.reflector->state().streaming);
  EXPECT_TRUE(world.reflector->state().left);
  world.server.end({});
  world.run();
  EXPECT_EQ(world.server.targets.size(), asked) << "the list comes when its wait is over";
  world.run(1min);
  EXPECT_THAT(world.server.targets.at(asked), HasSubstr("sendInitialEvents=true"));
}

TEST(Reflector, AListAnewIsNotBegunBeforeTheServerWantsToBeAsked) {
  World world;
  world.sync({"a"});
  world.server.end({.refused = client::Response{.status = 429, .retry_after = 7s}, .broken = {}});
  world.run();
  const std::size_t asked = world.server.targets.size();
  world.reflector->list_anew("stalled");
  world.run(7s - 1ns);
  EXPECT_EQ(world.server.targets.size(), asked);
  world.run(1ns);
  EXPECT_EQ(world.server.targets.size(), asked + 1);
  EXPECT_THAT(world.last_target(), HasSubstr("sendInitialEvents=true"));
}

TEST(Reflector, AStoreOfARestoredServerIsCountedAsRewoundAndSwapped) {
  World world;
  world.sync({"a", "b"});
  world.server.say(event("MODIFIED", "a", "5000"));
  world.run();
  world.reflector->server_may_have_gone_back();
  world.server.accept();
  world.server.say(event("ADDED", "a", "7"));
  world.server.say(marked_bookmark("300"));
  world.run();

  EXPECT_EQ(world.reflector->rewinds(), 1U);
  EXPECT_THAT(world.nodes(), ElementsAre("a@7"));
  world.server.say(event("MODIFIED", "a", "301"));
  world.run();
  EXPECT_EQ(world.reflector->rewinds(), 1U) << "the server goes on from where it is now";
  EXPECT_EQ(world.reflector->version(), "301");
}

TEST(Reflector, ARestoreWhoseVersionsJumpedAheadIsSeenByItsObjects) {
  for (const bool stream_lists : {true, false}) {
    World world({.stream_lists = stream_lists});
    const auto list = [&](std::string_view version, std::string_view of_a) {
      if (stream_lists) {
        world.server.accept();
        world.server.say(event("ADDED", "a", of_a));
        world.server.say(marked_bookmark(version));
      } else {
        world.server.answer(page(version, "", node_object("a", of_a)));
      }
      world.run();
    };
    list("10", "10");
    EXPECT_EQ(world.reflector->rewinds(), 0U);

    world.reflector->list_anew("expired");
    list("1000000009", "7");
    EXPECT_EQ(world.reflector->rewinds(), 1U);
    EXPECT_THAT(world.nodes(), ElementsAre("a@7"));

    world.reflector->server_may_have_gone_back();
    world.run(5s);
    list("1000000020", "7");
    EXPECT_EQ(world.reflector->rewinds(), 1U) << "what is listed is what is held";
    EXPECT_EQ(world.reflector->state().lists, 3U);
  }
}

}  // namespace
}  // namespace nlc::informer::testing

#include <gtest/gtest.h>

#include "informer/reflector.h"
#include "tests/informer/watched_nodes.h"

namespace nlc::informer::testing {
namespace {

TEST(Reflector, AWatchThatIsAcceptedAfterNoneForASecondEndsAGap) {
  World world;
  const auto gap_ended_after = [&world](Duration gap) {
    world.server.say(event("MODIFIED", "a", "12"));  // it lived, so the next is asked for at once
    world.server.end({});
    world.run(gap);
    world.server.accept();
    world.run();
    return world.reflector->state().gap_ended;
  };
  world.sync({"a"});
  EXPECT_EQ(gap_ended_after(1s - 1ns), Instant::min());
  const Instant ended = gap_ended_after(1s);
  EXPECT_EQ(ended, world.time.now());
}

/// A watch that could be opened again in less than a second, and what that ended.
void expect_gap_after_a_break(World& world) {
  world.server.end({.refused = {}, .broken = Error{.path = "the connection broke"}});
  world.run(1s - 1ns);
  world.server.accept();
  world.run();
  EXPECT_EQ(world.reflector->state().gap_ended, world.time.now());
}

/// Whoever ended it has no more to tell; whoever broke it off may have been restored.
TEST(Reflector, AWatchThatFollowsOneThatBrokeOffEndsAGapInLessThanASecondToo) {
  World world;
  world.sync({"a"});
  world.server.say(event("MODIFIED", "a", "12"));
  expect_gap_after_a_break(world);
}

TEST(Reflector, AWatchThatFollowsATryThatBrokeOffAfterAnOrderlyEndEndsAGapInLessThanASecondToo) {
  World world;
  world.sync({"a"});
  world.server.say(event("MODIFIED", "a", "12"));
  world.server.end({});
  world.run();
  expect_gap_after_a_break(world);
}

TEST(Reflector, AListThatBrokeOffAfterTheStreamWasLeftIsNoOrderlyEnd) {
  World world({.stream_lists = false});
  world.sync_by_pages(node_object("a", "10"));
  const Instant left = world.time.now();
  world.reflector->list_anew("stalled");
  world.run();
  world.server.answer(Error{.path = "the connection broke"});
  while (world.server.pending() == 0) world.run(1ms);
  ASSERT_LT(world.time.now(), left + 1s) << "the gap would be long for itself";
  world.sync_by_pages(node_object("a", "11"));
  EXPECT_EQ(world.reflector->state().gap_ended, world.time.now());
}

/// Whoever goes on asks the server whether it still has its history; who lists does not.
TEST(Reflector, AWatchThatFollowsAListAfterABreakWentOnWithoutTheHistory) {
  for (const bool lists : {false, true}) {
    World world({.stream_lists = false});
    world.sync_by_pages(node_object("a", "10"));
    world.server.say(event("MODIFIED", "a", "12"));
    world.server.end({.refused = {}, .broken = Error{.path = "the connection broke"}});
    world.run(1ms);
    if (lists) {
      world.reflector->list_anew("stalled");
      world.run(5s);
      world.sync_by_pages(node_object("a", "13"));
    } else {
      world.run(500ms);
      world.server.accept();
    }
    world.run();
    EXPECT_EQ(world.reflector->expired(), lists ? 1U : 0U);
  }
}

TEST(Reflector, TryThatBreaksOffBeforeAnyWatchWasOpenEndsNoGap) {
  World world;
  world.server.end({.refused = {}, .broken = Error{.path = "connection refused"}});
  world.run(1s - 1ns);
  world.sync({"a"});
  EXPECT_EQ(world.reflector->state().gap_ended, Instant::min());
}

}  // namespace
}  // namespace nlc::informer::testing

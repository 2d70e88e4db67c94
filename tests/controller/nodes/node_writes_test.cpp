#include "controller/nodes/node_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace nlc::controller {
namespace {

using ::testing::ElementsAre;

/// Which nodes are looked at, and what waits for room.
TEST(NodeWritesTest, WhoFoundNoRoomIsAskedInTurnUntilThereIsNoneAgain) {
  NodeWrites writes(1);
  std::vector<Slot> asked;
  const auto begin = [&writes](Slot slot, client::Room& room) {
    writes.begin(slot, {NodeWrites::Kind::Labels, "os"}, client::RequestPriority::NodeWrite, room);
  };
  const auto ask_with = [&](std::size_t places) {
    client::Room room = client::Room::of(places);
    asked.clear();
    writes.ask_for_room([&](Slot slot) {
      asked.push_back(slot);
      begin(slot, room);
    });
  };
  client::Room none = client::Room::of(0);
  for (const Slot slot : {1U, 2U, 3U, 4U, 5U}) begin(slot, none);
  ask_with(2);
  EXPECT_THAT(asked, ElementsAre(1, 2, 3));
  EXPECT_FALSE(writes.is_settled(5));
  writes.mark_dirty(4);
  writes.take_dirty();
  writes.forget(5);
  ask_with(2);
  EXPECT_THAT(asked, ElementsAre(3));
  EXPECT_TRUE(writes.is_settled(5));
}

}  // namespace
}  // namespace nlc::controller

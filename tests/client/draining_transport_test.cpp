#include "client/draining_transport.h"

#include <gtest/gtest.h>

#include "held_transport.h"
#include "sim/virtual_time.h"

namespace nlc::client {
namespace {

struct Draining {
  void send(Lane lane) {
    transport.send({.lane = lane}, [this](Result<Response> response) {
      response ? ++answered : ++refused;
      if (!response) {
        EXPECT_EQ(response.error().fault, Fault::NotLeading);
      }
    });
  }
  void drain() {
    transport.drain([this] { ++drained; });
  }

  sim::VirtualTime time{WallTime{}};
  HeldTransport held;
  DrainingTransport transport{held, time};
  int answered = 0;
  int refused = 0;
  int drained = 0;
};

TEST(DrainingTransport, WithNothingUnderWayIsDrainedAtOnceButNeverInline) {
  Draining it;
  it.send(Lane::Read);
  it.drain();
  EXPECT_EQ(it.drained, 0);
  it.time.run_ready();
  EXPECT_EQ(it.drained, 1);
}

TEST(DrainingTransport, WaitsForTheWritesThatAreUnderWayAndTellsOnce) {
  Draining it;
  it.send(Lane::NodeWrite);
  it.send(Lane::PodWrite);
  it.drain();
  it.held.answer(1, Response{.status = 200});
  it.time.run_ready();
  EXPECT_EQ(it.drained, 0);
  it.held.answer(0, Response{.status = 500});
  it.time.run_ready();
  EXPECT_EQ(it.drained, 1);
  EXPECT_EQ(it.answered, 2);
}

TEST(DrainingTransport, RefusesFurtherWritesAndPassesEverythingElse) {
  Draining it;
  it.drain();
  it.send(Lane::NodeWrite);
  EXPECT_EQ(it.refused, 0) << "never inline";
  it.time.run_ready();
  EXPECT_EQ(it.refused, 1);
  for (const Lane lane : {Lane::Election, Lane::Read}) it.send(lane);
  EXPECT_EQ(it.held.sent.size(), 2U);
}

}  // namespace
}  // namespace nlc::client

#include "client/draining_transport.h"

#include <gtest/gtest.h>

#include "held_transport.h"
#include "sim/virtual_time.h"

namespace nlc::client {
namespace {

struct Draining {
  void send(RequestPriority priority) {
    transport.send({.priority = priority}, [this](Result<Response> response) {
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
  it.send(RequestPriority::Read);
  it.drain();
  EXPECT_EQ(it.drained, 0);
  it.time.run_ready();
  EXPECT_EQ(it.drained, 1);
}

TEST(DrainingTransport, WaitsForTheWritesThatAreUnderWayAndTellsOnce) {
  Draining it;
  it.send(RequestPriority::NodeWrite);
  it.send(RequestPriority::PodWrite);
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
  it.send(RequestPriority::NodeWrite);
  EXPECT_EQ(it.refused, 0) << "never inline";
  it.time.run_ready();
  EXPECT_EQ(it.refused, 1);
  for (const RequestPriority priority : {RequestPriority::Election, RequestPriority::Read})
    it.send(priority);
  EXPECT_EQ(it.held.sent.size(), 2U);
}

}  // namespace
}  // namespace nlc::client

#include "controller/nodes/node_life.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/observed_nodes.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;

class NodeLifeTest : public ObservedNodes {
 protected:
  bool pods_stay() const { return now < life.pods_stay_until(slot("n"), now); }
  void renew_for(Duration span) {
    for (const Instant end = now + span; now < end; pass(10s)) renew("n", at().wall);
  }
  void store_silent() {
    store(ready_node("n"));
    renew("n", noon - 1s);
    pass(40s + 1ns);
    store(silent_node("n"));
  }

  const NodeLife life{view(), lifecycle.health(), availability};
};

TEST_F(NodeLifeTest, PodsStayForAGracePeriodAfterTheHeartbeatOfANodeThatIsUnknown) {
  store_silent();
  EXPECT_FALSE(pods_stay());
  renew("n", at().wall);
  EXPECT_TRUE(pods_stay());
  pass(40s);
  EXPECT_TRUE(pods_stay());
  pass(1ns);
  EXPECT_FALSE(pods_stay());
}

TEST_F(NodeLifeTest, PodsStayForFiveMinutesAtMostWhoeverGoesOnRenewing) {
  store_silent();
  renew_for(290s);
  renew("n", at().wall);
  pass(10s - 1ns);
  EXPECT_TRUE(pods_stay());
  pass(1ns);
  EXPECT_FALSE(pods_stay());
  renew_for(1h);
  EXPECT_FALSE(pods_stay());
}

TEST_F(NodeLifeTest, ANewSilenceBeginsTheFiveMinutesAnew) {
  store_silent();
  renew_for(300s);
  EXPECT_FALSE(pods_stay());
  pass(40s);
  renew("n", at().wall);
  EXPECT_TRUE(pods_stay());
}

TEST_F(NodeLifeTest, FiveMinutesCountFromWhenItWasSeenToBeUnknownWhereItWasHeardBefore) {
  store(ready_node("n"));
  renew_for(10min);
  store(silent_node("n"));
  EXPECT_TRUE(pods_stay());
  renew_for(5min);
  EXPECT_FALSE(pods_stay());
}

TEST_F(NodeLifeTest, TimeInWhichTheServerTookNoWritesIsNotCounted) {
  store_silent();
  renew_for(290s);
  now += 1h;
  availability.prove(now);
  renew("n", at().wall);
  EXPECT_TRUE(pods_stay());
  pass(10s);
  EXPECT_FALSE(pods_stay());
}

TEST_F(NodeLifeTest, PodsOfANodeThatSaysItselfThatItIsNotReadyAreKeptByNoHeartbeat) {
  store(node_with_ready("n", ConditionStatus::False));
  renew_for(50s);
  EXPECT_FALSE(pods_stay());
}

}  // namespace
}  // namespace nlc::controller

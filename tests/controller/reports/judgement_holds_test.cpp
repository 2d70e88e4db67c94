#include "controller/reports/judgement_holds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/controller/unanswered.h"
#include "tests/memory_log.h"

namespace nlc::controller {
namespace {

using namespace testing;
using metrics::Hold;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Voice = JudgementHolds::Voice;

class JudgementHoldsTest : public ::testing::Test {
 protected:
  void begin(Hold reason, Voice voice = Voice::Events) {
    holds.set(reason, "so it was seen", time.now(), voice);
  }
  void end(Hold reason, Voice voice = Voice::Events) { holds.set(reason, "", time.now(), voice); }

  sim::VirtualTime time{noon};
  tests::MemoryLog log;
  metrics::Metrics metrics{"1.0"};
  Unanswered sent;
  client::EventRecorder events{{sent, time, log, metrics.events_dropped()}, "node-controller"};
  JudgementHolds holds{{log, metrics, events, {.kind = "Lease", .name = "lock"}}};
};

TEST_F(JudgementHoldsTest, ThatJudgementIsHeldIsToldWhenItBeginsOnceAMinuteAndWhenItEnds) {
  begin(Hold::StreamStalled);
  begin(Hold::StreamStalled);
  time.run_for(1min - 1ms);
  begin(Hold::StreamStalled);
  EXPECT_THAT(log.lines, ElementsAre("judgement held reason=stream_stalled detail=so it was seen"));
  for (int minute = 1; minute <= 2; ++minute) {
    time.run_for(minute == 1 ? Duration{1ms} : Duration{1min});
    begin(Hold::StreamStalled);
    begin(Hold::StreamStalled);
    EXPECT_EQ(log.count("judgement still held reason=stream_stalled detail=so it was seen "
                        "held_for=" +
                        std::to_string(minute) + "m0s"),
              1U);
  }
  EXPECT_EQ(metrics.judgement_held(Hold::StreamStalled).value(), 1);
  end(Hold::StreamStalled);
  end(Hold::StreamStalled);
  EXPECT_EQ(metrics.judgement_held(Hold::StreamStalled).value(), 0);
  EXPECT_EQ(log.lines.size(), 4U);
  EXPECT_EQ(log.lines.back(), "judgement resumed reason=stream_stalled held_for=2m0s");
}

TEST_F(JudgementHoldsTest, APausedServerIsToldOfInAnEventWhenItIsOverAndOthersWhenTheyBegin) {
  begin(Hold::ServerPaused);
  EXPECT_THAT(sent.bodies, IsEmpty());
  time.run_for(40s);
  end(Hold::ServerPaused);
  ASSERT_EQ(sent.bodies.size(), 1U);
  EXPECT_THAT(sent.bodies.back(),
              HasSubstr("Silent nodes were not judged for 40s: so it was seen"));
  begin(Hold::VersionRewound);
  ASSERT_EQ(sent.bodies.size(), 2U);
  EXPECT_THAT(sent.bodies.back(),
              HasSubstr("Silent nodes are not judged on what is seen of them: so it was seen"));
  end(Hold::VersionRewound);
  EXPECT_EQ(sent.bodies.size(), 2U);
  begin(Hold::NodeUnread);
  EXPECT_THAT(sent.bodies.back(),
              HasSubstr("Pods are not evicted before their node could be read: so it was seen"));
}

TEST_F(JudgementHoldsTest, WhoStandsByTellsItInNoEvent) {
  begin(Hold::VersionRewound, Voice::Silent);
  begin(Hold::ServerPaused, Voice::Silent);
  end(Hold::ServerPaused, Voice::Silent);
  EXPECT_THAT(sent.bodies, IsEmpty());
}

TEST_F(JudgementHoldsTest, ReadinessFailsForWhatCostsAllNodesTheirJudgementAndTellsTheRest) {
  EXPECT_TRUE(holds.check(time.now()).ok);
  EXPECT_EQ(holds.check(time.now()).detail, "");
  begin(Hold::StreamStalled);
  begin(Hold::LeaseUnread);
  EXPECT_TRUE(holds.check(time.now()).ok);
  time.run_for(7s);
  EXPECT_THAT(holds.check(time.now()).detail,
              "stream_stalled for 7s: so it was seen; lease_unread for 7s: so it was seen");
  for (const Hold reason : {Hold::ServerPaused, Hold::VersionRewound}) {
    begin(reason);
    EXPECT_FALSE(holds.check(time.now()).ok);
    end(reason);
    EXPECT_TRUE(holds.check(time.now()).ok);
  }
}

}  // namespace
}  // namespace nlc::controller

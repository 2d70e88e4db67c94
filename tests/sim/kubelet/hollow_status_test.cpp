#include "sim/kubelet/hollow_status.h"

#include <gtest/gtest.h>

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;

const Instant begin{std::chrono::hours(1)};

StatusRounds reported_at(Instant when, Random& random) {
  StatusRounds rounds({});
  EXPECT_EQ(rounds.begin().action, StatusAction::ReadCached);
  EXPECT_EQ(rounds.on_read(true, when, random).action, StatusAction::Patch);
  EXPECT_EQ(rounds.on_patched(true, when, random).action, StatusAction::Wait);
  return rounds;
}

TEST(HollowStatus, RoundFollowsRoundAfterTheUpdateFrequencyAndAtMostFourPercentLater) {
  Random random(1);
  StatusRounds rounds = reported_at(begin, random);
  for (int round = 0; round < 100; ++round) {
    rounds.wake();
    const StatusStep step = rounds.on_read(false, begin + 10s, random);
    ASSERT_EQ(step.action, StatusAction::Wait);
    EXPECT_GE(step.wait, 10s);
    EXPECT_LE(step.wait, 10400ms);
  }
}

TEST(HollowStatus, UnchangedStatusIsPostedOnlyWhenTheReportFrequencyHasPassed) {
  Random random(1);
  StatusRounds rounds = reported_at(begin, random);
  rounds.wake();
  EXPECT_EQ(rounds.on_read(false, begin + 5min - 1ns, random).action, StatusAction::Wait);
  rounds.wake();
  EXPECT_EQ(rounds.on_read(false, begin + 5min, random).action, StatusAction::Patch);
}

TEST(HollowStatus, ChangeIsPostedInTheRoundThatSeesIt) {
  Random random(1);
  StatusRounds rounds = reported_at(begin, random);
  rounds.wake();
  EXPECT_EQ(rounds.on_read(true, begin + 10s, random).action, StatusAction::Patch);
}

TEST(HollowStatus, RoundHasFiveTriesAndOnlyTheFirstReadsTheCache) {
  Random random(1);
  StatusRounds rounds({});
  EXPECT_EQ(rounds.begin().action, StatusAction::ReadCached);
  EXPECT_EQ(rounds.on_read_failed(random).action, StatusAction::ReadNewest);
  EXPECT_EQ(rounds.on_read(true, begin, random).action, StatusAction::Patch);
  EXPECT_EQ(rounds.on_patched(false, begin, random).action, StatusAction::ReadNewest);
  EXPECT_EQ(rounds.on_read_failed(random).action, StatusAction::ReadNewest);
  EXPECT_EQ(rounds.on_read_failed(random).action, StatusAction::ReadNewest);
  EXPECT_EQ(rounds.on_read_failed(random).action, StatusAction::Wait);
  EXPECT_EQ(rounds.wake().action, StatusAction::ReadCached);
}

TEST(HollowStatus, FailedPostDoesNotCountAsAReport) {
  Random random(1);
  StatusRounds rounds = reported_at(begin, random);
  rounds.wake();
  rounds.on_read(false, begin + 5min, random);
  rounds.on_patched(false, begin + 5min, random);
  EXPECT_EQ(rounds.on_read(false, begin + 5min + 1s, random).action, StatusAction::Patch);
}

}  // namespace
}  // namespace nlc::sim

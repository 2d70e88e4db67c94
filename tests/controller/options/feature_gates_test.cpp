#include "controller/options/feature_gates.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/flags.h"

namespace nlc::controller {
namespace {

using program::CommandLine;
using program::read_command_line;
using ::testing::HasSubstr;

TEST(FeatureGates, ComparisonsAreOffUnlessAskedFor) {
  EXPECT_EQ(read_command_line({}).flags->loop.policy.gates.comparisons, Comparisons::Off);
  const CommandLine line =
      read_command_line({"--feature-gates=SeparateTaintEvictionController=true,"
                         "NodeControllerLeaseCircuitBreaker=true,"
                         "ControllerManagerReleaseLeaderElectionLockOnExit=true,"
                         "TaintTolerationComparisonOperators=true"});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_EQ(line.flags->loop.policy.gates.comparisons, Comparisons::On);
}

TEST(FeatureGates, AreSwitchedByEverySpellingOfGoAndByNoneWhereTheListIsEmpty) {
  for (const char* on : {"1", "t", "T", "true", "TRUE", "True"}) {
    const CommandLine line = read_command_line(
        {std::string("--feature-gates=TaintTolerationComparisonOperators=") + on});
    ASSERT_TRUE(line.flags) << line.text;
    EXPECT_EQ(line.flags->loop.policy.gates.comparisons, Comparisons::On) << on;
  }
  EXPECT_TRUE(read_command_line({"--feature-gates="}).flags);
}

TEST(FeatureGates, WhatCannotBeIsOneLineThatSaysWhatCan) {
  const auto complaint = [](const std::string& gates) {
    const CommandLine line = read_command_line({"--feature-gates=" + gates});
    EXPECT_EQ(line.exit_code, 2) << gates;
    EXPECT_EQ(std::ranges::count(line.text, '\n'), 1) << line.text;
    return line.text;
  };
  EXPECT_THAT(complaint("NoSuchGate=true"),
              HasSubstr("no gate NoSuchGate is known here; known are "
                        "TaintTolerationComparisonOperators, SeparateTaintEvictionController, "
                        "NodeControllerLeaseCircuitBreaker and "
                        "ControllerManagerReleaseLeaderElectionLockOnExit"));
  EXPECT_THAT(complaint("=true"), HasSubstr("no gate  is known here"));
  EXPECT_THAT(complaint("TaintTolerationComparisonOperators"), HasSubstr("NAME=true"));
  EXPECT_THAT(complaint("TaintTolerationComparisonOperators=on"), HasSubstr("NAME=true"));
  EXPECT_THAT(complaint("SeparateTaintEvictionController=false"), HasSubstr("always true"));
  EXPECT_THAT(complaint("NodeControllerLeaseCircuitBreaker=false"),
              HasSubstr("always true; no node is called Unknown before its lease was read"));
  EXPECT_THAT(complaint("ControllerManagerReleaseLeaderElectionLockOnExit=false"),
              HasSubstr("always true; who is stopped gives the lock back"));
}

}  // namespace
}  // namespace nlc::controller

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/conformance/unit_run.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;
using sim::scenario::Failure;
using sim::scenario::Verdict;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Outcome run(const char* area, const char* input, const char* output) {
  return run_unit(
      {.id = "X-1", .area = area, .input = Json::parse(input), .output = Json::parse(output)});
}

/// All that was seen instead, in one text; empty when the case holds.
std::string seen(const char* area, const char* input, const char* output) {
  std::string text;
  for (const Failure& failure : run(area, input, output).failures) {
    text += failure.expectation + " <> " + failure.seen + "\n";
  }
  return text;
}

TEST(UnitCase, HoldsWhenTheComponentSaysWhatIsWritten) {
  const Outcome outcome = run("ZS", R"json({"ready": 3, "not_ready": 3, "absent": 0})json",
                              R"json({"state": "Normal", "unhealthy": 3})json");
  EXPECT_EQ(outcome.verdict, Verdict::Passed);
  EXPECT_EQ(outcome.id, "X-1");
}

TEST(UnitCase, FailsWithWhatWasSeenInstead) {
  EXPECT_EQ(seen("ZS", R"json({"ready": 9, "not_ready": 11, "absent": 0})json",
                 R"json({"state": "Normal"})json"),
            "state is \"Normal\" <> \"Partial\"\n");
}

TEST(UnitCase, OfAnAreaThatNobodyKnowsFailsWithTheKnownOnes) {
  EXPECT_THAT(seen("XX", "{}", "true"),
              HasSubstr("no component for the area \"XX\"; there are QU"));
}

TEST(UnitCase, WithAKeyThatNobodyKnowsFailsByThatKey) {
  EXPECT_THAT(seen("ZK", R"json({"labels": {}, "colour": "red"})json", "\"\""),
              HasSubstr("a key not known here: colour"));
}

TEST(UnitCase, WithAnOperationThatNobodyKnowsFailsByThatOperation) {
  EXPECT_THAT(seen("QU", R"json({"ops": ["add a", "shuffle"]})json", "{}"),
              HasSubstr("\"shuffle\""));
  EXPECT_THAT(seen("TW", R"json({"ops": ["shuffle"]})json", "{}"), HasSubstr("\"shuffle\""));
}

TEST(UnitCase, OfAnyShapeFailsAndDoesNotEndTheProgram) {
  for (const char* area :
       {"QU", "TW", "MT", "ZK", "XD", "HE", "ZS", "RQ", "TR", "TA", "TL", "TO", "FL", "SH"}) {
    for (const char* input :
         {"null", "7", "[1, 2]", R"json({"ops": {"a": 1}, "labels": 3})json",
          R"json({"taints": "x", "toleration": 4, "ready": [], "argv": 5})json"}) {
      EXPECT_EQ(run(area, input, R"json({"never": "said"})json").verdict, Verdict::Failed)
          << area << input;
    }
  }
}

TEST(UnitCase, ComparesDurationsByValueAndLeavesRemarksAside) {
  EXPECT_EQ(seen("MT", R"json({"tolerationSeconds": [60, null]})json", "\"1m0s (a minute)\""), "");
  EXPECT_EQ(seen("MT", R"json({"tolerationSeconds": [5, 0, null]})json", "\"0 (delete now)\""), "");
}

TEST(UnitDeadline, NoTolerationAtAllEvictsAtOnce) {
  EXPECT_EQ(seen("MT", R"json({"tolerationSeconds": []})json", "0"), "");
}

TEST(UnitDeadline, OnlyTolerationsWithoutEndLastForEver) {
  EXPECT_EQ(seen("MT", R"json({"tolerationSeconds": [null, null]})json", "\"infinite\""), "");
}

TEST(UnitDeadline, OnlyNoExecuteTaintsEvict) {
  EXPECT_EQ(
      seen("MT", R"json({"taints": ["a=b:NoExecute", "c:NoSchedule", "d:PreferNoSchedule"]})json",
           R"json(["a=b:NoExecute"])json"),
      "");
}

TEST(UnitQueue, NodesAreTaintedInTheOrderInWhichTheyFellSilent) {
  EXPECT_EQ(
      seen("QU", R"json({"ops": ["add b", "add a", "add c", "remove a", "try(success)"]})json",
           R"json({"processed": ["b", "c"], "heap": []})json"),
      "");
}

TEST(UnitQueue, NodeThatWaitsIsNotMovedByBeingReportedAgain) {
  EXPECT_EQ(seen("QU", R"json({"ops": ["add a at 1ms", "add b at 2ms", "add a at 3ms"]})json",
                 R"json({"heap": ["a", "b"], "set": ["a", "b"], "heap_left": 2})json"),
            "");
}

TEST(UnitQueue, RefusedWriteCostsNoTokenAndTheNextNodeGetsIt) {
  EXPECT_EQ(seen("QU", R"json({"initial": "bucket rate 1 burst 1",
                           "ops": ["add a", "add b", "try(fail, wait 50ms)", "wait 1.1s",
                                   "try(success)"]})json",
                 R"json({"calls": 3, "processed": ["a"], "heap": ["b"]})json"),
            "");
}

TEST(UnitQueue, StoppedZoneGrantsAgainOneIntervalAfterItsRateIsBack) {
  EXPECT_EQ(seen("QU", R"json({"initial": "bucket rate 1 burst 1",
                           "ops": ["add a", "swap 0", "try", "swap 1", "try", "wait 1.5s", "try"]})json",
                 R"json({"processed_count_after_each_try": [0, 0, 1], "qps_after": [0, 1]})json"),
            "");
}

TEST(UnitTimer, SameWorkTwiceRunsOnce) {
  EXPECT_EQ(
      seen("TW",
           R"json({"fire": "now+10s", "ops": ["add 1..5", "add 1..5 again", "advance 10s"]})json",
           R"json({"executions": 5, "executions_before_10s": 0})json"),
      "");
}

TEST(UnitTimer, WorkThatWasCalledBackMayBeAddedAnew) {
  EXPECT_EQ(seen("TW", R"json({"fire": "now+10s",
                           "ops": ["add 1..5", "cancel 2", "cancel 4", "add 2", "add 4",
                                   "advance 10s"]})json",
                 R"json({"executions": 5, "returned": [null, true, true, null, null, null]})json"),
            "");
}

TEST(UnitTimer, LateEndOfOneLeavesItsNamesakeAlone) {
  EXPECT_EQ(seen("TW", R"json({"ops": ["add k (runs, blocks)", "cancel k", "add k for later",
                                   "let the first finish"]})json",
                 R"json({"entry_k_present": true})json"),
            "");
}

TEST(UnitTaints, ChangeIsOneRequestWithTheCompleteList) {
  EXPECT_EQ(
      seen("TR", R"json({"taints": ["a=b:NoSchedule", "c=d:NoExecute"], "remove": ["c=d:NoExecute"],
                           "caller_copy": "current"})json",
           R"json({"taints": ["a=b:NoSchedule"], "requests": ["PATCH"]})json"),
      "");
  EXPECT_EQ(
      seen("TA",
           R"json({"taints": ["a=b:NoSchedule"], "add": ["c:NoSchedule", "d:NoExecute"]})json",
           R"json({"taints": ["a=b:NoSchedule", "c:NoSchedule", "d:NoExecute"],
                     "requests": ["PATCH"]})json"),
      "");
}

TEST(UnitTaints, RefusedWriteIsTriedUntilItIsTaken) {
  EXPECT_EQ(
      seen("TA",
           R"json({"taints": [], "add": ["c:NoSchedule"], "patch_responses": [500, 500]})json",
           R"json({"taints": ["c:NoSchedule"], "requests_patch": 3})json"),
      "");
}

TEST(UnitTaints, NothingToDoIsNoRequest) {
  EXPECT_EQ(seen("TR", R"json({"taints": ["a=b:NoSchedule"], "remove": ["x:NoSchedule"]})json",
                 R"json({"taints": ["a=b:NoSchedule"], "requests": []})json"),
            "");
}

TEST(UnitTaints, KeyAndEffectMakeATaintAndItsValueDoesNot) {
  EXPECT_EQ(seen("TL", R"json({"taints": ["a=b:NoExecute"], "find": "a=z:NoExecute"})json", "true"),
            "");
  EXPECT_EQ(
      seen("TL", R"json({"taints": ["a=b:NoExecute"], "find": "a=b:NoSchedule"})json", "false"),
      "");
}

TEST(UnitFlags, DefaultsAreThoseOfTheHelpText) {
  EXPECT_EQ(seen("FL", "{}",
                 R"json({"node-monitor-grace-period": "50s", "node-eviction-rate": 0.1,
                     "large-cluster-size-threshold": 50, "node-startup-grace-period": "1m0s"})json"),
            "");
}

TEST(UnitFlags, GivenValuesAreToldAsTheyWereGiven) {
  EXPECT_EQ(seen("FL", R"json({"node-eviction-rate": 0.2, "node-monitor-period": "10s"})json",
                 R"json({"node-eviction-rate": 0.2, "node-monitor-period": "10s"})json"),
            "");
}

TEST(UnitFlags, NonsenseIsRefusedWithTheReason) {
  EXPECT_THAT(seen("FL", R"json({"node-eviction-rate": -1})json", "\"accepted\""),
              HasSubstr("refused: invalid value"));
}

TEST(UnitHealth, NodeOlderThanItsGraceIsUnknown) {
  EXPECT_EQ(
      seen("HE",
           R"json({"ready": "True", "creation_heartbeat_and_probe": "41s", "grace": "40s"})json",
           R"json({"returned_ready": "Unknown", "remembered_ready": "Unknown"})json"),
      "");
  EXPECT_EQ(
      seen("HE",
           R"json({"ready": "True", "creation_heartbeat_and_probe": "40s", "grace": "40s"})json",
           R"json({"returned_ready": "True"})json"),
      "");
}

}  // namespace
}  // namespace nlc::conformance

#include "sim/scenario/model/peace.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario::testing {
namespace {

using namespace std::chrono_literals;

/// The controller starts with the case, and kubelets renew to its end.
std::optional<Duration> peace_after(std::vector<std::string> timeline) {
  return peace_begins(case_of({.timeline = std::move(timeline)}), program::Flags{});
}

Duration marked_beside(std::vector<std::string> timeline, program::Flags flags = {}) {
  return marked_within(case_of({.timeline = std::move(timeline)}), flags);
}

TEST(Peace, IsFromTheBeginningWhereKubeletsAlone) {
  EXPECT_EQ(peace_after({"{from: 1s, until: 1m, every: 5s, renew_lease: {node: node0}}"}), 0s);
  EXPECT_EQ(peace_after({"{from: 0s, until: 5m, speak_protobuf: {}}"}), 0s)
      << "in which encoding a server answers is no trouble";
}

TEST(Peace, BeginsWhenTheLastOfAllTroubleEnds) {
  EXPECT_EQ(peace_after({"{from: 1s, until: 9s, cache: {hold: leases}}",
                         "{from: 1s, until: 5s, pause_api: {}}"}),
            9s);
  EXPECT_EQ(peace_after({"{from: 0s, until: 8s, short_history: {events: 1}}"}), 8s);
  EXPECT_EQ(peace_after({"{from: 0s, until: 8s, small_pages: {objects: 1}}"}), 8s);
  EXPECT_EQ(peace_after({"{at: 7s, delete: {kind: Pod, name: pod0}}"}), 7s);
  EXPECT_EQ(peace_after({"{at: 10s, backup: {}}", "{at: 20s, restore: {down: 20s}}"}), 40s);
}

TEST(Peace, NeverBeginsWhereTroubleHasNoEnd) {
  EXPECT_EQ(peace_after({"{at: 5s, controller_clock: {offset: 1h}}"}), std::nullopt);
}

TEST(Peace, NeverBeginsWhereTheControllerIsGoneForGood) {
  EXPECT_EQ(peace_after({"{at: 5s, kill: controller}"}), std::nullopt);
  EXPECT_EQ(peace_after({"{at: 5s, kill: controller}", "{at: 30s, start: controller}"}), 30s);
}

TEST(Peace, NeverBeginsWhereWhoLosesItsLockIsGoneForGood) {
  program::Flags flags;
  flags.leader_elect.on_lost = program::OnLost::Exit;
  EXPECT_EQ(peace_begins(case_of({}), flags), std::nullopt);
  EXPECT_EQ(peace_begins(case_of({.start = "{at: 0s, start: controller, restarts: 10s}"}), flags),
            0s);
}

TEST(Peace, DeadNodesAreMarkedLaterWhereWritesWereRefusedForGood) {
  const auto refused_with = [](const std::string& code) {
    return marked_beside(
        {"{from: 1s, until: 9s, fail_api: {verb: PATCH, resource: nodes, "
         "respond: {code: " +
         code + "}}}"});
  };
  EXPECT_EQ(refused_with("503"), marked_beside({}));
  EXPECT_EQ(refused_with("403"), marked_beside({}) + 5min);
}

TEST(Peace, DeadNodesAreMarkedLaterWhereALimitHoldsBackWhatIsDue) {
  program::Flags flags;
  flags.loop.limits.requests_per_second = 2;
  // Two nodes and a pod, each with ten requests, at half of the rate.
  EXPECT_EQ(marked_beside({}, flags), marked_beside({}) + 30s);
}

TEST(Peace, DeadNodesAreMarkedSoonerWhereNobodyHasToBeElected) {
  program::Flags flags;
  flags.leader_elect.enabled = false;
  EXPECT_LT(marked_beside({}, flags), marked_beside({}));
}

}  // namespace
}  // namespace nlc::sim::scenario::testing

#include <gtest/gtest.h>

#include "controller/pause/policy_watch.h"
#include "tests/controller/pause/policy_test.h"

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;
using testing::start;

class PolicyStandstillTest : public testing::PolicyTest {};

TEST_F(PolicyStandstillTest, AfterAStandstillAReadThatFindsAnOlderOneLetsNobodyGo) {
  api::ConfigMap seen = says("none");
  seen.resource_version = "9";
  in_force.stored(seen);
  in_force.follow(listed, start);
  in_force.stood_still(start + 5s);
  in_force.look_begun(start + 5s);
  EXPECT_TRUE(in_force.look_answered(says("none"), start + 5s)) << "it is listed anew";
  EXPECT_FALSE(in_force.confirmed(start + 5s));
}

TEST_F(PolicyStandstillTest, AfterAStandstillItIsReadBeforeAnybodyGoes) {
  in_force.follow(listed, start);
  in_force.look_begun(start + 4s);
  in_force.look_answered(Error{Fault::NotFound, "404"}, start + 4s);
  ASSERT_TRUE(in_force.confirmed(start + 5s));
  in_force.stood_still(start + 5s);
  EXPECT_TRUE(in_force.is_unsure());
  EXPECT_FALSE(in_force.confirmed(start + 5s));
  ASSERT_TRUE(in_force.look_due(start + 5s));
  in_force.look_begun(start + 5s);
  EXPECT_TRUE(in_force.look_answered(says("evictions"), start + 6s));
  EXPECT_FALSE(in_force.is_unsure());
}

TEST_F(PolicyStandstillTest, ProcessThatDidNotRunForMoreThanTwoSecondsStoodStill) {
  PolicyWatch watch({}, in_force, [] {});
  in_force.follow(listed, start);
  watch.runs(start);
  watch.runs(start + 2s);
  EXPECT_FALSE(in_force.is_unsure());
  watch.runs(start + 4s + 1ns);
  EXPECT_TRUE(in_force.is_unsure());
}

TEST_F(PolicyStandstillTest, ReadThatWasOnItsWayInAStandstillConfirmsNothing) {
  in_force.follow(listed, start);
  in_force.look_begun(start + 1s);
  in_force.stood_still(start + 5s);
  in_force.look_answered(Error{Fault::NotFound, "404"}, start + 5s);
  EXPECT_FALSE(in_force.confirmed(start + 5s));
  EXPECT_TRUE(in_force.look_due(start + 5s));
}

}  // namespace
}  // namespace nlc::controller

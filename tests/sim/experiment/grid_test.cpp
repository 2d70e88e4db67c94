#include "sim/experiment/grid.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::sim::experiment {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::Pair;

std::string axis_refusal(std::string_view text) {
  const Result<Axis> axis = axis_of(text);
  return axis ? "accepted" : axis.error().path;
}

TEST(Grid, AxisIsOneFlagAndItsValuesInOrder) {
  const Result<Axis> axis = axis_of("node-monitor-period=5s,2s");
  ASSERT_TRUE(axis);
  EXPECT_THAT(axis->flag, Eq("node-monitor-period"));
  EXPECT_THAT(axis->values, ElementsAre("5s", "2s"));
}

TEST(Grid, DashesBeforeTheFlagAreNoPartOfIt) {
  const Result<Axis> axis = axis_of("--node-monitor-period=2s");
  ASSERT_TRUE(axis);
  EXPECT_THAT(axis->flag, Eq("node-monitor-period"));
}

TEST(Grid, FlagThatTheControllerDoesNotHaveIsNamed) {
  EXPECT_THAT(axis_refusal("node-monitor-perid=2s"),
              Eq("--vary node-monitor-perid=2s: the controller has no flag --node-monitor-perid"));
}

TEST(Grid, ValueThatTheFlagCannotHaveIsNamedWithWhatIsAllowed) {
  EXPECT_THAT(axis_refusal("node-monitor-period=2s,soon"),
              Eq("--vary node-monitor-period=2s,soon: invalid value \"soon\" for "
                 "--node-monitor-period: must be a duration greater than 0 and at most 87600h, "
                 "such as 40s, 1m30s or "
                 "500ms"));
}

TEST(Grid, AxisWithoutValuesIsRefused) {
  EXPECT_THAT(axis_refusal("node-monitor-period"),
              Eq("--vary node-monitor-period: must be FLAG=VALUE,…, such as "
                 "node-monitor-period=2s,5s"));
  EXPECT_THAT(axis_refusal("=2s"),
              Eq("--vary =2s: must be FLAG=VALUE,…, such as node-monitor-period=2s,5s"));
}

TEST(Grid, EmptyValueIsRefused) {
  for (const char* text : {"node-monitor-period=", "node-monitor-period=2s,,5s"}) {
    EXPECT_THAT(axis_refusal(text),
                Eq("--vary " + std::string(text) +
                   ": a value is empty; values stand between commas, such as 2s,5s"));
  }
}

TEST(Grid, ValueThatComesTwiceIsRefused) {
  EXPECT_THAT(axis_refusal("node-monitor-period=2s,5s,2s"),
              Eq("--vary node-monitor-period=2s,5s,2s: the value 2s is there twice"));
}

TEST(Grid, FlagWithoutEffectInVirtualTimeIsRefused) {
  EXPECT_THAT(axis_refusal("kubeconfig=a,b"),
              Eq("--vary kubeconfig=a,b: --kubeconfig changes nothing in virtual time"));
  EXPECT_THAT(axis_refusal("help=1"), Eq("--vary help=1: --help changes nothing in virtual time"));
}

TEST(Grid, SettingsAreAllCombinationsAndTheLastAxisChangesFastest) {
  const std::vector<Setting> settings =
      settings_of({{.flag = "a", .values = {"1", "2"}}, {.flag = "b", .values = {"x", "y"}}});
  EXPECT_THAT(settings, ElementsAre(ElementsAre(Pair("a", "1"), Pair("b", "x")),
                                    ElementsAre(Pair("a", "1"), Pair("b", "y")),
                                    ElementsAre(Pair("a", "2"), Pair("b", "x")),
                                    ElementsAre(Pair("a", "2"), Pair("b", "y"))));
}

TEST(Grid, WithoutAnAxisThereIsOneSetting) {
  EXPECT_THAT(settings_of({}), ElementsAre(testing::IsEmpty()));
}

TEST(Grid, SettingWinsOverTheScenario) {
  const Result<controller::Policy> policy =
      policy_of({{"node-monitor-grace-period", "40s"}}, {{"node-monitor-grace-period", "20s"}});
  ASSERT_TRUE(policy);
  EXPECT_THAT(policy->monitor_grace, Eq(std::chrono::seconds(20)));
}

TEST(Grid, ValuesThatDoNotGoTogetherAreRefusedWithTheWholeSetting) {
  const Result<controller::Policy> policy = policy_of({}, {{"leader-elect-lease-duration", "5s"}});
  ASSERT_FALSE(policy);
  EXPECT_THAT(policy.error().path,
              testing::StartsWith("--leader-elect-lease-duration=5s: invalid value"));
}

}  // namespace
}  // namespace nlc::sim::experiment

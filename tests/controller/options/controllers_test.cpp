#include "controller/options/controllers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/flags.h"

namespace nlc::controller {
namespace {

using program::CommandLine;
using program::read_command_line;
using ::testing::HasSubstr;

struct ControllersChoice {
  std::vector<std::string> entries;
  bool node_lifecycle;
  bool taint_eviction;
};

class ChosenControllers : public ::testing::TestWithParam<ControllersChoice> {};

TEST_P(ChosenControllers, AreThoseThatKubeControllerManagerWouldRun) {
  const Result<Controllers> chosen = read_controllers(GetParam().entries);
  ASSERT_TRUE(chosen) << chosen.error().path;
  EXPECT_EQ(chosen->node_lifecycle, GetParam().node_lifecycle);
  EXPECT_EQ(chosen->taint_eviction, GetParam().taint_eviction);
}

INSTANTIATE_TEST_SUITE_P(
    All, ChosenControllers,
    ::testing::Values(ControllersChoice{{"*"}, true, true},
                      ControllersChoice{{"*", "-taint-eviction-controller"}, true, false},
                      ControllersChoice{{"-taint-eviction-controller", "*"}, true, false},
                      ControllersChoice{{"*", "-node-lifecycle-controller"}, false, true},
                      ControllersChoice{{"*", "-nodelifecycle"}, false, true},
                      ControllersChoice{{"nodelifecycle"}, true, false},
                      ControllersChoice{{"node-lifecycle-controller"}, true, false},
                      ControllersChoice{{"taint-eviction-controller"}, false, true},
                      ControllersChoice{{"nodelifecycle", "taint-eviction-controller"}, true, true},
                      // The first entry that names a controller decides about it.
                      ControllersChoice{
                          {"nodelifecycle", "-node-lifecycle-controller"}, true, false}));

TEST(Controllers, UnknownNameIsOneLineThatNamesWhatIsAllowed) {
  for (const char* list : {"bootstrapsigner", "*,-cronjob", "-*", "*,,nodelifecycle"}) {
    const CommandLine line = read_command_line({std::string("--controllers=") + list});
    EXPECT_FALSE(line.flags) << list;
    EXPECT_EQ(line.exit_code, 2) << list;
    EXPECT_THAT(line.text, HasSubstr("--controllers")) << list;
    EXPECT_THAT(line.text, HasSubstr("node-lifecycle-controller and taint-eviction-controller"));
    EXPECT_EQ(std::ranges::count(line.text, '\n'), 1) << line.text;
  }
}

TEST(Controllers, SwitchingEverythingOffIsAMistake) {
  const CommandLine line =
      read_command_line({"--controllers=-nodelifecycle,-taint-eviction-controller"});
  EXPECT_EQ(line.exit_code, 2);
  EXPECT_THAT(line.text, HasSubstr("nothing is left to run"));
}

TEST(Controllers, TaintManagerCannotBeReplacedWithoutTheNodeLifecycle) {
  const CommandLine line = read_command_line(
      {"--controllers=taint-eviction-controller", "--enable-taint-manager=false"});
  EXPECT_EQ(line.exit_code, 2);
  EXPECT_THAT(line.text, HasSubstr("--enable-taint-manager"));
}

TEST(Controllers, LegacyFlagsAreTakenVerbatim) {
  const CommandLine line = read_command_line(
      {"--enable-taint-manager=false", "--pod-eviction-timeout=2m", "--controllers=nodelifecycle",
       "--hold-pods-ready-in-full-disruption=true"});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_FALSE(line.flags->loop.policy.evict_by_taints);
  EXPECT_EQ(line.flags->loop.policy.pod_eviction_timeout, std::chrono::minutes(2));
  EXPECT_TRUE(line.flags->loop.policy.hold_pods_ready_in_full_disruption);
  EXPECT_FALSE(line.flags->loop.controllers.taint_eviction);
}

}  // namespace
}  // namespace nlc::controller

#include "program/flags.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::program {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;

TEST(Flags, DefaultsAreThoseOfKubeControllerManager) {
  const CommandLine line = read_command_line({});
  ASSERT_TRUE(line.flags) << line.text;
  const controller::Policy& policy = line.flags->loop.policy;
  EXPECT_EQ(policy.monitor_period, 5s);
  EXPECT_EQ(policy.monitor_grace, 50s);
  EXPECT_EQ(policy.startup_grace, 60s);
  EXPECT_EQ(policy.eviction_rate, 0.1);
  EXPECT_EQ(policy.secondary_eviction_rate, 0.01);
  EXPECT_EQ(policy.large_zone, 50);
  EXPECT_EQ(policy.unhealthy_zone_threshold, 0.55);
  EXPECT_EQ(line.flags->loop.limits.requests_per_second, 0);
  EXPECT_EQ(line.flags->metrics_bind_address, ":10290");
  EXPECT_TRUE(line.flags->leader_elect.enabled);
  EXPECT_EQ(line.flags->leader_elect.resource_name, "node-lifecycle-controller");
}

TEST(Flags, AreTakenVerbatim) {
  const CommandLine line =
      read_command_line({"--node-eviction-rate=0.2", "--secondary-node-eviction-rate=0.05",
                         "--node-monitor-grace-period=30s", "--node-startup-grace-period", "30s",
                         "--large-cluster-size-threshold=100", "--unhealthy-zone-threshold=0.6",
                         "--node-monitor-period=10s", "--kube-api-qps=20", "--kube-api-burst=30",
                         "--leader-elect=false", "--metrics-bind-address=127.0.0.1:0", "--v=2"});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_EQ(line.flags->loop.policy.eviction_rate, 0.2);
  EXPECT_EQ(line.flags->loop.policy.startup_grace, 30s);
  EXPECT_EQ(line.flags->loop.policy.large_zone, 100);
  EXPECT_EQ(line.flags->loop.limits.requests_per_second, 20);
  EXPECT_EQ(line.flags->loop.limits.burst, 30);
  EXPECT_FALSE(line.flags->leader_elect.enabled);
  EXPECT_EQ(line.flags->log_level, LogLevel::Debug);
}

/// Command lines of kube-controller-manager, and of charts that fill in what was not said.
TEST(Flags, AreSpelledAsPflagReadsThem) {
  for (const char* no : {"0", "f", "F", "false", "FALSE", "False"}) {
    const CommandLine line = read_command_line({std::string("--leader-elect=") + no});
    ASSERT_TRUE(line.flags) << line.text;
    EXPECT_FALSE(line.flags->leader_elect.enabled) << no;
  }
  const CommandLine line = read_command_line({"--leader_elect=T", "--node_monitor_period", "7s",
                                              "--kubeconfig=", "--feature-gates=", "--context="});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_TRUE(line.flags->leader_elect.enabled);
  EXPECT_EQ(line.flags->loop.policy.monitor_period, 7s);
  EXPECT_EQ(line.flags->kubeconfig, "");
}

TEST(Flags, ClientLimitBelowZeroIsNoneAsInEveryClientOfKubernetes) {
  EXPECT_EQ(read_command_line({"--kube-api-qps=-1"}).flags->loop.limits.requests_per_second, 0);
  EXPECT_EQ(read_command_line({"--kube-api-qps=inf"}).exit_code, 2);
}

TEST(Flags, ResyncPeriodOfKubeControllerManagerIsTakenAndHasToBeOne) {
  EXPECT_TRUE(read_command_line({"--min-resync-period=24h"}).flags);
  const CommandLine line = read_command_line({"--min-resync-period=daily"});
  EXPECT_EQ(line.exit_code, 2);
  EXPECT_THAT(line.text, HasSubstr("invalid value \"daily\" for --min-resync-period"));
}

TEST(Flags, StatusPortIsOfThisMachineAloneAndAnEmptyAddressSwitchesItOff) {
  EXPECT_EQ(read_command_line({}).flags->status_bind_address, "127.0.0.1:10291");
  for (const std::vector<std::string>& given : std::vector<std::vector<std::string>>{
           {"--status-bind-address="}, {"--status-bind-address", ""}}) {
    const CommandLine line = read_command_line(given);
    ASSERT_TRUE(line.flags) << line.text;
    EXPECT_EQ(line.flags->status_bind_address, "");
  }
}

/// As a template writes it that has nothing to say.
TEST(Flags, AnEmptyValueIsNotTheNextFlag) {
  for (const char* flag : {"--kubeconfig=", "--context=", "--tls-cert-file="}) {
    const CommandLine line = read_command_line({flag, "--observe", "--node-eviction-rate=0"});
    ASSERT_TRUE(line.flags) << line.text;
    EXPECT_TRUE(line.flags->loop.observe) << flag;
    EXPECT_EQ(line.flags->kubeconfig, "");
    EXPECT_EQ(line.flags->context, "");
  }
  EXPECT_THAT(read_command_line({"--node-eviction-rate=", "--observe"}).text,
              HasSubstr("invalid value \"\" for --node-eviction-rate"));
}

TEST(Flags, ObserverHasALockOfItsOwnAndProvesNothingByWriting) {
  const CommandLine line = read_command_line({"--observe"});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_TRUE(line.flags->loop.observe);
  EXPECT_EQ(line.flags->leader_elect.resource_name, "node-lifecycle-controller-observe");
  const CommandLine alone = read_command_line({"--observe", "--leader-elect=false"});
  ASSERT_TRUE(alone.flags) << alone.text;
  EXPECT_FALSE(alone.flags->loop.write_probe);
}

TEST(Flags, ThatSayHowToActAreRefusedBesideObserve) {
  for (const char* flag : {"--on-lost=exit", "--on-lost=recontest", "--standby=cold",
                           "--leader-elect-resource-lock=endpointsleases"}) {
    const CommandLine line = read_command_line({"--observe", flag});
    EXPECT_EQ(line.exit_code, 2) << flag;
    EXPECT_EQ(std::ranges::count(line.text, '\n'), 1) << line.text;
    const std::string name = std::string(flag).substr(0, std::string(flag).find('='));
    EXPECT_THAT(line.text, HasSubstr(name + ": says how to act")) << flag;
  }
  EXPECT_TRUE(read_command_line({"--observe=false", "--standby=cold"}).flags);
}

TEST(Flags, LocksOfOtherComponentsAreRefused) {
  for (const std::string name : {"kube-scheduler", "cloud-controller-manager"}) {
    const CommandLine line = read_command_line({"--leader-elect-resource-name=" + name});
    EXPECT_EQ(line.exit_code, 2);
    EXPECT_THAT(line.text, HasSubstr("is the lock of " + name));
  }
}

TEST(Flags, LockOfKubeControllerManagerIsRefused) {
  for (const std::vector<std::string>& more :
       std::vector<std::vector<std::string>>{{}, {"--observe"}}) {
    std::vector<std::string> given{"--leader-elect-resource-name=kube-controller-manager"};
    given.insert(given.end(), more.begin(), more.end());
    const CommandLine line = read_command_line(given);
    EXPECT_EQ(line.exit_code, 2);
    EXPECT_THAT(line.text, HasSubstr("is the lock of kube-controller-manager"));
  }
  EXPECT_TRUE(read_command_line({"--leader-elect-resource-name=kube-controller-manager",
                                 "--leader-elect-resource-namespace=elsewhere"})
                  .flags);
}

TEST(Flags, LockOfThoseThatActIsRefusedToAnObserver) {
  const CommandLine line =
      read_command_line({"--observe", "--leader-elect-resource-name=node-lifecycle-controller"});
  EXPECT_EQ(line.exit_code, 2);
  EXPECT_THAT(line.text, HasSubstr("is the lock of those that act"));
}

TEST(Flags, MetricsPortCanBeSwitchedOff) {
  for (const std::vector<std::string>& given : std::vector<std::vector<std::string>>{
           {"--metrics-bind-address="}, {"--metrics-bind-address", ""}}) {
    const CommandLine line = read_command_line(given);
    ASSERT_TRUE(line.flags) << line.text;
    EXPECT_EQ(line.flags->metrics_bind_address, "");
  }
}

TEST(Flags, SecurePortIsOffAndNamedAsInKubeControllerManager) {
  const CommandLine none = read_command_line({});
  EXPECT_EQ(none.flags->secure_serving.port, 0);
  EXPECT_EQ(none.flags->secure_serving.bind_address, "0.0.0.0");
  const CommandLine line = read_command_line({"--secure-port=10257", "--bind-address=127.0.0.1",
                                              "--tls-cert-file=c", "--tls-private-key-file=k"});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_EQ(line.flags->secure_serving.port, 10257);
  EXPECT_EQ(line.flags->secure_serving.bind_address, "127.0.0.1");
  EXPECT_EQ(line.flags->secure_serving.certificate_file, "c");
  EXPECT_EQ(line.flags->secure_serving.key_file, "k");
  EXPECT_EQ(read_command_line({"--bind-address="}).flags->secure_serving.bind_address, "");
}

TEST(Flags, CertificateNeedsItsKeyAndAPortThatShowsIt) {
  using Words = std::vector<std::string>;
  const auto why_not = [](const Words& given) { return read_command_line(given).text; };
  EXPECT_EQ(why_not({"--secure-port=1", "--tls-cert-file=c"}),
            "node-lifecycle-controller: invalid value \"c\" for --tls-cert-file: must be given "
            "together with --tls-private-key-file\n");
  EXPECT_EQ(why_not({"--secure-port=1", "--tls-private-key-file=k"}),
            "node-lifecycle-controller: invalid value \"k\" for --tls-private-key-file: must be "
            "given together with --tls-cert-file\n");
  EXPECT_EQ(why_not({"--tls-cert-file=c", "--tls-private-key-file=k"}),
            "node-lifecycle-controller: invalid value \"c\" for --tls-cert-file: must be given "
            "together with --secure-port, from 1 to 65535\n");
  EXPECT_EQ(why_not({"--secure-port=65536"}),
            "node-lifecycle-controller: invalid value \"65536\" for --secure-port: must be a whole "
            "number from 0 to 65535\n");
}

TEST(Flags, VerbosityMayBeWrittenInEveryWayOfKlog) {
  for (const std::vector<std::string>& given : std::vector<std::vector<std::string>>{
           {"-v=2"}, {"-v", "2"}, {"-v2"}, {"--v=2"}, {"--v", "2"}}) {
    const CommandLine line = read_command_line(given);
    ASSERT_TRUE(line.flags) << line.text;
    EXPECT_EQ(line.flags->log_level, LogLevel::Debug) << given.front();
  }
}

TEST(Flags, GivenTwiceHaveTheirLastValue) {
  const CommandLine line = read_command_line(
      {"-v=2", "--v=0", "--node-eviction-rate=1", "--node-eviction-rate", "0.5",
       "--leader-elect=false", "--leader-elect=true", "--leader-elect=false", "--kubeconfig=a",
       "--kubeconfig=b", "--large-cluster-size-threshold=1", "--large-cluster-size-threshold=2",
       "--on-lost=exit", "--on-lost=recontest", "--node-monitor-period=1s",
       "--node-monitor-period=3s"});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_EQ(line.flags->log_level, LogLevel::Info);
  EXPECT_EQ(line.flags->loop.policy.eviction_rate, 0.5);
  EXPECT_FALSE(line.flags->leader_elect.enabled);
  EXPECT_EQ(line.flags->kubeconfig, "b");
  EXPECT_EQ(line.flags->loop.policy.large_zone, 2);
  EXPECT_EQ(line.flags->leader_elect.on_lost, OnLost::Recontest);
  EXPECT_EQ(line.flags->loop.policy.monitor_period, 3s);
}

TEST(Flags, ListsGivenTwiceAddUp) {
  const CommandLine line =
      read_command_line({"--controllers=*", "--controllers=-taint-eviction-controller"});
  ASSERT_TRUE(line.flags) << line.text;
  EXPECT_TRUE(line.flags->loop.controllers.node_lifecycle);
  EXPECT_FALSE(line.flags->loop.controllers.taint_eviction);
}

TEST(Flags, ElectionKeepsTheMemoryOfAStandbyUnlessToldOtherwise) {
  const LeaderElectFlags elect = read_command_line({}).flags->leader_elect;
  EXPECT_EQ(elect.resource_lock, "leases");
  EXPECT_EQ(elect.on_lost, OnLost::Recontest);
  EXPECT_EQ(elect.standby, Standby::Warm);
  const LeaderElectFlags told = read_command_line({"--leader-elect-resource-lock=endpointsleases",
                                                   "--on-lost=exit", "--standby=cold"})
                                    .flags->leader_elect;
  EXPECT_EQ(told.resource_lock, "endpointsleases");
  EXPECT_EQ(told.on_lost, OnLost::Exit);
  EXPECT_EQ(told.standby, Standby::Cold);
}

TEST(Flags, ThresholdZeroAndOneAndRateZeroAreAllowed) {
  EXPECT_TRUE(read_command_line({"--unhealthy-zone-threshold=0"}).flags);
  EXPECT_TRUE(read_command_line({"--unhealthy-zone-threshold=1"}).flags);
  EXPECT_TRUE(read_command_line({"--node-eviction-rate=0"}).flags);
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string flag;
  std::string value;
  std::string allowed;
};

class FlagMistakes : public ::testing::TestWithParam<Mistake> {};

TEST_P(FlagMistakes, EndTheStartWithOneLineThatNamesFlagValueAndAllowedRange) {
  const CommandLine line = read_command_line(GetParam().arguments);
  EXPECT_FALSE(line.flags);
  EXPECT_EQ(line.exit_code, 2);
  EXPECT_THAT(line.text, HasSubstr(GetParam().flag));
  EXPECT_THAT(line.text, HasSubstr(GetParam().value));
  EXPECT_THAT(line.text, HasSubstr(GetParam().allowed));
  EXPECT_EQ(std::ranges::count(line.text, '\n'), 1);
}

INSTANTIATE_TEST_SUITE_P(
    Each, FlagMistakes,
    ::testing::Values(
        Mistake{{"--node-monitor-grace-period=banana"},
                "--node-monitor-grace-period",
                "banana",
                "greater than 0"},
        Mistake{{"--node-monitor-grace-period=-5s"},
                "--node-monitor-grace-period",
                "-5s",
                "greater than 0"},
        Mistake{{"--node-monitor-grace-period=87601h"},
                "--node-monitor-grace-period",
                "87601h",
                "at most 87600h"},
        Mistake{{"-v=loud"}, "--v", "\"loud\"", "whole number"},
        Mistake{{"-v=1.5"}, "--v", "1.5", "whole number"},
        Mistake{{"--node-monitor-period=banana", "--node-monitor-period=5s"},
                "--node-monitor-period",
                "banana",
                "greater than 0"},
        Mistake{{"--node-monitor-period="}, "--node-monitor-period", "\"\"", "greater than 0"},
        Mistake{{"--controllers="}, "--controllers", "\"\"", "not known here"},
        Mistake{{"--leader-elect-resource-name="},
                "--leader-elect-resource-name",
                "\"\"",
                "must not be empty"},
        Mistake{{"--node-monitor-period=0"}, "--node-monitor-period", "0", "greater than 0"},
        Mistake{{"--node-eviction-rate=-1"}, "--node-eviction-rate", "-1", "0 or greater"},
        Mistake{{"--node-eviction-rate=inf"}, "--node-eviction-rate", "inf", "finite"},
        Mistake{{"--node-eviction-rate=nan"}, "--node-eviction-rate", "nan", "finite"},
        Mistake{
            {"--unhealthy-zone-threshold=1.1"}, "--unhealthy-zone-threshold", "1.1", "from 0 to 1"},
        Mistake{{"--large-cluster-size-threshold=-1"},
                "--large-cluster-size-threshold",
                "-1",
                "0 or greater"},
        Mistake{{"--kube-api-burst=many"}, "--kube-api-burst", "many", "whole number"},
        Mistake{{"--leader-elect=perhaps"}, "--leader-elect", "perhaps", ""},
        Mistake{{"--leader-elect="}, "--leader-elect", "\"\"", "true or false"},
        Mistake{{"--observe="}, "--observe", "\"\"", "true or false"},
        Mistake{{"--leader-elect-resource-lock=pods"},
                "--leader-elect-resource-lock",
                "pods",
                "endpointsleases"},
        Mistake{{"--leader-elect-resource-name=../x"},
                "--leader-elect-resource-name",
                "../x",
                "253 at most"},
        Mistake{{"--leader-elect-resource-name=a..b"},
                "--leader-elect-resource-name",
                "a..b",
                "253 at most"},
        Mistake{{"--leader-elect-resource-namespace=kube.system"},
                "--leader-elect-resource-namespace",
                "kube.system",
                "63 at most"},
        Mistake{{"--node-monitor-period=5s\n6s"}, "--node-monitor-period", "5s 6s", ""},
        Mistake{{"--on-lost=cry"}, "--on-lost", "cry", "recontest or exit"},
        Mistake{{"--standby=hot"}, "--standby", "hot", "warm or cold"},
        Mistake{{"--leader-elect-lease-duration=1500ms"},
                "--leader-elect-lease-duration",
                "1.5s",
                "whole seconds"},
        Mistake{{"--leader-elect-lease-duration=10s"},
                "--leader-elect-lease-duration",
                "10s",
                "--leader-elect-renew-deadline"},
        Mistake{{"--leader-elect-retry-period=9s"}, "--leader-elect-renew-deadline", "10s", "1.2"},
        Mistake{{"--logging-format=xml"}, "--logging-format", "xml", "text or json"},
        Mistake{{"--no-such-flag=1"}, "--no-such-flag", "1", "--help"},
        Mistake{{"stray"}, "stray", "", "--help"}));

TEST(Flags, HelpIsGroupedAndTeaches) {
  const CommandLine line = read_command_line({"--help"});
  EXPECT_EQ(line.exit_code, 0);
  for (const char* part : {"Judging nodes", "Pace of evictions", "API server", "Leader election",
                           "Operations", "Examples:", "--node-monitor-grace-period", "50s"}) {
    EXPECT_THAT(line.text, HasSubstr(part));
  }
}

TEST(Flags, VersionIsTold) {
  const CommandLine line = read_command_line({"--version"});
  EXPECT_EQ(line.exit_code, 0);
  EXPECT_THAT(line.text, HasSubstr("node-lifecycle-controller "));
}

}  // namespace
}  // namespace nlc::program

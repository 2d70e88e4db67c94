#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <ostream>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "net/credentials/self_made_certificate.h"
#include "net/http_server/http_server.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "sim/apiserver/api_server.h"
#include "tests/net/child_process.h"
#include "tests/net/log_pipe.h"
#include "tests/net/temporary_folder.h"

/// The programs as processes, against an embedded server on a port: what they do when the system
/// denies them something.
namespace nlc::tests {
namespace {

using std::chrono_literals::operator""s;

struct Cluster {
  Cluster() {
    auto listening = net::HttpServer::listen(loop, api, {.host = "127.0.0.1", .port = 0});
    if (!listening) throw std::runtime_error(listening.error().path);
    port = std::move(*listening);
    kubeconfig = folder.write("kubeconfig", kubeconfig_for(port->address()));
  }

  bool until(const std::function<bool()>& condition) { return loop.run_until(condition, 20s); }

  net::SystemClock clock;
  net::AsioLoop loop{clock};
  sim::ApiServer api{clock, loop, {}};
  TemporaryFolder folder;
  std::string kubeconfig;
  std::unique_ptr<net::HttpServer> port;
};

struct Leader {
  const char* name;
  std::vector<std::string> (*words)(const std::string& kubeconfig);
};

std::ostream& operator<<(std::ostream& out, const Leader& leader) { return out << leader.name; }

const std::vector<Leader> leaders = {
    {"Controller",
     [](const std::string& kubeconfig) {
       return std::vector<std::string>{NLC_CONTROLLER_PROGRAM, "--kubeconfig", kubeconfig,
                                       "--metrics-bind-address", "127.0.0.1:0"};
     }},
    {"Sidecar", [](const std::string& kubeconfig) {
       return std::vector<std::string>{NLC_SIDECAR_PROGRAM, "--kubeconfig", kubeconfig,
                                       "--election", "example"};
     }}};

class LeaderProcess : public testing::TestWithParam<Leader> {
 protected:
  LeaderProcess() {
    cluster.api.options().observe = [this](const sim::ServedRequest& request) {
      if (request.body.find("\"holderIdentity\":") == std::string::npos) return;
      ++held;
      given_back = request.body.find("\"holderIdentity\":\"\"") != std::string::npos;
    };
  }

  void leads_and_gives_its_lease_back(const std::function<void()>& meanwhile = [] {}) {
    ChildProcess leader(GetParam().words(cluster.kubeconfig), STDERR_FILENO, log.entry());
    ASSERT_TRUE(cluster.until([this] { return held >= 1; }));
    meanwhile();
    ASSERT_TRUE(cluster.until([this] { return held >= 2; }));
    leader.terminate();
    ASSERT_TRUE(cluster.until([&] { return leader.ended(); }));
    EXPECT_EQ(leader.exit_code(), 0);
    EXPECT_TRUE(given_back);
  }

  Cluster cluster;
  LogPipe log;
  int held = 0;  ///< writes of the lock
  bool given_back = false;
};

TEST_P(LeaderProcess, OutlivesTheReaderOfItsLog) {
  leads_and_gives_its_lease_back([this] { log.leave(); });
}

TEST_P(LeaderProcess, LeadsThoughNobodyReadsItsLog) {
  log.fill();
  leads_and_gives_its_lease_back();
}

INSTANTIATE_TEST_SUITE_P(Programs, LeaderProcess, testing::ValuesIn(leaders),
                         [](const auto& leader) { return leader.param.name; });

TEST(Programs, TooFewFileDescriptorsEndThemWithOneLine) {
  Cluster cluster;
  const std::string flags = " --kubeconfig " + cluster.kubeconfig;
  for (const std::string& program :
       {NLC_CONTROLLER_PROGRAM + flags, NLC_SIDECAR_PROGRAM + flags + " --election example",
        NLC_WORKBENCH_PROGRAM + std::string(" cluster")}) {
    LogPipe log;
    ChildProcess started({"/bin/sh", "-c", "exec 3>&- 4>&- 5>&-; ulimit -n 6; exec " + program},
                         STDERR_FILENO, log.entry());
    ASSERT_TRUE(cluster.until([&] { return started.ended(); })) << program;
    EXPECT_EQ(started.exit_code(), 1) << program;
    ASSERT_TRUE(log.says("too many open files (ulimit -n 6)")) << program << ": " << log.said;
    EXPECT_EQ(log.said.find("terminate"), std::string::npos) << log.said;
  }
}

/// The exit code of a line of a shell.
int shell(const std::string& line) {
  const int status = std::system(("bash -c '" + line + "'").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const std::string workbench = NLC_WORKBENCH_PROGRAM;
const std::string reboot = NLC_SOURCE_DIR "/docs/scenarios/reboot.yaml";
const std::string renewals = NLC_SOURCE_DIR "/docs/experiments/lost-renewals.yaml";

TEST(Programs, SayWhyTheirHelpOrVersionCannotBeWritten) {
  for (const std::string program :
       {NLC_CONTROLLER_PROGRAM, NLC_SIDECAR_PROGRAM, NLC_WORKBENCH_PROGRAM}) {
    for (const std::string flag : {" --help", " --version"}) {
      EXPECT_EQ(shell(program + flag + " > /dev/full 2> /dev/null"), 1) << program << flag;
      EXPECT_EQ(shell(program + flag +
                      " 2>&1 > /dev/full | grep --quiet --line-regexp -e "
                      "\"[a-z-]*: cannot write to stdout: No space left on device\""),
                0)
          << program << flag;
    }
  }
}

/// No connection could be made with it. What else ends the start: tests/net/config.
TEST(Programs, EndWithOneLineWhereTheKeyOfAKubeconfigIsAnotherCertificates) {
  const TemporaryFolder folder;
  folder.write("c.crt", net::self_made_certificate("one")->certificate);
  folder.write("c.key", net::self_made_certificate("another")->key);
  const std::string file = folder.write(
      "config",
      "current-context: c\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\n"
      "contexts: [{name: c, context: {cluster: c, user: u}}]\n"
      "users: [{name: u, user: {client-certificate: c.crt, client-key: c.key}}]\n");
  const std::string said = folder.path("said");
  for (const std::string& program :
       {std::string(NLC_CONTROLLER_PROGRAM),
        NLC_SIDECAR_PROGRAM + std::string(" --election example"), workbench + " hollow"}) {
    const std::string line = "timeout 20 " + program + " --kubeconfig " + file;
    EXPECT_EQ(shell(line + " < /dev/null > " + said + " 2>&1"), 1) << program;
    EXPECT_EQ(shell("test $(wc --lines < " + said + ") = 1"), 0) << program;
    EXPECT_EQ(
        shell("grep --quiet -e \"kubeconfig " + file +
              ": user .u.: client-key: .*it does not belong to client-certificate: \" " + said),
        0)
        << program;
  }
}

TEST(Workbench, AFlagBeforeTheCommandIsNamed) {
  EXPECT_EQ(shell(workbench + " --nodes 50 cluster 2> /dev/null"), 2);
  EXPECT_EQ(
      shell(workbench + " --nodes 50 cluster 2>&1 | grep --quiet -e "
                        "\"--nodes. is no flag of nlc itself; a command comes first: cluster\""),
      0);
}

TEST(Workbench, AReportThatCannotBeWrittenSaysWhy) {
  const TemporaryFolder folder;
  EXPECT_EQ(shell(workbench + " cluster --kubeconfig " + folder.path("config") +
                  " --report /nowhere/report 2>&1 | grep --quiet -e "
                  "\"cannot write /nowhere/report: No such file or directory\""),
            0);
}

TEST(Workbench, WhyTakesAZoneThatBeginsWithAHyphenForNoFlagWhereverItStands) {
  const std::string server = " --server http://127.0.0.1:1";
  const auto is_asked = [](const std::string& words) {
    return shell(workbench + " why " + words +
                 " 2>&1 | grep --quiet -e \"http://127.0.0.1:1: connection refused\"") == 0;
  };
  for (const std::string zone : {"-/-", "-/zone-a", "-", "eu/-"}) {
    EXPECT_TRUE(is_asked("zone " + zone + server)) << zone;
    EXPECT_TRUE(is_asked("zone " + zone + server + " -o json")) << zone;
    EXPECT_TRUE(is_asked(server + " zone -- " + zone)) << zone;
  }
  EXPECT_EQ(shell(workbench + " why zone -/- another" + server + " 2> /dev/null"), 2);
  EXPECT_EQ(shell(workbench + " why zone -x" + server + " 2> /dev/null"), 2);
  EXPECT_EQ(shell(workbench + " why --server -/x 2>&1 | grep --quiet -e "
                              "\"server -/x: must be a URL\""),
            0)
      << "behind a flag it is the value";
}

TEST(Workbench, WhyTakesKubectlsFormsAndANameThatNoPodHasIsAnErrorOfUsage) {
  const std::string server = " --server http://127.0.0.1:1 2> /dev/null";
  for (const std::string asked : {"node/n", "nodes n", "pod/shop/app"}) {
    EXPECT_EQ(shell(workbench + " why " + asked + server), 1) << asked;
  }
  for (const std::string asked : {"pod a/b/c", "pod /x", "pod hollow/", "job/x"}) {
    EXPECT_EQ(shell(workbench + " why " + asked + server), 2) << asked;
  }
}

/// What `nlc why` says, in one line with `words`, where kubectl does that when it is asked for the
/// lock, and forwards no port because there is no such pod.
bool why_says(const std::string& asked_for_lock, const std::string& words) {
  TemporaryFolder folder;
  const std::string kubectl = folder.write(
      "kubectl", "#!/bin/sh\ncase \"$*\" in *\"get lease\"*) " + asked_for_lock +
                     ";;\n*) echo \"Error from server (NotFound): pods not found\"; exit 1;; "
                     "esac\n");
  std::filesystem::permissions(kubectl, std::filesystem::perms::owner_all);
  return shell("PATH=" + folder.path("") + ":$PATH KUBECONFIG=any " + workbench +
               " why 2>&1 | grep --quiet -e \"" + words + "\"") == 0;
}

std::string held_by(const std::string& holder, const std::string& renewed = "now") {
  return "printf %s \"15 $(date --utc --date='" + renewed + "' +%FT%T.000000Z) " + holder + "\"";
}

std::string fails_with(const std::string& words) { return "echo '" + words + "'; exit 1"; }

/// By systemd.
TEST(Workbench, WhyNamesTheStatusPortWhereTheLeaderIsNoPod) {
  EXPECT_TRUE(why_says(held_by("machine-1_0123"),
                       "machine-1, is no pod in kube-system; ask its status port"));
}

TEST(Workbench, WhySaysThatNobodyLeadsWhereTheLeadersPodHasGoneAndTheLeaseExpired) {
  EXPECT_TRUE(why_says(held_by("pod-1_0123", "10 minutes ago"),
                       "nobody leads: Lease kube-system/node-lifecycle-controller was last renewed "
                       "10m[0-9]s ago by pod-1, which is gone"));
}

TEST(Workbench, WhySaysThatNobodyLeadsWhereTheLockIsHeldByHand) {
  EXPECT_TRUE(why_says(held_by("handover"),
                       "nobody leads: Lease kube-system/node-lifecycle-controller is held by "
                       "handover, which is no pod in kube-system"));
  EXPECT_TRUE(why_says(held_by("_0123"), "is held by _0123, which is no pod in kube-system"));
  EXPECT_TRUE(why_says(held_by(""), "nobody leads: Lease .* has no holder"));
}

TEST(Workbench, WhyNamesTheRightsWhereOneIsMissingAndElseWhatKubectlSaid) {
  EXPECT_TRUE(why_says(fails_with("Error from server (Forbidden): leases is forbidden"),
                       "(Forbidden): leases is forbidden (needed are get on leases and pods "));
  EXPECT_TRUE(why_says(fails_with("The connection to the server was refused"),
                       "node-lifecycle-controller: The connection to the server was refused$"));
}

TEST(Workbench, WhySaysThatThereIsNoLeaseAndNamesTheStatusPort) {
  EXPECT_TRUE(why_says(fails_with("Error from server (NotFound): leases not found"),
                       "there is no Lease kube-system/node-lifecycle-controller: .*"
                       "--leader-elect=false .* --server http://127.0.0.1:10291"));
}

TEST(Programs, SayTheirNameAndVersion) {
  EXPECT_EQ(shell(workbench + " --version | grep --quiet --line-regexp -e \"nlc [0-9.]*\""), 0);
  EXPECT_EQ(shell(NLC_CONTROLLER_PROGRAM " --version | grep --quiet --line-regexp -e "
                                         "\"node-lifecycle-controller [0-9.]*\""),
            0);
}

TEST(Workbench, WhoLosesNoPowerGetsNoneBack) {
  for (const std::string command : {"cluster", "hollow"}) {
    EXPECT_EQ(shell(workbench + " " + command +
                    " --revive-after 5s 2>&1 | grep --quiet -e \"5s.* for --revive-after: must be "
                    "given together with --kill or --kill-zone\""),
              0)
        << command;
    EXPECT_EQ(shell(workbench + " " + command + " --revive-after 5s 2> /dev/null"), 2) << command;
  }
}

TEST(Workbench, WhoseOutputCannotBeWrittenDoesNotEndWithZero) {
  for (const std::string& words : std::vector<std::string>{
           "--help", "scenario --help", "scenario " + reboot, "scenario --json " + reboot,
           "experiment --seeds 1 --vary node-monitor-period=2s " + renewals, "fuzz --seeds 1",
           "cluster --port 0 --nodes 1 --kubeconfig /dev/null"}) {
    EXPECT_EQ(shell(workbench + " " + words + " > /dev/full 2> /dev/null"), 1) << words;
  }
}

TEST(Workbench, APageOrAPictureOfSeveralCasesNamesTheFlagThatChooses) {
  const TemporaryFolder folder;
  for (const std::string& flag :
       {"--page " + folder.path("run.html"), "--gantt " + folder.path("run.svg")}) {
    EXPECT_EQ(shell(workbench + " scenario " + reboot + " " + flag +
                    " 2>&1 | grep --quiet -e \"--only names the one: REBOOT-1, REBOOT-2\""),
              0)
        << flag;
    EXPECT_EQ(shell(workbench + " scenario " + reboot + " " + flag + " 2> /dev/null"), 2) << flag;
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(Workbench, APageOrAPictureThatCannotBeWrittenDoesNotEndWithZero) {
  for (const std::string flag : {"--page /nowhere/run.html", "--gantt /nowhere/run.svg"}) {
    EXPECT_EQ(shell(workbench + " scenario " + reboot + " --only REBOOT-1 " + flag +
                    " 2>&1 | grep --quiet \"cannot write /nowhere/run\""),
              0)
        << flag;
    EXPECT_EQ(
        shell(workbench + " scenario " + reboot + " --only REBOOT-1 " + flag + " > /dev/null 2>&1"),
        1)
        << flag;
  }
}

TEST(Workbench, WhereTheOutcomeOfLongWorkCannotBeWrittenItIsNotBegun) {
  const std::string long_work = "timeout 20 " + workbench;
  for (const std::string flag : {"--csv /nowhere/o.csv", "--json /nowhere/o.json",
                                 "--plot /nowhere/o.svg", "--page /nowhere/o.html"}) {
    EXPECT_EQ(shell(long_work + " experiment --seeds 1000 --vary node-monitor-period=2s " +
                    renewals + " " + flag + " 2> /dev/null"),
              1)
        << flag;
  }
  for (const char* nowhere : {"/dev/null", "/dev/null/found", "/proc/found"}) {
    EXPECT_EQ(shell(long_work + " fuzz --seeds 1000000 --out " + nowhere + " 2> /dev/null"), 2)
        << nowhere;
  }
}

TEST(Workbench, WhatIsReadIsNotWrittenOverNorIsOneOutcomeOverAnother) {
  const TemporaryFolder folder;
  std::filesystem::copy(renewals, folder.path("read.yaml"));
  std::filesystem::copy(renewals, folder.path("read.svg"));
  const std::string experiment = " experiment --seeds 1 --vary node-monitor-period=2s ";
  const std::string read = folder.path("read.yaml");
  const std::string same = folder.path("same");
  for (const std::string& words :
       {experiment + read + " --csv " + read,
        experiment + read + " --json " + folder.path("./read.yaml"),
        experiment + read + " --csv " + same + " --json " + same,
        " scenario " + folder.path("read.svg") + " --only LOST-RENEWALS --gantt " +
            folder.path("read.svg")}) {
    EXPECT_EQ(shell(workbench + words + " > /dev/null 2>&1"), 1) << words;
    EXPECT_EQ(shell(workbench + words + " 2>&1 | grep --quiet \"cannot write .*: it is \""), 0)
        << words;
    EXPECT_EQ(shell("cmp " + renewals + " " + read), 0) << words;
    EXPECT_EQ(shell("cmp " + renewals + " " + folder.path("read.svg")), 0) << words;
    EXPECT_FALSE(std::filesystem::exists(same));
  }
}

TEST(Workbench, AnExperimentThatIsInterruptedLeavesNothing) {
  const TemporaryFolder folder;
  EXPECT_EQ(shell("timeout --foreground --preserve-status --signal=INT 2 " + workbench +
                  " experiment --seeds 100000 --vary node-monitor-period=2s " + renewals +
                  " --json " + folder.path("new.json") + " > /dev/null 2>&1"),
            1);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path("")));
}

TEST(Workbench, ADemonstrationThatNobodyReadsEndsAndLeavesNothing) {
  const TemporaryFolder folder;
  const std::string demo = "set -o pipefail; TMPDIR=" + folder.path("") + " timeout 60 " +
                           workbench + " demo --controller " NLC_CONTROLLER_PROGRAM " 2> /dev/null";
  for (const std::string reader : {" | head -1 > /dev/null", " > /dev/full"}) {
    EXPECT_EQ(shell(demo + reader), 1) << reader;
    EXPECT_TRUE(std::filesystem::is_empty(folder.path(""))) << reader;
  }
}

TEST(Workbench, ADemonstrationWithoutAFolderForItsFilesNamesItAndWritesNowhereElse) {
  const TemporaryFolder folder;
  const std::string demo = "cd " + folder.path("") + " && TMPDIR=/nowhere timeout 60 " + workbench +
                           " demo --controller " NLC_CONTROLLER_PROGRAM;
  EXPECT_EQ(shell(demo + " > /dev/null 2>&1"), 1);
  EXPECT_EQ(shell(demo + " 2>&1 | grep --quiet -e "
                         "\"cannot make a folder in /nowhere, .*: No such file or directory\""),
            0);
}

TEST(Workbench, AKubeconfigThatSomebodyElseWroteStays) {
  TemporaryFolder folder;
  const std::string file = folder.write("config", "mine\n");
  EXPECT_EQ(shell("timeout 20 " + workbench + " cluster --port 0 --kubeconfig " + file +
                  " > /dev/null 2>&1"),
            1);
  EXPECT_EQ(shell("test \"$(cat " + file + ")\" = mine"), 0);
}

TEST(Workbench, HollowNodesComeToAnotherMachinesServerOnlyWhenSomebodySaysSo) {
  TemporaryFolder folder;
  const std::string file = folder.write("config", kubeconfig_for("192.0.2.1:6443"));
  EXPECT_EQ(shell("timeout 5 " + workbench + " hollow --kubeconfig " + file +
                  " < /dev/null 2>&1 | grep --quiet -e --yes"),
            0);
}

}  // namespace
}  // namespace nlc::tests

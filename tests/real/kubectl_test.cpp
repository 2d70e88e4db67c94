#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/real/rig/kubectl_suite.h"
#include "tests/real/rig/waiting.h"

/// What kubectl, of whichever release, shows of the embedded cluster. The exact words are those
/// that it prints before kube-apiserver 1.37.1.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::MatchesRegex;
using ::testing::SizeIs;
using ::testing::StartsWith;

TEST_F(Kubectl, FindsAServerOfTheReleaseThatItAnswersAs) {
  EXPECT_THAT(lines_of(done({"version"})),
              IsSupersetOf({MatchesRegex("Client Version: v1\\.[0-9]+\\.[0-9]+"),
                            MatchesRegex("Server Version: v1\\.37\\.1")}));
}

TEST_F(Kubectl, ListsTheResourcesThatThereAre) {
  EXPECT_THAT(
      lines_of(done({"api-resources"})),
      ElementsAre("NAME SHORTNAMES APIVERSION NAMESPACED KIND", "configmaps cm v1 true ConfigMap",
                  "endpoints ep v1 true Endpoints", "events ev v1 true Event",
                  "namespaces ns v1 false Namespace", "nodes no v1 false Node",
                  "pods po v1 true Pod", "serviceaccounts sa v1 true ServiceAccount",
                  "daemonsets ds apps/v1 true DaemonSet",
                  "leases coordination.k8s.io/v1 true Lease"));
}

TEST_F(Kubectl, GetsNodesWithTheUsualColumns) {
  const auto lines = lines_of(done({"get", "nodes"}));
  ASSERT_THAT(lines, SizeIs(51));
  EXPECT_EQ(lines[0], "NAME STATUS ROLES AGE VERSION");
  EXPECT_THAT(lines[1], MatchesRegex("hollow-0 Ready(,[A-Za-z]+)? <none> [0-9]+s v1\\.37\\.1"));
}

TEST_F(Kubectl, GetsWideNodesWithAddressesAndSystems) {
  const auto lines = lines_of(done({"get", "node", "hollow-1", "-o", "wide"}));
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0],
            "NAME STATUS ROLES AGE VERSION INTERNAL-IP EXTERNAL-IP OS-IMAGE KERNEL-VERSION "
            "CONTAINER-RUNTIME");
  EXPECT_THAT(lines[1], AllOf(StartsWith("hollow-1 Ready <none>"), HasSubstr(" 10.0.0.2 <none> ")));
}

TEST_F(Kubectl, GetsAllPodsRunningEachOnItsNode) {
  const auto lines = lines_of(done({"get", "pods", "-A", "-o", "wide"}));
  EXPECT_GE(lines.size(), 130u);  // other tests may have deleted some
  EXPECT_EQ(lines[0],
            "NAMESPACE NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE READINESS GATES");
  EXPECT_THAT(lines, ::testing::Contains(MatchesRegex(
                         "hollow hollow-2-0 1/1 Running 0 [0-9]+s 10\\.128\\.2\\.[0-9]+ hollow-2 "
                         "<none> <none>")));
}

TEST_F(Kubectl, SelectsByLabelsAndFields) {
  const std::string zone = "topology.kubernetes.io/zone";
  EXPECT_THAT(lines_of(done({"get", "nodes", "-o", "name", "-l", zone + "=zone-a"})), SizeIs(17));
  EXPECT_THAT(lines_of(done({"get", "nodes", "-o", "name", "-l", zone + " notin (zone-a)"})),
              SizeIs(33));
  EXPECT_EQ(done({"get", "pods", "-A", "-o", "name", "--field-selector", "spec.nodeName=hollow-3"}),
            "pod/hollow-3-0\npod/hollow-3-1\npod/hollow-3-2");
  EXPECT_EQ(
      refused({"get", "pods", "--field-selector", "spec.nonsense=1"}),
      "Error from server (BadRequest): Unable to find \"/v1, Resource=pods\" that match label "
      "selector \"\", field selector \"spec.nonsense=1\": field label not supported: "
      "spec.nonsense");
}

TEST_F(Kubectl, GetsAListInChunks) {
  const auto lines = lines_of(done({"get", "nodes", "--chunk-size=7", "-o", "name"}));
  EXPECT_THAT(lines, SizeIs(50));
  const KubectlAnswer spoken = cluster().kubectl({"get", "nodes", "--chunk-size=20", "-v=6"});
  EXPECT_THAT(spoken.errors, AllOf(HasSubstr("limit=20"), HasSubstr("continue=")));
}

TEST_F(Kubectl, ShowsAnObjectAsYamlAndByJsonPath) {
  EXPECT_THAT(done({"get", "node", "hollow-4", "-o", "yaml"}),
              AllOf(StartsWith("apiVersion: v1\nkind: Node\nmetadata:\n"),
                    HasSubstr("\n    message: kubelet is posting ready status\n")));
  EXPECT_EQ(done({"get", "node", "hollow-4", "-o",
                  "jsonpath={.status.conditions[?(@.type==\"Ready\")].status}"}),
            "True");
}

TEST_F(Kubectl, DescribesANodeWithItsLeaseConditionsAndPods) {
  const std::string text = done({"describe", "node", "hollow-5"});
  EXPECT_THAT(
      lines_of(text),
      IsSupersetOf({MatchesRegex("Name: hollow-5"), MatchesRegex("Taints: <none>"),
                    MatchesRegex("Unschedulable: false"), MatchesRegex("HolderIdentity: hollow-5"),
                    MatchesRegex("RenewTime: .+"),
                    MatchesRegex("Ready True .* KubeletReady kubelet is posting ready status"),
                    MatchesRegex("Non-terminated Pods: \\(3 in total\\)"),
                    MatchesRegex("hollow hollow-5-2 10m \\(0%\\) .*"),
                    MatchesRegex("Events: <none>")}));
}

TEST_F(Kubectl, DescribesAPodWithItsTolerations) {
  EXPECT_THAT(lines_of(done({"describe", "pod", "hollow-5-0", "-n", "hollow"})),
              IsSupersetOf({std::string("Name: hollow-5-0"), std::string("Status: Running"),
                            std::string("Tolerations: node.kubernetes.io/not-ready:NoExecute "
                                        "op=Exists for 300s"),
                            std::string("node.kubernetes.io/unreachable:NoExecute op=Exists for "
                                        "300s")}));
}

TEST_F(Kubectl, IsToldWhatThereIsNot) {
  EXPECT_EQ(refused({"get", "nonsense"}),
            "error: the server doesn't have a resource type \"nonsense\"");
  EXPECT_EQ(refused({"get", "node", "nope"}),
            "Error from server (NotFound): nodes \"nope\" not found");
  EXPECT_EQ(refused({"describe", "pod", "nope"}),
            "Error from server (NotFound): pods \"nope\" not found");
  EXPECT_EQ(refused({"delete", "pod", "nope", "-n", "hollow"}),
            "Error from server (NotFound): pods \"nope\" not found");
  EXPECT_EQ(refused({"get", "pod", "nope", "-n", "nowhere"}),
            "Error from server (NotFound): namespaces \"nowhere\" not found");
  EXPECT_EQ(refused({"get", "--raw", "/api/v1/nonsense"}),
            "Error from server (NotFound): the server could not find the requested resource");
  EXPECT_EQ(done({"get", "pods", "-n", "nowhere"}), "");
}

TEST_F(Kubectl, WatchesANodeAndSeesItsChange) {
  Process watch = cluster().start_kubectl({"get", "node", "hollow-6", "-w"});
  EXPECT_TRUE(await(10s, [&] { return lines_of(watch.output()).size() == 2; })) << watch.output();
  done({"cordon", "hollow-6"});
  EXPECT_TRUE(await(10s, [&] { return lines_of(watch.output()).size() == 3; })) << watch.output();
  EXPECT_THAT(lines_of(watch.output()).back(), StartsWith("hollow-6 Ready,SchedulingDisabled "));
}

TEST_F(Kubectl, WatchesADeletionToItsEnd) {
  Process watch =
      cluster().start_kubectl({"get", "pods", "-n", "hollow", "--field-selector",
                               "spec.nodeName=hollow-7", "-w", "--output-watch-events"});
  EXPECT_TRUE(await(10s, [&] { return lines_of(watch.output()).size() == 4; })) << watch.output();
  done({"delete", "pod", "hollow-7-0", "-n", "hollow", "--grace-period=1"});
  const auto gone = [&] {
    return lines_of(watch.output()).back().starts_with("DELETED hollow-7-0");
  };
  EXPECT_TRUE(await(10s, gone)) << watch.output();
  EXPECT_THAT(lines_of(watch.output()),
              ::testing::Contains(StartsWith("MODIFIED hollow-7-0 1/1 Terminating")));
}

TEST_F(Kubectl, WaitsForConditions) {
  EXPECT_EQ(done({"wait", "--for=condition=Ready", "node/hollow-8", "--timeout=5s"}),
            "node/hollow-8 condition met");
  EXPECT_EQ(refused({"wait", "--for=condition=Nonsense", "node/hollow-8", "--timeout=1s"}),
            "error: timed out waiting for the condition on nodes/hollow-8");
}

}  // namespace
}  // namespace nlc::real

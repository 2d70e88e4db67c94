#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/real/rig/kubectl_suite.h"

/// What a current kubectl does to the embedded cluster.
namespace nlc::real {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

std::string configmap(const std::string& name_and_namespace, const std::string& data) {
  return "apiVersion: v1\nkind: ConfigMap\nmetadata: {" + name_and_namespace + "}\ndata: {" + data +
         "}\n";
}

TEST_F(Kubectl, TaintsANodeAndTakesTheTaintBack) {
  const std::vector<std::string> shown{"get", "node", "hollow-10", "-o", "jsonpath={.spec.taints}"};
  EXPECT_EQ(done({"taint", "node", "hollow-10", "key=value:NoSchedule"}), "node/hollow-10 tainted");
  EXPECT_EQ(done(shown), R"([{"effect":"NoSchedule","key":"key","value":"value"}])");
  EXPECT_EQ(refused({"taint", "node", "hollow-10", "key=other:NoSchedule"}),
            "error: node hollow-10 already has key taint(s) with same effect(s) and --overwrite is "
            "false");
  done({"taint", "node", "hollow-10", "key=other:NoSchedule", "--overwrite"});
  EXPECT_EQ(done(shown), R"([{"effect":"NoSchedule","key":"key","value":"other"}])");
  EXPECT_EQ(done({"taint", "node", "hollow-10", "key-"}), "node/hollow-10 untainted");
  EXPECT_EQ(done(shown), "");
}

TEST_F(Kubectl, CordonsAndUncordonsANode) {
  EXPECT_EQ(done({"cordon", "hollow-11"}), "node/hollow-11 cordoned");
  EXPECT_EQ(done({"cordon", "hollow-11"}), "node/hollow-11 already cordoned");
  EXPECT_THAT(done({"get", "node", "hollow-11"}), HasSubstr(" Ready,SchedulingDisabled "));
  EXPECT_THAT(done({"get", "nodes", "-o", "name", "--field-selector", "spec.unschedulable=true"}),
              HasSubstr("node/hollow-11"));
  EXPECT_EQ(done({"uncordon", "hollow-11"}), "node/hollow-11 uncordoned");
}

TEST_F(Kubectl, DrainsANodeOfItsPodsOnlyWhenForced) {
  EXPECT_THAT(refused({"drain", "hollow-12", "--ignore-daemonsets"}),
              HasSubstr("cannot delete Pods that declare no controller (use --force to override)"));
  EXPECT_THAT(done({"drain", "hollow-12", "--ignore-daemonsets", "--force", "--grace-period=1"}),
              AllOf(HasSubstr("pod/hollow-12-1 evicted"), HasSubstr("node/hollow-12 drained")));
  EXPECT_EQ(
      done({"get", "pods", "-A", "-o", "name", "--field-selector", "spec.nodeName=hollow-12"}), "");
}

TEST_F(Kubectl, LabelsAndAnnotates) {
  EXPECT_EQ(done({"label", "node", "hollow-13", "fruit=apple"}), "node/hollow-13 labeled");
  EXPECT_EQ(refused({"label", "node", "hollow-13", "fruit=pear"}),
            "error: 'fruit' already has a value (apple), and --overwrite is false");
  EXPECT_EQ(done({"get", "nodes", "-l", "fruit=apple", "-o", "name"}), "node/hollow-13");
  EXPECT_EQ(done({"label", "node", "hollow-13", "fruit-"}), "node/hollow-13 unlabeled");
  EXPECT_THAT(refused({"label", "node", "hollow-13", "fr uit=x"}),
              StartsWith("The Node \"hollow-13\" is invalid: metadata.labels: Invalid value: "
                         "\"fr uit\": name part must consist of"));
  EXPECT_EQ(done({"annotate", "node", "hollow-13", "note=hello"}), "node/hollow-13 annotated");
  EXPECT_EQ(done({"get", "node", "hollow-13", "-o", "jsonpath={.metadata.annotations.note}"}),
            "hello");
}

TEST_F(Kubectl, PatchesInThreeWays) {
  const auto patch = [&](const std::string& type, const std::string& body) {
    return done({"patch", "node", "hollow-14", "--type=" + type, "-p", body});
  };
  EXPECT_EQ(patch("strategic", R"({"metadata":{"labels":{"s":"1"}}})"), "node/hollow-14 patched");
  EXPECT_EQ(patch("merge", R"({"metadata":{"labels":{"m":"2","s":null}}})"),
            "node/hollow-14 patched");
  EXPECT_EQ(patch("json", R"([{"op":"add","path":"/metadata/labels/j","value":"3"}])"),
            "node/hollow-14 patched");
  EXPECT_EQ(patch("merge", R"({"metadata":{"labels":{"m":"2"}}})"),
            "node/hollow-14 patched (no change)");
  EXPECT_EQ(done({"get", "node", "hollow-14", "-o",
                  "jsonpath={.metadata.labels.s}|{.metadata.labels.m}|{.metadata.labels.j}"}),
            "|2|3");
}

TEST_F(Kubectl, PatchesConditionsOfAStatusByTheirType) {
  done({"patch", "node", "hollow-15", "--subresource=status", "-p",
        R"({"status":{"conditions":[{"type":"Tested","status":"True"}]}})"});
  EXPECT_EQ(done({"get", "node", "hollow-15", "-o", "jsonpath={.status.conditions[*].type}"}),
            "Tested MemoryPressure DiskPressure PIDPressure Ready NetworkUnavailable");
}

TEST_F(Kubectl, IsToldWhatIsWrongWithAPatch) {
  const auto patch = [&](const std::string& type, const std::string& body) {
    return refused({"patch", "node", "hollow-15", "--type=" + type, "-p", body});
  };
  EXPECT_EQ(
      patch("strategic", R"({"metadata":{"resourceVersion":"1"}})"),
      "Error from server (Conflict): Operation cannot be fulfilled on nodes \"hollow-15\": the "
      "object has been modified; please apply your changes to the latest version and try "
      "again");
  EXPECT_EQ(
      patch("merge", R"({"metadata":{"name":"other"}})"),
      "Error from server (BadRequest): the name of the object (other) does not match the name "
      "on the URL (hollow-15)");
  EXPECT_EQ(patch("json", R"([{"op":"remove","path":"/nothing/here"}])"),
            "The request is invalid: the server rejected our request due to an error in our "
            "request");
  const KubectlAnswer odd =
      cluster().kubectl({"patch", "node", "hollow-15", "-p", R"({"spec":{"unschedulabel":true}})"});
  EXPECT_EQ(odd.errors, "Warning: unknown field \"spec.unschedulabel\"\n");
  EXPECT_EQ(odd.output, "node/hollow-15 patched (no change)\n");
}

TEST_F(Kubectl, CreatesNamespacesAndConfigMapsFromProtobufBodies) {
  EXPECT_EQ(done({"create", "namespace", "made"}), "namespace/made created");
  EXPECT_EQ(refused({"create", "namespace", "made"}),
            "Error from server (AlreadyExists): namespaces \"made\" already exists");
  EXPECT_THAT(done({"get", "namespace", "made"}), HasSubstr("made   Active"));
  EXPECT_EQ(done({"create", "configmap", "settings", "-n", "made", "--from-literal=a=1",
                  "--from-literal=b=two"}),
            "configmap/settings created");
  EXPECT_EQ(done({"get", "configmap", "settings", "-n", "made", "-o", "jsonpath={.data}"}),
            R"({"a":"1","b":"two"})");
  EXPECT_EQ(refused({"create", "configmap", "settings", "-n", "nowhere"}),
            "error: failed to create configmap: namespaces \"nowhere\" not found");
}

TEST_F(Kubectl, DeletesANamespaceWithAllThatIsInIt) {
  done({"create", "namespace", "leaving"});
  done({"create", "configmap", "settings", "-n", "leaving"});
  EXPECT_EQ(done({"delete", "namespace", "leaving"}), "namespace \"leaving\" deleted");
  EXPECT_EQ(done({"get", "configmaps", "-n", "leaving", "-o", "name"}), "");
  EXPECT_EQ(
      refused({"delete", "namespace", "default"}),
      "Error from server (Forbidden): namespaces \"default\" is forbidden: this namespace may "
      "not be deleted");
}

TEST_F(Kubectl, AppliesOnceAgainAndAnew) {
  done({"create", "namespace", "applied"});
  const auto apply = [](const std::string& data) {
    return done({"apply", "-f", "-"}, configmap("name: c, namespace: applied", data));
  };
  EXPECT_EQ(apply("k: v, l: x"), "configmap/c created");
  EXPECT_EQ(apply("k: v, l: x"), "configmap/c unchanged");
  EXPECT_EQ(apply("k: w"), "configmap/c configured");
  EXPECT_EQ(done({"get", "configmap", "c", "-n", "applied", "-o", "jsonpath={.data}"}),
            R"({"k":"w"})");
  EXPECT_EQ(
      done({"apply", "--server-side", "-f", "-"}, configmap("name: s, namespace: applied", "k: v")),
      "configmap/s serverside-applied");
}

TEST_F(Kubectl, IsToldOfAMistypedFieldAndOfAnUnknownKind) {
  EXPECT_THAT(
      refused({"apply", "-f", "-"},
              "apiVersion: v1\nkind: Pod\nmetadata: {name: typo}\n"
              "spec: {nodeNam: x, containers: [{name: c, image: i, imagePulPolicy: Never}]}\n"),
      HasSubstr("Pod in version \"v1\" cannot be handled as a Pod: strict decoding error: "
                "unknown field \"spec.containers[0].imagePulPolicy\", unknown field "
                "\"spec.nodeNam\""));
  EXPECT_EQ(
      refused({"apply", "-f", "-"}, "apiVersion: v1\nkind: Nonsense\nmetadata: {name: odd}\n"),
      "error: resource mapping not found for name: \"odd\" namespace: \"\" from \"STDIN\": no "
      "matches for kind \"Nonsense\" in version \"v1\"\nensure CRDs are installed first");
}

TEST_F(Kubectl, RunsAPodAndDeletesItWaitingForItsEnd) {
  done({"create", "namespace", "shop"});
  EXPECT_EQ(done({"apply", "-f", "-"},
                 "apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: shop}\n"
                 "spec: {nodeName: hollow-16, terminationGracePeriodSeconds: 1,\n"
                 "       containers: [{name: c, image: nginx}]}\n"),
            "pod/web created");
  EXPECT_EQ(done({"wait", "-n", "shop", "--for=condition=Ready", "pod/web", "--timeout=20s"}),
            "pod/web condition met");
  EXPECT_THAT(lines_of(done({"get", "pod", "web", "-n", "shop"})),
              ElementsAre("NAME READY STATUS RESTARTS AGE", StartsWith("web 1/1 Running 0 ")));
  EXPECT_EQ(done({"delete", "pod", "web", "-n", "shop"}),
            "pod \"web\" deleted from shop namespace");
  EXPECT_EQ(refused({"get", "pod", "web", "-n", "shop"}),
            "Error from server (NotFound): pods \"web\" not found");
}

TEST_F(Kubectl, LeavesMostOfAPodsSpecAsItIs) {
  EXPECT_THAT(refused({"patch", "pod", "hollow-17-0", "-n", "hollow", "-p",
                       R"({"spec":{"nodeName":"other"}})"}),
              StartsWith("The Pod \"hollow-17-0\" is invalid: spec: Forbidden: pod updates may not "
                         "change fields other than `spec.containers[*].image`"));
}

TEST_F(Kubectl, ShowsTheEventsOfAnObject) {
  done({"create", "namespace", "told"});
  done({"create", "-f", "-"},
       "apiVersion: v1\nkind: Event\nmetadata: {name: e, namespace: told}\n"
       "involvedObject: {apiVersion: v1, kind: Pod, name: web, namespace: told}\nreason: Tested\n"
       "message: hello there\ntype: Normal\ncount: 3\nsource: {component: tester}\n"
       "firstTimestamp: \"2026-01-01T00:00:00Z\"\nlastTimestamp: \"2026-01-01T00:10:00Z\"\n");
  EXPECT_THAT(lines_of(done({"events", "-n", "told", "--for", "pod/web"})),
              ElementsAre("LAST SEEN TYPE REASON OBJECT MESSAGE",
                          HasSubstr(" Normal Tested Pod/web hello there")));
  EXPECT_THAT(lines_of(done({"get", "events", "-n", "told", "--field-selector", "reason=Tested"})),
              ElementsAre("LAST SEEN TYPE REASON OBJECT MESSAGE",
                          HasSubstr(" Normal Tested pod/web hello there")));
  EXPECT_THAT(done({"get", "events", "-n", "told", "--field-selector", "type=Warning"}), IsEmpty());
}

TEST_F(Kubectl, CreatesAndDeletesANode) {
  done({"create", "-f", "-"}, "apiVersion: v1\nkind: Node\nmetadata: {name: extra}\n");
  EXPECT_THAT(lines_of(done({"get", "node", "extra"})).back(), StartsWith("extra Unknown <none> "));
  EXPECT_EQ(done({"delete", "node", "extra"}), "node \"extra\" deleted");
  EXPECT_EQ(refused({"get", "node", "extra"}),
            "Error from server (NotFound): nodes \"extra\" not found");
}

}  // namespace
}  // namespace nlc::real

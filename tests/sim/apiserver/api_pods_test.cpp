#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

TEST(ApiPods, AGracefulDeletionWaitsForTheKubelet) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const Heard marked = world.remove(pods + "/p");
  EXPECT_EQ(marked.status(), 200);
  const Json metadata = marked.json()["metadata"];
  EXPECT_EQ(metadata["deletionGracePeriodSeconds"], 30);
  EXPECT_EQ(metadata["deletionTimestamp"], "2026-11-21T09:00:30Z");
  EXPECT_EQ(metadata["generation"], 2);
  world.time.run_for(1h);
  EXPECT_EQ(world.get(pods + "/p").status(), 200);
  world.remove(pods + "/p", {{"gracePeriodSeconds", 0}});
  EXPECT_EQ(world.get(pods + "/p").status(), 404);
}

TEST(ApiPods, ASecondDeletionCanOnlyShortenAndNeverPastNow) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  world.remove(pods + "/p");
  world.time.run_for(10s);
  EXPECT_EQ(world.remove(pods + "/p", {{"gracePeriodSeconds", 60}})
                .json()["metadata"]["deletionTimestamp"],
            "2026-11-21T09:00:30Z");
  EXPECT_EQ(world.remove(pods + "/p", {{"gracePeriodSeconds", 20}})
                .json()["metadata"]["deletionTimestamp"],
            "2026-11-21T09:00:20Z");
  EXPECT_EQ(world.remove(pods + "/p", {{"gracePeriodSeconds", 1}})
                .json()["metadata"]["deletionTimestamp"],
            "2026-11-21T09:00:10Z");
}

TEST(ApiPods, WithoutANodeOrWhenFinishedThereIsNoGrace) {
  ApiWorld world;
  world.post(pods, pod("unbound"));
  world.post(pods, pod("finished", "n"));
  world.patch(pods + "/finished/status", {{"status", {{"phase", "Succeeded"}}}});
  const OpenCall watch =
      world.watch(pods + "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
  for (const char* name : {"unbound", "finished"}) world.remove(pods + "/" + name);
  EXPECT_EQ(watch->story(),
            "MODIFIED unbound, DELETED unbound, MODIFIED finished, DELETED finished");
}

TEST(ApiPods, ANegativeGraceIsOneSecond) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  EXPECT_EQ(world.remove(pods + "/p?gracePeriodSeconds=-1")
                .json()["metadata"]["deletionGracePeriodSeconds"],
            1);
}

TEST(ApiPods, EvictionMarksThenDeletesWithGrace) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const Heard evicted = world.post(
      pods + "/p/eviction",
      {{"apiVersion", "policy/v1"}, {"kind", "Eviction"}, {"metadata", {{"name", "p"}}}});
  EXPECT_EQ(evicted.status(), 201);
  const Json left = world.get(pods + "/p").json();
  EXPECT_EQ(left["status"]["conditions"][0]["type"], "DisruptionTarget");
  EXPECT_TRUE(left["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(world.post(pods + "/none/eviction", Json::object()).status(), 404);
}

TEST(ApiPods, EvictionThatIsOnlyTriedTouchesNothing) {
  ApiWorld world;
  const Json made = world.post(pods, pod("p", "n")).json();
  const Json tried{{"apiVersion", "policy/v1"},
                   {"kind", "Eviction"},
                   {"metadata", {{"name", "p"}}},
                   {"deleteOptions", {{"dryRun", Json::array({"All"})}}}};
  EXPECT_EQ(world.post(pods + "/p/eviction", tried).status(), 201);
  EXPECT_EQ(world.get(pods + "/p").json(), made);
}

TEST(ApiPods, PodWithAFinalizerStaysAfterItsKubeletHasLetItGo) {
  ApiWorld world;
  Json held = pod("p", "n");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  world.post(pods, held);
  world.remove(pods + "/p");
  world.remove(pods + "/p?gracePeriodSeconds=0");
  EXPECT_EQ(world.get(pods + "/p").json()["metadata"]["deletionGracePeriodSeconds"], 0);
  world.patch(pods + "/p", {{"metadata", {{"finalizers", nullptr}}}}, "merge-patch");
  EXPECT_EQ(world.get(pods + "/p").status(), 404);
}

TEST(ApiPods, ABindingGivesTheNodeItsLabelsAndACondition) {
  ApiWorld world;
  world.post(nodes, node("n", {{"topology.kubernetes.io/zone", "z1"}}));
  world.post(pods, pod("p"));
  const Json target{{"target", {{"kind", "Node"}, {"name", "n"}}}};
  EXPECT_EQ(world.post(pods + "/p/binding", target).status(), 201);
  const Json bound = world.get(pods + "/p").json();
  EXPECT_EQ(bound["spec"]["nodeName"], "n");
  EXPECT_EQ(bound["metadata"]["generation"], 1);
  EXPECT_EQ(bound["metadata"]["labels"]["topology.kubernetes.io/zone"], "z1");
  EXPECT_EQ(bound["status"]["conditions"][0]["type"], "PodScheduled");
  EXPECT_EQ(world.post(pods + "/p/binding", target).status(), 409);
}

TEST(ApiPods, ToleratingEverythingSparesTheDefaultTolerations) {
  ApiWorld world;
  Json tolerant = pod("p");
  tolerant["spec"]["tolerations"] = {{{"operator", "Exists"}}};
  EXPECT_EQ(world.post(pods, tolerant).json()["spec"]["tolerations"].size(), 1U);
}

TEST(ApiPods, QualityOfServiceFollowsRequestsAndLimits) {
  ApiWorld world;
  Json some = pod("some");
  some["spec"]["containers"][0]["resources"] = {{"requests", {{"cpu", "1"}}}};
  Json full = pod("full");
  full["spec"]["containers"][0]["resources"] = {{"limits", {{"cpu", "1"}, {"memory", "1Gi"}}}};
  EXPECT_EQ(world.post(pods, pod("none")).json()["status"]["qosClass"], "BestEffort");
  EXPECT_EQ(world.post(pods, some).json()["status"]["qosClass"], "Burstable");
  EXPECT_EQ(world.post(pods, full).json()["status"]["qosClass"], "Guaranteed");
}

TEST(ApiPods, EachContainerHasANameOfItsOwnAndAnImage) {
  ApiWorld world;
  Json odd = pod("p");
  odd["spec"]["containers"] = {{{"name", "a"}}, {{"name", "a"}, {"image", "i"}}, {{"image", "i"}}};
  EXPECT_EQ(world.post("/api/v1/namespaces/default/pods", odd).message(),
            "Pod \"p\" is invalid: [spec.containers[0].image: Required value, "
            "spec.containers[1].name: Duplicate value: \"a\", spec.containers[2].name: Required "
            "value]");
}

TEST(ApiPods, WhoOnlyLimitsRequestsHisLimits) {
  ApiWorld world;
  Json limited = pod("p");
  limited["spec"]["containers"][0]["resources"] = {{"limits", {{"cpu", "1"}, {"memory", "1Gi"}}}};
  const Json made = world.post("/api/v1/namespaces/default/pods", limited).json();
  EXPECT_EQ(made["spec"]["containers"][0]["resources"]["requests"],
            (Json{{"cpu", "1"}, {"memory", "1Gi"}}));
}

TEST(ApiGarbage, StandingNamespacesMayNotBeDeleted) {
  ApiWorld world;
  for (const std::string name : {"default", "kube-public", "kube-system"}) {
    const Heard refused = world.remove("/api/v1/namespaces/" + name);
    EXPECT_EQ(refused.status(), 403);
    EXPECT_EQ(refused.message(),
              "namespaces \"" + name + "\" is forbidden: this namespace may not be deleted");
  }
  EXPECT_EQ(world.remove("/api/v1/namespaces/kube-node-lease").status(), 200);
}

TEST(ApiGarbage, LeasesLeaveWithTheirNode) {
  ApiWorld world;
  const Json owner = world.post(nodes, node("a")).json();
  Json owned = lease("a");
  owned["metadata"]["ownerReferences"] = {
      {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "a"}, {"uid", owner["metadata"]["uid"]}}};
  world.post(leases, owned);
  world.post(leases, lease("b"));
  world.remove(nodes + "/a");
  world.time.run_ready();
  EXPECT_EQ(world.get(leases + "/a").status(), 404);
  EXPECT_EQ(world.get(leases + "/b").status(), 200);
}

TEST(ApiGarbage, EventsLiveForAnHourAfterTheirLastWrite) {
  ApiWorld world;
  const std::string events = "/api/v1/namespaces/default/events";
  const auto event = [](const char* name) {
    return Json{{"metadata", {{"name", name}}}, {"reason", "R"}, {"type", "Normal"}};
  };
  world.post(events, event("once"));
  world.post(events, event("again"));
  world.time.run_for(30min);
  world.patch(events + "/again", {{"count", 2}});
  world.time.run_for(30min - 1ns);
  EXPECT_EQ(world.get(events + "/once").status(), 200);
  world.time.run_for(1ns);
  EXPECT_EQ(world.get(events + "/once").status(), 404);
  EXPECT_EQ(world.get(events + "/again").status(), 200);
  world.time.run_for(30min);
  EXPECT_EQ(world.get(events + "/again").status(), 404);
}

TEST(ApiGarbage, ANamespaceLeavesOnceItIsEmpty) {
  ApiWorld world;
  world.post("/api/v1/namespaces", {{"metadata", {{"name", "team"}}}});
  const std::string home = "/api/v1/namespaces/team/pods";
  world.post(home, pod("slow", "n"));
  const Json ending = world.remove("/api/v1/namespaces/team").json();
  EXPECT_EQ(ending["status"]["phase"], "Terminating");
  world.time.run_for(5s);
  EXPECT_EQ(world.get(home + "/slow").json()["metadata"]["deletionGracePeriodSeconds"], 30);
  EXPECT_EQ(world.post(home, pod("late")).status(), 403);
  world.remove(home + "/slow", {{"gracePeriodSeconds", 0}});
  world.time.run_for(1s);
  EXPECT_EQ(world.get("/api/v1/namespaces/team").status(), 404);
}

}  // namespace
}  // namespace nlc::sim

#include "tests/sim/apiserver/api_client.h"

/// Cases of the embedded API server that no other test proves, each under its id.
namespace nlc::sim {
namespace {

std::string version_of(const Json& object) { return object["metadata"]["resourceVersion"]; }

TEST(ServerCase, AS_LIST_01_AListWithoutAVersionIsTheNewest) {
  ApiWorld world;
  for (const char* name : {"a", "b", "c"}) world.post(nodes, node(name));
  const Json list = world.get(nodes).json();
  EXPECT_EQ(list["items"].size(), 3U);
  EXPECT_EQ(version_of(list), std::to_string(world.server.storage().version()));
}

TEST(ServerCase, AS_LIST_04_AContinuationWithAVersionOfItsOwnIsRefused) {
  ApiWorld world;
  for (const char* name : {"a", "b"}) world.post(nodes, node(name));
  const std::string token = world.get(nodes + "?limit=1").json()["metadata"]["continue"];
  const Heard refused = world.get(nodes + "?limit=1&resourceVersion=10&continue=" + token);
  EXPECT_EQ(refused.status(), 400);
  EXPECT_NE(
      refused.message().find("specifying resource version is not allowed when using continue"),
      std::string::npos)
      << refused.message();
}

TEST(ServerCase, AS_GET_01_AMissingObjectIsNamedInTheRefusal) {
  ApiWorld world;
  const Heard missing = world.get(nodes + "/x");
  EXPECT_EQ(missing.status(), 404);
  EXPECT_EQ(missing.json()["reason"], "NotFound");
  EXPECT_EQ(missing.json()["details"]["name"], "x");
  EXPECT_EQ(missing.json()["details"]["kind"], "nodes");
}

TEST(ServerCase, AS_WATCH_10_NoBookmarksComeUnlessTheyAreAskedFor) {
  ApiWorld world;
  const std::string now = version_of(world.post(nodes, node("a")).json());
  const OpenCall watch = world.watch(nodes + "?watch=1&timeoutSeconds=130&resourceVersion=" + now);
  world.post(nodes, node("b"));
  world.time.run_for(130s);
  EXPECT_EQ(watch->story(), "ADDED b");
}

TEST(ServerCase, AS_WR_05_LeasesWithAnImpossibleDurationOrCountAreInvalid) {
  ApiWorld world;
  Json brief = lease("a");
  brief["spec"]["leaseDurationSeconds"] = 0;
  Json backward = lease("b");
  backward["spec"]["leaseTransitions"] = -1;
  EXPECT_EQ(world.post(leases, brief).status(), 422);
  EXPECT_EQ(world.post(leases, backward).status(), 422);
}

TEST(ServerCase, AS_WR_09_APatchOfAStaleVersionConflicts) {
  ApiWorld world;
  const std::string old = version_of(world.post(nodes, node("a")).json());
  world.patch(nodes + "/a", {{"spec", {{"unschedulable", true}}}});
  const Heard refused = world.patch(
      nodes + "/a", {{"metadata", {{"resourceVersion", old}, {"labels", {{"l", "1"}}}}}});
  EXPECT_EQ(refused.status(), 409);
}

TEST(ServerCase, AS_WR_10_APodsStatusCannotChangeItsOwnersOrMarkItForDeletion) {
  ApiWorld world;
  Json changed = world.post(pods, pod("p", "n1")).json();
  changed["metadata"]["ownerReferences"] = {
      {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "n1"}, {"uid", "u"}}};
  changed["metadata"]["deletionTimestamp"] = "2026-01-02T03:04:05Z";
  changed["status"]["conditions"] = {{{"type", "Ready"}, {"status", "False"}}};
  EXPECT_EQ(world.put(pods + "/p/status", changed).status(), 200);
  const Json now = world.get(pods + "/p").json();
  EXPECT_FALSE(now["metadata"].contains("ownerReferences"));
  EXPECT_FALSE(now["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(now["status"]["conditions"][0]["status"], "False");
}

TEST(ServerCase, AS_WR_11_NodesAndPodsTakeAPutWithoutAVersionAndANewNodeKeepsItsStatus) {
  ApiWorld world;
  Json made = node("a");
  made["status"]["phase"] = "Given";
  EXPECT_EQ(world.post(nodes, made).json()["status"]["phase"], "Given");
  Json of_pod = world.post(pods, pod("p", "n1")).json();
  of_pod["metadata"].erase("resourceVersion");
  of_pod["metadata"]["labels"]["l"] = "1";
  EXPECT_EQ(world.put(nodes + "/a", node("a", {{"l", "1"}})).status(), 200);
  EXPECT_EQ(world.put(pods + "/p", of_pod).status(), 200);
}

}  // namespace
}  // namespace nlc::sim

#include "tests/sim/apiserver/api_client.h"

/// How things go, found by asking a real server the same.
namespace nlc::sim {
namespace {

const std::string configmaps = "/api/v1/namespaces/default/configmaps";

Json configmap(const std::string& name) { return {{"metadata", {{"name", name}}}}; }

TEST(ApiDeleting, TheWriteThatTakesTheLastFinalizerIsNotSeenBeforeTheDeletion) {
  ApiWorld world;
  Json held = node("a");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  world.post(nodes, held);
  const std::string ending = version_of(world.remove(nodes + "/a"));
  const OpenCall watch = world.watch(nodes + "?watch=1&resourceVersion=" + ending);
  const Json freed =
      world.patch(nodes + "/a", {{"metadata", {{"finalizers", nullptr}}}}, "merge-patch").json();
  EXPECT_FALSE(freed["metadata"].contains("finalizers"));
  EXPECT_EQ(version_of(freed), ending);
  EXPECT_EQ(watch->story(), "DELETED a");
}

TEST(ApiDeleting, ASecondDeletionMayEndOtherwise) {
  ApiWorld world;
  world.post(nodes, node("a"));
  world.remove(nodes + "/a", {{"propagationPolicy", "Orphan"}});
  const Json ending = world.remove(nodes + "/a", {{"propagationPolicy", "Foreground"}}).json();
  EXPECT_EQ(ending["metadata"]["finalizers"], Json::array({"foregroundDeletion"}));

  world.post(pods, pod("waits", "n"));
  world.remove(pods + "/waits");
  const Json waiting = world.remove(pods + "/waits", {{"propagationPolicy", "Orphan"}}).json();
  EXPECT_FALSE(waiting["metadata"].contains("finalizers"));
}

TEST(ApiDeleting, OfACollectionOnePageIsDeletedAtATime) {
  ApiWorld world;
  for (const char* name : {"a", "b", "c"}) world.post(nodes, node(name));
  const std::string first = version_of(world.get(nodes + "/a"));
  const Json page = world.remove(nodes + "?limit=2").json();
  EXPECT_EQ(page["items"].size(), 2U);
  EXPECT_EQ(version_of(page["items"][0]), first);
  EXPECT_EQ(page["metadata"]["remainingItemCount"], 1);
  EXPECT_TRUE(page["metadata"].contains("continue"));
  EXPECT_EQ(world.get(nodes).json()["items"].size(), 1U);
}

TEST(ApiDeleting, ANegativeGraceIsASecondAgain) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  world.remove(pods + "/p");
  const Json sooner = world.remove(pods + "/p", {{"gracePeriodSeconds", -1}}).json();
  EXPECT_EQ(sooner["metadata"]["deletionGracePeriodSeconds"], 1);
}

TEST(ApiDeleting, AnEvictionOfAnotherPodIsTriedForAWhile) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const auto evict = [&world](const Json& preconditions) {
    client::IncomingRequest request;
    request.method = "POST";
    request.target = pods + "/p/eviction";
    request.content_type = "application/json";
    request.body = Json{{"kind", "Eviction"},
                        {"apiVersion", "policy/v1"},
                        {"deleteOptions", {{"preconditions", preconditions}}}}
                       .dump();
    return world.start(std::move(request));
  };
  const OpenCall other = evict({{"uid", "another"}});
  EXPECT_FALSE(other->response);
  world.time.run_for(10s);
  EXPECT_EQ(other->status(), 409);
  EXPECT_EQ(evict({{"resourceVersion", "1"}})->status(), 409);
}

TEST(ApiDeleting, ANamespaceWaitsForFinalizersOfItsOwn) {
  ApiWorld world;
  const std::string team = "/api/v1/namespaces/team";
  world.post("/api/v1/namespaces",
             {{"metadata", {{"name", "team"}, {"finalizers", {"example.com/hold"}}}}});
  world.remove(team);
  world.time.run_for(10s);
  EXPECT_FALSE(world.get(team).json()["spec"].contains("finalizers"));
  world.patch(team, {{"metadata", {{"finalizers", nullptr}}}}, "merge-patch");
  EXPECT_EQ(world.get(team).status(), 404);
}

TEST(ApiDeleting, ANamespaceOfAnotherUidConflictsInItsOwnWords) {
  ApiWorld world;
  world.post("/api/v1/namespaces", {{"metadata", {{"name", "team"}}}});
  const Heard refused =
      world.remove("/api/v1/namespaces/team", {{"preconditions", {{"uid", "another"}}}});
  EXPECT_EQ(refused.status(), 409);
  EXPECT_EQ(refused.json()["details"]["kind"], "namespaces");
  const Heard older =
      world.remove("/api/v1/namespaces/team", {{"preconditions", {{"resourceVersion", "1"}}}});
  EXPECT_EQ(older.json()["details"]["kind"], "namespaces");
}

TEST(ApiDeleting, AnAddressMayNameWhatShallBeDeleted) {
  ApiWorld world;
  const Json made = world.post(configmaps, configmap("a")).json();
  const std::string uid = made["metadata"]["uid"];
  EXPECT_EQ(
      told(world.remove(configmaps + "/a?resourceVersion=x")),
      "409 Conflict: Operation cannot be fulfilled on ConfigMap \"a\": the ResourceVersion in "
      "the precondition (x) does not match the ResourceVersion in record (" +
          version_of(made) + "). The object might have been modified");
  EXPECT_EQ(told(world.remove(configmaps + "/a?uid=x&resourceVersion=1")),
            "409 Conflict: Operation cannot be fulfilled on ConfigMap \"a\": the UID in the "
            "precondition (x) does not match the UID in record (" +
                uid + "). The object might have been deleted and then recreated");
  EXPECT_EQ(
      world.remove(configmaps + "/a?uid=" + uid + "&resourceVersion=" + version_of(made)).status(),
      200);
  world.post(configmaps, configmap("a"));
  EXPECT_EQ(world.remove(configmaps + "/a?uid=&resourceVersion=").status(), 200);
  world.post(configmaps, configmap("a"));
  EXPECT_EQ(world.remove(configmaps + "/a?uid=x", {{"kind", "DeleteOptions"}}).status(), 200);
}

TEST(ApiDeleting, AnEmptyPreconditionIsOneThatNothingMeets) {
  ApiWorld world;
  world.post(configmaps, configmap("a"));
  for (const char* field : {"uid", "resourceVersion"}) {
    EXPECT_EQ(world.remove(configmaps + "/a", {{"preconditions", {{field, ""}}}}).status(), 409);
  }
  EXPECT_EQ(world.remove(configmaps + "/a", {{"preconditions", {{"uid", nullptr}}}}).status(), 200);
  world.post(pods, pod("p", "n"));
  const Json any{{"deleteOptions", {{"preconditions", {{"resourceVersion", ""}}}}}};
  EXPECT_EQ(world.post(pods + "/p/eviction", any).status(), 201);
}

TEST(ApiDeleting, OfACollectionTheFirstThatMayNotGoEndsIt) {
  ApiWorld world;
  const std::string uid = world.post(configmaps, configmap("a")).json()["metadata"]["uid"];
  world.post(configmaps, configmap("b"));
  const Heard ended = world.remove(configmaps + "?uid=" + uid);
  EXPECT_EQ(ended.status(), 409);
  EXPECT_EQ(ended.json()["details"]["name"], "b");
  EXPECT_EQ(world.get(configmaps + "/a").status(), 404);
  EXPECT_EQ(world.get(configmaps + "/b").status(), 200);
}

TEST(ApiDeleting, OfACollectionThatIsDeletedWhichWasThereAtAVersion) {
  ApiWorld world;
  const std::string then = version_of(world.post(configmaps, configmap("a")));
  world.post(configmaps, configmap("b"));
  EXPECT_EQ(world.remove(configmaps + "?resourceVersion=" + then).json()["items"].size(), 1U);
  EXPECT_EQ(world.get(configmaps + "/b").status(), 200);
  client::IncomingRequest future;
  future.method = "DELETE";
  future.target = configmaps + "?resourceVersion=99999999";
  const OpenCall late = world.start(std::move(future));
  world.time.run_for(10s);
  EXPECT_EQ(late->status(), 504);
}

}  // namespace
}  // namespace nlc::sim

#include "tests/sim/apiserver/api_client.h"

/// An option that is not understood refuses the write, and one that is understood is heeded.
namespace nlc::sim {
namespace {

TEST(ApiOptions, AnUnknownValueRefusesTheWriteBeforeAnythingIsWritten) {
  ApiWorld world;
  EXPECT_EQ(world.post(nodes + "?dryRun=Bad", node("a")).status(), 422);
  EXPECT_EQ(world.post(nodes + "?dryRun=", node("a")).status(), 422);
  EXPECT_EQ(world.post(nodes + "?fieldValidation=Bad", node("a")).status(), 422);
  EXPECT_EQ(world.post(nodes + "?fieldManager=" + std::string(129, 'm'), node("a")).status(), 422);
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
  world.post(nodes, node("a"));
  EXPECT_EQ(world.remove(nodes + "/a", {{"propagationPolicy", "Bogus"}}).status(), 422);
  EXPECT_EQ(world.remove(nodes + "/a", {{"dryRun", Json::array({"Bad"})}}).status(), 422);
  EXPECT_EQ(world.remove(nodes + "/a", {{"gracePeriodSeconds", "x"}}).status(), 400);
  EXPECT_EQ(world.get(nodes + "/a").status(), 200);
}

TEST(ApiOptions, WhatStandsBesideABodyOfADeletionDoesNotCount) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const Heard asked = world.remove(pods + "/p?gracePeriodSeconds=0", {{"gracePeriodSeconds", 7}});
  EXPECT_EQ(asked.json()["metadata"]["deletionGracePeriodSeconds"], 7);
}

TEST(ApiOptions, AnOrphaningDeletionLeavesThoseThatAreOwned) {
  ApiWorld world;
  const Json owner = world.post(nodes, node("a")).json();
  Json owned = pod("p");
  owned["metadata"]["ownerReferences"] = {
      {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "a"}, {"uid", owner["metadata"]["uid"]}}};
  world.post(pods, owned);
  const Heard deleted = world.remove(nodes + "/a", {{"propagationPolicy", "Orphan"}});
  EXPECT_EQ(deleted.json()["metadata"]["finalizers"], Json::array({"orphan"}));
  EXPECT_EQ(world.get(nodes + "/a").status(), 200);
  world.time.run_for(31s);
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
  const Heard left = world.get(pods + "/p");
  ASSERT_EQ(left.status(), 200);
  EXPECT_FALSE(left.json()["metadata"].contains("ownerReferences"));
}

TEST(ApiOptions, AForegroundDeletionEndsWithThoseThatAreOwned) {
  ApiWorld world;
  const Json owner = world.post(nodes, node("a")).json();
  Json owned = lease("l");
  owned["metadata"]["ownerReferences"] = {
      {{"apiVersion", "v1"}, {"kind", "Node"}, {"name", "a"}, {"uid", owner["metadata"]["uid"]}}};
  world.post(leases, owned);
  world.remove(nodes + "/a", {{"propagationPolicy", "Foreground"}});
  EXPECT_EQ(world.get(leases + "/l").status(), 200);
  world.time.run_for(31s);
  EXPECT_EQ(world.get(leases + "/l").status(), 404);
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
}

TEST(ApiOptions, AStatusWriteTakesTheFinalizersWithIt) {
  ApiWorld world;
  Json held = node("a");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  world.post(nodes, held);
  const Json none{{"metadata", {{"finalizers", nullptr}}}};
  EXPECT_FALSE(world.patch(nodes + "/a/status", none, "merge-patch")
                   .json()["metadata"]
                   .contains("finalizers"));
}

TEST(ApiOptions, VersionZeroIsNoVersion) {
  ApiWorld world;
  world.post(nodes, node("a"));
  Json written = node("a", {{"x", "y"}});
  written["metadata"]["resourceVersion"] = "0";
  EXPECT_EQ(world.put(nodes + "/a", written).status(), 200);
}

TEST(ApiOptions, APutSaysTheNameOfItsObject) {
  ApiWorld world;
  world.post(nodes, node("a"));
  Json nameless = node("a");
  nameless["metadata"].erase("name");
  const Heard refused = world.put(nodes + "/a", nameless);
  EXPECT_EQ(refused.status(), 400);
  EXPECT_EQ(refused.message(),
            "the name of the object (a based on URL) was undeterminable: name must be provided");
}

TEST(ApiOptions, APatchMayNotTakeTheVersionOfItsKindAway) {
  ApiWorld world;
  world.post(nodes, node("a"));
  EXPECT_EQ(world.patch(nodes + "/a", {{"apiVersion", nullptr}}, "merge-patch").status(), 400);
}

TEST(ApiOptions, ALeaseIsNeverChangedWithoutAVersion) {
  ApiWorld world;
  world.post(leases, lease("a"));
  const Heard refused =
      world.patch(leases + "/a", {{"metadata", {{"resourceVersion", nullptr}}}}, "merge-patch");
  EXPECT_EQ(refused.status(), 422);
  EXPECT_NE(refused.message().find("must be specified for an update"), std::string::npos);
}

TEST(ApiOptions, AVersionIsRefusedByTheStorageWhichADryRunDoesNotAsk) {
  ApiWorld world;
  Json versioned = node("a");
  versioned["metadata"]["resourceVersion"] = "5";
  EXPECT_EQ(world.post(nodes, versioned).status(), 500);
  EXPECT_EQ(world.post(nodes + "?dryRun=All", versioned).status(), 201);
  versioned["metadata"]["labels"] = {{"not a key!", "v"}};
  EXPECT_EQ(world.post(nodes, versioned).status(), 422);
}

TEST(ApiOptions, AJsonPatchMayReplaceWhatAnObjectDoesNotHave) {
  ApiWorld world;
  world.post(nodes, node("a", {{"x", "y"}}));
  const Json patch = {{{"op", "replace"}, {"path", "/metadata/labels/z"}, {"value", "1"}}};
  EXPECT_EQ(world.patch(nodes + "/a", patch, "json-patch").json()["metadata"]["labels"]["z"], "1");
}

TEST(ApiOptions, WhatIsSetOnceStays) {
  ApiWorld world;
  Json object = node("a");
  object["spec"]["providerID"] = "p://x";
  world.post(nodes, object);
  EXPECT_EQ(world.patch(nodes + "/a", {{"spec", {{"providerID", "p://y"}}}}).status(), 422);
  EXPECT_EQ(world.patch(nodes + "/a", {{"spec", {{"externalID", "e"}}}}).status(), 422);
  EXPECT_EQ(
      world.patch(nodes + "/a", {{"metadata", {{"deletionTimestamp", "2020-01-01T00:00:00Z"}}}})
          .status(),
      422);
}

TEST(ApiOptions, AnEvictionMarksAPodThatIsAlreadyEnding) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  world.remove(pods + "/p");
  const Json eviction{{"apiVersion", "policy/v1"},
                      {"kind", "Eviction"},
                      {"metadata", {{"name", "p"}, {"namespace", "default"}}}};
  EXPECT_EQ(world.post(pods + "/p/eviction", eviction).status(), 201);
  const Json marked = world.get(pods + "/p").json();
  EXPECT_EQ(marked["status"]["conditions"][0]["type"], "DisruptionTarget");
  EXPECT_EQ(world.post(pods + "/p/eviction", eviction).status(), 201);
  EXPECT_EQ(world.get(pods + "/p").json(), marked);
}

}  // namespace
}  // namespace nlc::sim

#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

TEST(ApiWatch, TheHeadLeavesBeforeAnyEvent) {
  ApiWorld world;
  const OpenCall watch = world.watch(nodes + "?watch=1&resourceVersion=999999");
  EXPECT_TRUE(watch->opened);
  EXPECT_EQ(watch->stream_type, "application/json");
  EXPECT_TRUE(watch->bytes.empty());
}

TEST(ApiWatch, FromAVersionComesExactlyWhatFollowed) {
  ApiWorld world;
  const std::string then = version_of(world.post(nodes, node("a")).json());
  world.post(nodes, node("b"));
  const OpenCall watch = world.watch(nodes + "?watch=1&resourceVersion=" + then);
  world.patch(nodes + "/a", {{"spec", {{"unschedulable", true}}}});
  world.remove(nodes + "/b");
  EXPECT_EQ(watch->story(), "ADDED b, MODIFIED a, DELETED b");
}

TEST(ApiWatch, ADeletionCarriesTheLastStateUnderANewVersion) {
  ApiWorld world;
  const Json made = world.post(nodes, node("a", {{"zone", "x"}})).json();
  const OpenCall watch = world.watch(nodes + "?watch=1&resourceVersion=" + version_of(made));
  world.remove(nodes + "/a");
  const Json event = watch->events().at(0);
  EXPECT_EQ(event["type"], "DELETED");
  EXPECT_EQ(event["object"]["metadata"]["labels"]["zone"], "x");
  EXPECT_EQ(version_of(event["object"]), std::to_string(world.server.storage().version()));
}

TEST(ApiWatch, AStreamingListEndsWithAMarkedBookmarkEvenWhenEmpty) {
  ApiWorld world;
  const OpenCall watch = world.watch(
      nodes +
      "?watch=1&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan");
  const Json bookmark = watch->events().at(0);
  EXPECT_EQ(bookmark["type"], "BOOKMARK");
  EXPECT_EQ(bookmark["object"]["metadata"]["annotations"]["k8s.io/initial-events-end"], "true");
  EXPECT_EQ(version_of(bookmark["object"]), std::to_string(world.server.storage().version()));
}

TEST(ApiWatch, APlainWatchWithoutVersionIsAStreamingListToo) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const OpenCall watch = world.watch(nodes + "?watch=1&allowWatchBookmarks=true");
  const OpenCall without = world.watch(nodes + "?watch=1&resourceVersion=0");
  EXPECT_EQ(watch->story(), "ADDED a, BOOKMARK");
  EXPECT_EQ(without->story(), "ADDED a");
}

TEST(ApiWatch, AStreamingListOfTheFutureIsRefusedInsideTheStream) {
  ApiWorld world;
  const OpenCall watch = world.watch(
      nodes +
      "?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999");
  EXPECT_FALSE(watch->opened);
  world.time.run_for(3s);
  EXPECT_TRUE(watch->opened);
  EXPECT_EQ(watch->events().at(0)["type"], "ERROR");
  EXPECT_EQ(watch->events().at(0)["object"]["code"], 504);
  EXPECT_TRUE(watch->closed);
}

TEST(ApiWatch, WithoutInitialEventsItBeginsNow) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const OpenCall watch =
      world.watch(nodes + "?watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan");
  world.post(nodes, node("b"));
  EXPECT_EQ(watch->story(), "ADDED b");
}

TEST(ApiWatch, AnObjectThatStopsMatchingIsDeletedInItsLastMatchingState) {
  ApiWorld world;
  world.post(nodes, node("a", {{"zone", "x"}}));
  const OpenCall watch = world.watch(nodes + "?watch=1&labelSelector=zone%3Dx");
  world.patch(nodes + "/a", {{"metadata", {{"labels", {{"zone", "y"}}}}}});
  world.patch(nodes + "/a", {{"spec", {{"unschedulable", true}}}});
  world.patch(nodes + "/a", {{"metadata", {{"labels", {{"zone", "x"}}}}}});
  EXPECT_EQ(watch->story(), "ADDED a, DELETED a, ADDED a");
  const Json left = watch->events().at(1)["object"];
  EXPECT_EQ(left["metadata"]["labels"]["zone"], "x");
  EXPECT_EQ(std::stoull(version_of(left)) + 2,
            std::stoull(version_of(watch->events().at(2)["object"])));
}

TEST(ApiWatch, APodEntersTheWatchOfItsNodeWhenItIsBound) {
  ApiWorld world;
  world.post(pods, pod("p"));
  const OpenCall watch = world.watch("/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn1");
  world.post(pods + "/p/binding", {{"target", {{"kind", "Node"}, {"name", "n1"}}}});
  EXPECT_EQ(watch->story(), "ADDED p");
}

TEST(ApiWatch, AWatchOfOneNamespaceSeesNoOther) {
  ApiWorld world;
  const OpenCall watch = world.watch(pods + "?watch=1");
  world.post("/api/v1/namespaces/kube-system/pods", pod("other"));
  world.post(pods, pod("mine"));
  EXPECT_EQ(watch->story(), "ADDED mine");
}

TEST(ApiWatch, BookmarksComeEachMinuteButOnlyOnceTheResourceMoved) {
  ApiWorld world;
  const std::string now = std::to_string(world.server.storage().version());
  const OpenCall watch =
      world.watch(nodes + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + now);
  world.post(leases, lease("elsewhere"));
  world.time.run_for(5min);
  EXPECT_EQ(watch->story(), "");
  world.post(nodes, node("a"));
  world.time.run_for(1min);
  EXPECT_EQ(watch->story(), "ADDED a, BOOKMARK");
}

TEST(ApiWatch, AConsistentListMakesTheNextBookmarkFresh) {
  ApiWorld world;
  const std::string now = std::to_string(world.server.storage().version());
  const OpenCall watch =
      world.watch(nodes + "?watch=1&allowWatchBookmarks=true&resourceVersion=" + now);
  world.post(leases, lease("elsewhere"));
  world.get(nodes + "?limit=1");
  world.time.run_for(1min);
  EXPECT_EQ(version_of(watch->events().at(0)["object"]),
            std::to_string(world.server.storage().version()));
}

TEST(ApiWatch, TimeoutEndsTheStreamInGoodOrder) {
  ApiWorld world;
  const OpenCall watch = world.watch(nodes + "?watch=1&timeoutSeconds=10");
  world.time.run_for(10s - 1ns);
  EXPECT_FALSE(watch->closed);
  world.time.run_for(1ns);
  EXPECT_TRUE(watch->closed);
  EXPECT_FALSE(watch->cut);
}

TEST(ApiWatch, WithoutATimeoutItLastsBetweenThirtyAndSixtyMinutes) {
  ApiWorld world;
  const OpenCall watch = world.watch(nodes + "?watch=1");
  world.time.run_for(30min - 1ns);
  EXPECT_FALSE(watch->closed);
  world.time.run_for(30min + 1ns);
  EXPECT_TRUE(watch->closed);
}

TEST(ApiWatch, OneEventIsSerialisedOnceForAllWhoSeeItAlike) {
  ApiWorld world;
  const OpenCall first = world.watch(nodes + "?watch=1");
  const OpenCall second = world.watch(nodes + "?watch=1&labelSelector=!nothing");
  world.post(nodes, node("a"));
  ASSERT_EQ(first->pieces.size(), 1U);
  EXPECT_EQ(first->pieces, second->pieces);
}

TEST(ApiWatch, ATableShowsItsHeadsOnlyInTheFirstEvent) {
  ApiWorld world;
  const OpenCall watch =
      world.watch(nodes + "?watch=1", "application/json;as=Table;v=v1;g=meta.k8s.io");
  world.post(nodes, node("a"));
  world.post(nodes, node("b"));
  const std::vector<Json> events = watch->events();
  EXPECT_EQ(events.at(0)["object"]["columnDefinitions"].size(), 10U);
  EXPECT_TRUE(events.at(1)["object"]["columnDefinitions"].is_null());
  EXPECT_EQ(events.at(1)["object"]["rows"][0]["cells"][0], "b");
}

TEST(ApiWatch, AHistoryThatIsTooOldEndsWith410InTheStream) {
  ApiServerOptions options;
  options.history.events = 2;
  ApiWorld world(options);
  const std::string then = std::to_string(world.server.storage().version());
  for (const char* name : {"a", "b"}) world.post(nodes, node(name));
  EXPECT_EQ(world.watch(nodes + "?watch=1&resourceVersion=" + then)->story(), "ADDED a, ADDED b");
  world.post(nodes, node("c"));
  const OpenCall late = world.watch(nodes + "?watch=1&resourceVersion=" + then);
  EXPECT_EQ(late->events().at(0)["object"]["code"], 410);
  EXPECT_TRUE(late->closed);
}

TEST(ApiWatch, AHistoryCanBeShortenedForAWhileToClientsAlone) {
  ApiWorld world;
  const Storage& storage = world.server.storage();
  const std::string then = std::to_string(storage.version());
  const std::string from_then = nodes + "?watch=1&resourceVersion=" + then;
  world.server.shorten_history(2);
  for (const char* name : {"a", "b"}) world.post(nodes, node(name));
  EXPECT_EQ(world.watch(from_then)->story(), "ADDED a, ADDED b");
  const std::string list = nodes + "?limit=1";
  const std::string token = world.get(list).json()["metadata"]["continue"];
  for (const char* name : {"c", "d", "e"}) world.post(nodes, node(name));
  EXPECT_EQ(world.watch(from_then)->events().at(0)["object"]["code"], 410);
  EXPECT_EQ(world.get(list + "&continue=" + token).status(), 410);
  int kept = 0;
  storage.visit_history(core_resource("nodes"), 0, [&](const HistoryEvent&) { ++kept; });
  EXPECT_EQ(kept, 5);
  world.server.shorten_history(std::nullopt);
  EXPECT_EQ(world.watch(from_then)->story(), "ADDED a, ADDED b, ADDED c, ADDED d, ADDED e");
}

TEST(ApiWatch, ACallerWhoLeftHearsNothingMore) {
  ApiWorld world;
  OpenCall watch = world.watch(nodes + "?watch=1");
  EXPECT_EQ(world.server.watch_count(), 1U);
  watch.subscription.end();
  world.post(nodes, node("a"));
  EXPECT_EQ(world.server.watch_count(), 0U);
  EXPECT_TRUE(watch->bytes.empty());
}

TEST(ApiWatch, ASubscriptionMayOutliveTheServer) {
  auto world = std::make_unique<ApiWorld>();
  OpenCall watch = world->watch(nodes + "?watch=1");
  world.reset();
  watch.subscription.end();
  EXPECT_TRUE(watch->cut);
}

}  // namespace
}  // namespace nlc::sim

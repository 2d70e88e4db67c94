#include "tests/sim/apiserver/api_client.h"

/// What an embedded server is like after its storage was restored from a backup.
namespace nlc::sim {
namespace {

TEST(ApiRestore, ObjectsAreBackWithTheUidsAndVersionsOfThen) {
  ApiWorld world;
  const Json then = world.post(nodes, node("a")).json();
  world.post(pods, pod("p", "a"));
  const Storage::Snapshot backup = world.server.backup();
  world.patch(nodes + "/a", {{"metadata", {{"labels", {{"x", "y"}}}}}});
  world.post(nodes, node("b"));
  world.remove(pods + "/p", {{"gracePeriodSeconds", 0}});
  world.server.restore(backup, backup.version);
  EXPECT_EQ(world.get(nodes + "/a").json(), then);
  EXPECT_EQ(world.get(nodes + "/b").status(), 404);
  EXPECT_EQ(world.get("/api/v1/pods?fieldSelector=spec.nodeName%3Da").json()["items"].size(), 1U);
}

TEST(ApiRestore, TheCounterGoesBackAndNumbersAreGivenASecondTime) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const Storage::Snapshot backup = world.server.backup();
  const std::string first = version_of(world.post(nodes, node("b")));
  world.server.restore(backup, backup.version);
  EXPECT_EQ(version_of(world.post(nodes, node("c"))), first);
}

TEST(ApiRestore, ACounterThatJumpsAheadLeavesUnchangedObjectsAsTheyWere) {
  ApiWorld world;
  const std::string then = version_of(world.post(nodes, node("a")));
  const Storage::Snapshot backup = world.server.backup();
  world.server.restore(backup, 1'000'000);
  EXPECT_EQ(version_of(world.get(nodes + "/a")), then);
  EXPECT_EQ(version_of(world.get(nodes)), "1000000");
  EXPECT_EQ(version_of(world.post(nodes, node("b"))), "1000001");
}

TEST(ApiRestore, EveryConnectionIsCut) {
  ApiWorld world;
  world.server.faults().add(FaultRule::doing({.verb = "list"}, FaultRule::Action::Hang));
  const OpenCall watch = world.watch(nodes + "?watch=1");
  const OpenCall waits = world.watch(nodes);
  const Storage::Snapshot backup = world.server.backup();
  world.server.restore(backup, backup.version);
  EXPECT_TRUE(watch->cut);
  EXPECT_TRUE(waits->cut);
  EXPECT_EQ(world.server.watch_count(), 0U);
}

TEST(ApiRestore, NoHistoryIsLeftToWatchFrom) {
  ApiWorld world;
  const std::string then = version_of(world.post(nodes, node("a")));
  world.post(nodes, node("b"));
  const Storage::Snapshot backup = world.server.backup();
  world.server.restore(backup, backup.version);
  const OpenCall watch = world.watch(nodes + "?watch=1&resourceVersion=" + then);
  EXPECT_EQ(watch->events().at(0)["object"]["code"], 410);
}

TEST(ApiRestore, AWatchFromAVersionOfTheFutureIsDeafUntilThatIsPassed) {
  ApiWorld world;
  const Storage::Snapshot backup = world.server.backup();
  world.post(nodes, node("a"));
  const std::string future = version_of(world.post(nodes, node("b")));
  world.server.restore(backup, backup.version);
  const OpenCall watch = world.watch(nodes + "?watch=1&resourceVersion=" + future);
  world.post(nodes, node("c"));
  world.post(nodes, node("d"));
  EXPECT_EQ(watch->story(), "");
  world.post(nodes, node("e"));
  EXPECT_EQ(watch->story(), "ADDED e");
}

TEST(ApiAdmission, AWebhookChangesWhatIsStored) {
  ApiWorld world;
  world.server.options().admit = [](const RequestInfo& info, const client::IncomingRequest&,
                                    const Json* before, Json& after) {
    if (info.resource == "nodes" && before != nullptr) after["metadata"]["labels"].erase("x");
    return true;
  };
  const Json made = world.post(nodes, node("a", {{"x", "1"}})).json();
  EXPECT_EQ(made["metadata"]["labels"]["x"], "1");
  const Heard patched = world.patch(nodes + "/a", {{"metadata", {{"labels", {{"y", "1"}}}}}});
  EXPECT_EQ(patched.json()["metadata"]["labels"], Json({{"y", "1"}}));
}

TEST(ApiAdmission, AWriteThatTheWebhookUndoesTakesNoVersion) {
  ApiWorld world;
  world.server.options().admit = [](const RequestInfo&, const client::IncomingRequest&,
                                    const Json* before, Json& after) {
    if (before != nullptr) after = *before;
    return true;
  };
  const std::string version = version_of(world.post(nodes, node("a")));
  const Heard patched = world.patch(nodes + "/a", {{"metadata", {{"labels", {{"y", "1"}}}}}});
  EXPECT_EQ(patched.status(), 200);
  EXPECT_EQ(version_of(patched), version);
}

TEST(ApiWatch, AnObjectOfThePastCanBeToldOnceMoreInTheVersionOfThenOrOfNow) {
  for (const bool as_new : {false, true}) {
    ApiWorld world;
    const std::string old = version_of(world.post(nodes, node("a")));
    const ObjectRef then = world.server.storage().find(core_resource("nodes"), "a");
    const OpenCall watch = world.watch(nodes + "?watch=1&resourceVersion=" + old);
    const std::string now =
        version_of(world.patch(nodes + "/a", {{"metadata", {{"labels", {{"x", "y"}}}}}}));
    world.server.watches().tell_again(core_resource("nodes"), then, as_new);
    world.patch(nodes + "/a", {{"metadata", {{"labels", {{"x", "z"}}}}}});
    EXPECT_EQ(watch->story(), "MODIFIED a, MODIFIED a, MODIFIED a");
    const Json told = watch->events().at(1)["object"]["metadata"];
    EXPECT_EQ(told["resourceVersion"], as_new ? now : old);
    EXPECT_FALSE(told.contains("labels"));
  }
}

TEST(ApiWatch, StreamsCanBeMadeToExpire) {
  ApiWorld world;
  const OpenCall watch = world.watch(nodes + "?watch=1");
  world.server.watches().end_all(WatchHub::Ending::Expired, "nodes");
  EXPECT_EQ(watch->events().at(0)["object"]["code"], 410);
  EXPECT_TRUE(watch->closed);
}

}  // namespace
}  // namespace nlc::sim

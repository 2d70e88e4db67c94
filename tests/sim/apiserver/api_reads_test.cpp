#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

std::vector<std::string> names_in(const Json& list) {
  std::vector<std::string> names;
  for (const Json& item : list.at("items")) names.push_back(item["metadata"]["name"]);
  return names;
}

using Names = std::vector<std::string>;

TEST(ApiReads, FourNamespacesExistFromTheStart) {
  ApiWorld world;
  EXPECT_EQ(names_in(world.get("/api/v1/namespaces").json()),
            (Names{"default", "kube-node-lease", "kube-public", "kube-system"}));
}

TEST(ApiReads, ItemsOfAListComeInKeyOrderAndCarryNoKind) {
  ApiWorld world;
  for (const char* name : {"b", "a", "c"}) world.post(nodes, node(name));
  const Json list = world.get(nodes).json();
  EXPECT_EQ(names_in(list), (Names{"a", "b", "c"}));
  EXPECT_EQ(list["kind"], "NodeList");
  EXPECT_FALSE(list["items"][0].contains("kind"));
  EXPECT_EQ(world.get(nodes + "/a").json()["kind"], "Node");
}

TEST(ApiReads, AListTellsTheVersionOfTheWholeStoreNotOfItsItems) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const std::string version = world.post(pods, pod("p")).json()["metadata"]["resourceVersion"];
  EXPECT_EQ(world.get(nodes).json()["metadata"]["resourceVersion"], version);
}

TEST(ApiReads, PagesOfOneListShowTheStateInWhichItBegan) {
  ApiWorld world;
  for (const char* name : {"a", "b", "c", "d"}) world.post(nodes, node(name));
  const Json first = world.get(nodes + "?limit=2").json();
  EXPECT_EQ(names_in(first), (Names{"a", "b"}));
  EXPECT_EQ(first["metadata"]["remainingItemCount"], 2);

  world.remove(nodes + "/c");
  world.post(nodes, node("cc"));
  const std::string token = first["metadata"]["continue"];
  const Json second = world.get(nodes + "?limit=2&continue=" + token).json();
  EXPECT_EQ(names_in(second), (Names{"c", "d"}));
  EXPECT_EQ(second["metadata"]["resourceVersion"], first["metadata"]["resourceVersion"]);
  EXPECT_FALSE(second["metadata"].contains("continue"));
}

TEST(ApiReads, AnExpiredContinuationOffersAnInconsistentOne) {
  ApiWorld world;
  for (const char* name : {"a", "b", "c"}) world.post(nodes, node(name));
  const std::string token = world.get(nodes + "?limit=1").json()["metadata"]["continue"];
  world.post(nodes, node("d"));
  world.server.compact_history();
  const Heard expired = world.get(nodes + "?limit=1&continue=" + token);
  EXPECT_EQ(expired.status(), 410);
  const std::string next = expired.json()["metadata"]["continue"];
  EXPECT_EQ(names_in(world.get(nodes + "?continue=" + next).json()), (Names{"b", "c", "d"}));
}

/// As one that was restored, or is late: kube-apiserver 1.37.1 says the same after the same time.
TEST(ApiReads, AServerThatHasNotComeToTheVersionOfAContinuationShowsNothingOfItsOwn) {
  ApiWorld ahead;
  for (const char* name : {"a", "b", "c"}) ahead.post(nodes, node(name));
  const std::string token = ahead.get(nodes + "?limit=1").json()["metadata"]["continue"];
  ApiWorld late;
  client::IncomingRequest request;
  request.method = "GET";
  request.target = nodes + "?limit=1&continue=" + token;
  const OpenCall list = late.start(request);
  late.time.run_for(3s);
  EXPECT_EQ(list->status(), 504);
  EXPECT_EQ(list->json()["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
}

TEST(ApiReads, PagesCanBeSmallerThanTheLimitThatIsAskedFor) {
  ApiWorld world;
  for (const char* name : {"a", "b", "c", "d", "e"}) world.post(nodes, node(name));
  world.server.limit_pages(2);
  const Json first = world.get(nodes + "?limit=500").json();
  EXPECT_EQ(names_in(first), (Names{"a", "b"}));
  EXPECT_EQ(first["metadata"]["remainingItemCount"], 3);
  const std::string token = first["metadata"]["continue"];
  EXPECT_EQ(names_in(world.get(nodes + "?limit=500&continue=" + token).json()), (Names{"c", "d"}));
  EXPECT_EQ(names_in(world.get(nodes + "?limit=1").json()), (Names{"a"}));
  EXPECT_EQ(names_in(world.get(nodes).json()).size(), 5U) << "who asks for no pages gets none";
  world.server.limit_pages(0);
  EXPECT_EQ(names_in(world.get(nodes + "?limit=500").json()).size(), 5U);
}

TEST(ApiReads, VersionZeroIgnoresTheLimitAsTheCacheDoes) {
  ApiWorld world;
  for (const char* name : {"a", "b"}) world.post(nodes, node(name));
  EXPECT_EQ(names_in(world.get(nodes + "?limit=1&resourceVersion=0").json()), (Names{"a", "b"}));
}

TEST(ApiReads, ExactShowsThePast) {
  ApiWorld world;
  const std::string then = world.post(nodes, node("a")).json()["metadata"]["resourceVersion"];
  world.post(nodes, node("b"));
  world.remove(nodes + "/a");
  const Json past = world.get(nodes + "?resourceVersionMatch=Exact&resourceVersion=" + then).json();
  EXPECT_EQ(names_in(past), (Names{"a"}));
  EXPECT_EQ(past["metadata"]["resourceVersion"], then);
}

TEST(ApiReads, AReadOfTheFutureIsAnsweredAsSoonAsTheServerIsThere) {
  ApiWorld world;
  const std::uint64_t next = world.server.storage().version() + 1;
  client::IncomingRequest request;
  request.method = "GET";
  request.target =
      nodes + "?resourceVersionMatch=NotOlderThan&resourceVersion=" + std::to_string(next);
  const OpenCall list = world.start(request);
  world.time.run_for(2s);
  EXPECT_EQ(list->status(), 0);
  world.post(nodes, node("a"));
  world.time.run_ready();
  EXPECT_EQ(list->status(), 200);
  EXPECT_EQ(names_in(list->json()), (Names{"a"}));
}

TEST(ApiReads, AReadOfTheFarFutureGets504AfterThreeSeconds) {
  ApiWorld world;
  client::IncomingRequest request;
  request.method = "GET";
  request.target = nodes + "?resourceVersionMatch=NotOlderThan&resourceVersion=999999";
  const OpenCall list = world.start(request);
  world.time.run_for(3s - 1ns);
  EXPECT_EQ(list->status(), 0);
  world.time.run_for(1ns);
  EXPECT_EQ(list->status(), 504);
  EXPECT_EQ(list->response->retry_after, Duration(1s));
  EXPECT_EQ(list->json()["details"]["causes"][0]["reason"], "ResourceVersionTooLarge");
}

TEST(ApiReads, SelectorsChooseByLabelsAndFields) {
  ApiWorld world;
  world.post(nodes, node("a", {{"zone", "x"}, {"gpu", "true"}}));
  world.post(nodes, node("b", {{"zone", "y"}}));
  world.post(nodes, node("c"));
  const auto chosen = [&](const std::string& query) {
    return names_in(world.get(nodes + "?" + query).json());
  };
  EXPECT_EQ(chosen("labelSelector=zone%3Dx"), (Names{"a"}));
  EXPECT_EQ(chosen("labelSelector=zone!%3Dx"), (Names{"b", "c"}));
  EXPECT_EQ(chosen("labelSelector=zone+in+(x,y),!gpu"), (Names{"b"}));
  EXPECT_EQ(chosen("labelSelector=zone+notin+(x)"), (Names{"b", "c"}));
  EXPECT_EQ(chosen("labelSelector=!zone"), (Names{"c"}));
  EXPECT_EQ(chosen("fieldSelector=metadata.name!%3Da"), (Names{"b", "c"}));
}

TEST(ApiReads, PodsOfOneNodeAreFoundWithFurtherTerms) {
  ApiWorld world;
  world.post(pods, pod("p", "n1"));
  world.post(pods, pod("q", "n2"));
  world.post(pods, pod("r", "n1"));
  world.patch(pods + "/r/status", {{"status", {{"phase", "Failed"}}}});
  const std::string query = "/api/v1/pods?fieldSelector=spec.nodeName%3Dn1";
  EXPECT_EQ(names_in(world.get(query).json()), (Names{"p", "r"}));
  EXPECT_EQ(names_in(world.get(query + ",status.phase!%3DSucceeded,status.phase!%3DFailed").json()),
            (Names{"p"}));
}

TEST(ApiReads, ABadVersionIs400OnAListAnd500OnGetAndWatch) {
  ApiWorld world;
  world.post(nodes, node("a"));
  EXPECT_EQ(world.get(nodes + "?resourceVersion=x").status(), 400);
  EXPECT_EQ(world.get(nodes + "/a?resourceVersion=x").status(), 500);
  EXPECT_EQ(world.get(nodes + "?watch=1&resourceVersion=x").status(), 500);
}

TEST(ApiReads, OptionsThatContradictEachOtherAreInvalid) {
  ApiWorld world;
  const auto status = [&](const std::string& query) {
    return world.get(nodes + "?" + query).status();
  };
  EXPECT_EQ(status("resourceVersion=0&resourceVersionMatch=Exact"), 422);
  EXPECT_EQ(status("resourceVersion=1&resourceVersionMatch=Sometimes"), 422);
  EXPECT_EQ(status("sendInitialEvents=true"), 422);
  EXPECT_EQ(status("watch=1&sendInitialEvents=true"), 422);
  EXPECT_EQ(status("watch=1&resourceVersionMatch=NotOlderThan&resourceVersion=1"), 422);
  EXPECT_EQ(status("continue=garbage"), 400);
}

}  // namespace
}  // namespace nlc::sim

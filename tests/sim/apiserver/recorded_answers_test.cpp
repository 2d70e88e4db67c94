#include "tests/sim/apiserver/recorded_answers.h"

#include <fstream>

#include "tests/conformance/recorded.h"
#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

using conformance::recorded;
using Found = std::vector<std::string>;

constexpr Duration recorded_at =
    46min + 27s + 500ms;  // after nine o'clock: when the lists were taken

/// 1.36, of which the recordings are, told each fault of a changed object twice; 1.37 does not.
Json each_cause_once(Json body) {
  if (!body.is_object() || !body.contains("details") || !body["details"].contains("causes"))
    return body;
  Json once = Json::array();
  for (const Json& cause : body["details"]["causes"]) {
    if (std::find(once.begin(), once.end(), cause) == once.end()) once.push_back(cause);
  }
  body["details"]["causes"] = std::move(once);
  return body;
}

/// The embedded server with the objects that the real one had.
struct RecordedCluster : ApiWorld {
  explicit RecordedCluster(ApiServerOptions options = {}) : ApiWorld(std::move(options)) {
    time.run_for(recorded_at);
    load_list("list-nodes.json");
  }

  void load_list(const std::string& file) {
    const Json list = Json::parse(recorded(file));
    std::string kind = list["kind"];
    kind.resize(kind.size() - 4);
    for (Json item : list["items"]) {
      item["kind"] = kind;
      item["apiVersion"] = list["apiVersion"];
      server.load(std::move(item));
    }
  }

  void load_everything() {
    for (const char* file : {"list-leases.json", "list-pods.json", "list-events.json"})
      load_list(file);
  }

  /// Asks what was asked then.
  Heard replay(client::IncomingRequest request) { return *start(std::move(request)).heard; }

  Found differences_to(const std::string& file) {
    const Recorded was = recorded_answer(file);
    return differences_to(was, replay(was.request));
  }

  static Found differences_to(const Recorded& was, const Heard& now) {
    Found found = differences(each_cause_once(Json::parse(was.body)), now.json());
    if (was.status != now.status()) found.push_back("status " + std::to_string(now.status()));
    if (now.response && was.content_type != now.response->content_type) {
      found.push_back("content type " + now.response->content_type);
    }
    return found;
  }
};

const Found none;

std::string types_of(const std::vector<Json>& events) {
  std::string text;
  for (const Json& event : events) text += event["type"].get<std::string>() + " ";
  return text;
}

std::vector<Json> recorded_events(const std::string& file) {
  Heard heard;
  heard.bytes = recorded(file);
  return heard.events();
}

TEST(RecordedAnswers, NewPodsGetTheSameDefaults) {
  RecordedCluster cluster;
  EXPECT_EQ(cluster.differences_to("pod-create.json"), none);
  EXPECT_EQ(cluster.differences_to("pod-create-tolerating.json"), none);
  EXPECT_EQ(cluster.differences_to("pod-create-scheduled.json"), none);
}

class RecordedRead : public testing::TestWithParam<const char*> {};

TEST_P(RecordedRead, IsAnsweredAlike) {
  RecordedCluster cluster;
  cluster.load_everything();
  EXPECT_EQ(cluster.differences_to(GetParam()), none);
}

INSTANTIATE_TEST_SUITE_P(Lists, RecordedRead,
                         testing::Values("list-nodes.json", "list-leases.json", "list-pods.json",
                                         "list-events.json", "list-nodes-rv0.json",
                                         "list-nodes-limit-1.json", "list-nodes-label.json",
                                         "list-pods-on-node.json"));
INSTANTIATE_TEST_SUITE_P(Tables, RecordedRead,
                         testing::Values("list-nodes-table.json", "list-pods-table.json",
                                         "list-leases-table.json", "list-events-table.json"));
INSTANTIATE_TEST_SUITE_P(Objects, RecordedRead,
                         testing::Values("get-node.json", "get-node-partial-metadata.json"));
INSTANTIATE_TEST_SUITE_P(Refusals, RecordedRead,
                         testing::Values("error-not-found.json", "error-unknown-resource.json",
                                         "error-already-exists.json", "error-malformed-body.json",
                                         "error-unsupported-media.json",
                                         "error-not-acceptable.json",
                                         "error-bad-field-selector.json",
                                         "error-bad-label-selector.json", "error-rv-invalid.json",
                                         "error-match-without-rv.json", "error-put-without-rv.json",
                                         "error-invalid-lease.json"));
INSTANTIATE_TEST_SUITE_P(Roots, RecordedRead,
                         testing::Values("discovery-api.json", "discovery-coordination-v1.json",
                                         "forbidden-shape.json"));

TEST(RecordedAnswers, TheSecondPageIsAlike) {
  RecordedCluster cluster;
  const std::string token = cluster.get(nodes + "?limit=1").json()["metadata"]["continue"];
  const Recorded was = recorded_answer("list-nodes-continue.json");
  EXPECT_EQ(RecordedCluster::differences_to(was, cluster.get(nodes + "?limit=1&continue=" + token)),
            none);
}

TEST(RecordedAnswers, ContinueTokensAreMadeAlike) {
  const Json first = Json::parse(recorded("list-nodes-limit-1.json"));
  EXPECT_EQ(continue_token({1023, "hollow-1"}), first["metadata"].value("continue", ""));
  const Json expired = Json::parse(recorded("error-continue-expired.json"));
  EXPECT_EQ(continue_token({-1, "hollow-1"}), expired["metadata"].value("continue", ""));
}

TEST(RecordedAnswers, AListOfAForgottenStateIsRefusedAlike) {
  RecordedCluster cluster;
  cluster.server.compact_history();
  EXPECT_EQ(cluster.differences_to("error-rv-exact-unknown.json"), none);
  EXPECT_EQ(cluster.differences_to("error-list-exact-expired.json"), none);
}

TEST(RecordedAnswers, AnExpiredContinuationIsRefusedAlike) {
  RecordedCluster cluster;
  const std::string token = cluster.get(nodes + "?limit=1").json()["metadata"]["continue"];
  cluster.post(nodes, node("later"));
  cluster.server.compact_history();
  const Recorded was = recorded_answer("error-continue-expired.json");
  EXPECT_EQ(RecordedCluster::differences_to(was, cluster.get(nodes + "?limit=1&continue=" + token)),
            none);
}

TEST(RecordedAnswers, AVersionFromTheFutureIsRefusedAlike) {
  RecordedCluster cluster;
  const Recorded was = recorded_answer("error-rv-too-large.json");
  const OpenCall call = cluster.start(was.request);
  cluster.time.run_for(3s);
  Json expected = Json::parse(was.body);
  expected["message"] = "Timeout: Too large resource version: 999999999999, current: " +
                        std::to_string(cluster.server.storage().version());
  EXPECT_EQ(differences(expected, call->json()), none);
  EXPECT_EQ(call->status(), 504);
  EXPECT_EQ(call->response->retry_after, Duration(1s));
}

TEST(RecordedAnswers, AnUnknownGroupIsNoAddress) {
  RecordedCluster cluster;
  const Recorded was = recorded_answer("error-unknown-group.txt");
  const Heard now = cluster.replay(was.request);
  EXPECT_EQ(now.status(), was.status);
  EXPECT_EQ(now.response->body, was.body);
  EXPECT_EQ(now.response->content_type, was.content_type);
}

TEST(RecordedAnswers, WhoIsNotKnownOrNotAllowedIsToldSoAlike) {
  ApiServerOptions options;
  options.users =
      std::map<std::string, std::string>{{"token", "system:serviceaccount:default:default"}};
  options.allows = [](const std::string&, const RequestInfo&) { return false; };
  RecordedCluster cluster(options);
  EXPECT_EQ(cluster.differences_to("error-anonymous.json"), none);
  for (const char* file : {"error-forbidden.json", "error-forbidden-patch.json"}) {
    Recorded was = recorded_answer(file);
    was.request.authorization = "Bearer token";
    EXPECT_EQ(RecordedCluster::differences_to(was, cluster.replay(was.request)), none) << file;
  }
  Recorded bad = recorded_answer("error-bad-token.json");
  bad.request.authorization = "Bearer nonsense";
  EXPECT_EQ(RecordedCluster::differences_to(bad, cluster.replay(bad.request)), none);
}

/// The recorded node was also written to by a kube-controller-manager; its writes are made by hand
/// in between.
TEST(RecordedAnswers, TheStoryOfOneNodeIsTheSame) {
  RecordedCluster cluster;
  const std::string self = nodes + "/recorded";
  const Json unreachable{{"key", "node.kubernetes.io/unreachable"},
                         {"effect", "NoSchedule"},
                         {"timeAdded", "2026-11-21T09:46:30Z"}};
  const OpenCall watch = cluster.watch(
      nodes + "?watch=1&resourceVersion=" + std::to_string(cluster.server.storage().version()));
  EXPECT_EQ(cluster.differences_to("node-create.json"), none);
  cluster.patch(self, {{"metadata", {{"annotations", {{"node.alpha.kubernetes.io/ttl", "0"}}}}}});
  EXPECT_EQ(cluster.differences_to("node-status-patch-conditions.json"), none);
  cluster.patch(self, {{"spec", {{"taints", {unreachable}}}}});
  EXPECT_EQ(cluster.differences_to("node-status-patch-second-condition.json"), none);
  EXPECT_EQ(cluster.differences_to("node-taints-patch.json"), none);
  EXPECT_EQ(cluster.differences_to("node-taints-patch-one-key-merges.json"), none);
  cluster.patch(
      self,
      {{"spec",
        {{"taints", {{{"key", "example.com/other"}, {"effect", "NoSchedule"}}, unreachable}}}}});

  EXPECT_EQ(cluster.differences_to("error-conflict-rv.json"), none);
  EXPECT_EQ(cluster.differences_to("error-conflict-uid.json"), none);
  EXPECT_EQ(cluster.differences_to("error-invalid-taint.json"), none);
  EXPECT_EQ(cluster.differences_to("node-json-patch.json"), none);
  EXPECT_EQ(cluster.differences_to("error-json-patch-test.json"), none);
  EXPECT_EQ(cluster.differences_to("node-merge-patch.json"), none);
  EXPECT_EQ(cluster.differences_to("node-apply-patch.json"), none);

  Json stale = cluster.get(self).json();
  stale["metadata"]["resourceVersion"] = "1";
  EXPECT_EQ(RecordedCluster::differences_to(recorded_answer("error-put-conflict.json"),
                                            cluster.put(self, stale)),
            none);
  EXPECT_EQ(cluster.differences_to("node-delete.json"), none);

  std::vector<Json> then = recorded_events("watch-nodes-from-rv.watch.jsonl");
  std::erase_if(then, [](const Json& event) {
    return event["object"]["metadata"].value("name", "") != "recorded";
  });
  const std::vector<Json> now = watch->events();
  ASSERT_EQ(now.size(), then.size());
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(differences(then[i], now[i]), none) << i;
}

TEST(RecordedAnswers, TheVersionIsOneReleaseNewer) {
  RecordedCluster cluster;
  const Recorded was = recorded_answer("version.json");
  const Json now = cluster.replay(was.request).json();
  Json expected = Json::parse(was.body);
  expected["gitVersion"] = "v1.37.1";
  expected["minor"] = expected["emulationMinor"] = "37";
  expected["minCompatibilityMinor"] = "36";
  EXPECT_EQ(now, expected);
}

TEST(RecordedAnswers, APodsStatusIsPatchedAlike) {
  RecordedCluster cluster;
  cluster.load_list("list-pods.json");
  EXPECT_EQ(cluster.differences_to("pod-status-patch.json"), none);
  EXPECT_EQ(cluster.differences_to("pod-status-patch-disruption-target.json"), none);
}

TEST(RecordedAnswers, ADeleteOfAnotherUidIsRefusedAlike) {
  RecordedCluster cluster;
  cluster.load_list("list-pods.json");
  Recorded was = recorded_answer("error-pod-delete-uid.json");
  const Heard now = cluster.replay(was.request);
  Json expected = Json::parse(was.body);
  EXPECT_EQ(RecordedCluster::differences_to(was, now), none);
}

/// What the kubelet of hollow-1 wrote then is written by the test.
TEST(RecordedAnswers, AGracefulDeletionIsWatchedAlike) {
  RecordedCluster cluster;
  cluster.load_list("list-pods.json");
  const Recorded was = recorded_answer("watch-pods-graceful-delete.watch.jsonl");
  const std::vector<Json> then = recorded_events("watch-pods-graceful-delete.watch.jsonl");
  for (const char* file : {"pod-status-patch.json", "pod-status-patch-disruption-target.json"}) {
    cluster.replay(recorded_answer(file).request);
  }
  const OpenCall watch = cluster.start(was.request);
  cluster.remove(pods + "/plain");
  for (const std::size_t written : {5U, 6U}) {
    Json object = then[written]["object"];
    for (const char* field : {"uid", "resourceVersion"}) object["metadata"].erase(field);
    EXPECT_EQ(cluster.put(pods + "/plain/status", object).status(), 200);
  }
  cluster.time.run_for(1s);
  cluster.remove(pods + "/plain", {{"gracePeriodSeconds", 0}});
  cluster.time.run_for(14s);

  const std::vector<Json> now = watch->events();
  // The real server told its last version twice: its cache had been asked for progress in between.
  EXPECT_EQ(types_of(then), types_of(now) + "BOOKMARK ");
  ASSERT_EQ(now.size() + 1, then.size());
  for (std::size_t i = 0; i < now.size(); ++i) EXPECT_EQ(differences(then[i], now[i]), none) << i;
  EXPECT_TRUE(watch->closed);
  EXPECT_EQ(watch->stream_type, was.content_type);
}

TEST(RecordedAnswers, AStreamingListEndsWithTheSameBookmark) {
  RecordedCluster cluster;
  const Recorded was = recorded_answer("watch-nodes-initial-events.watch.jsonl");
  const std::vector<Json> then = recorded_events("watch-nodes-initial-events.watch.jsonl");
  const OpenCall watch = cluster.start(was.request);
  cluster.time.run_for(6s);
  const std::vector<Json> now = watch->events();
  EXPECT_EQ(types_of(now), types_of(then));
  EXPECT_EQ(differences(then.back(), now.back()), none);
  EXPECT_TRUE(watch->closed);
}

TEST(RecordedAnswers, LeasesAreWatchedAlike) {
  RecordedCluster cluster;
  cluster.load_list("list-leases.json");
  const Recorded was = recorded_answer("watch-leases.watch.jsonl");
  const std::vector<Json> then = recorded_events("watch-leases.watch.jsonl");
  const OpenCall watch = cluster.start(was.request);
  for (const Json& event : then) {
    if (event["type"] != "MODIFIED") continue;
    cluster.patch(leases + "/" + event["object"]["metadata"]["name"].get<std::string>(),
                  {{"spec", {{"renewTime", event["object"]["spec"]["renewTime"]}}}});
  }
  cluster.time.run_for(22s);
  const std::vector<Json> now = watch->events();
  ASSERT_EQ(types_of(now), types_of(then));
  for (std::size_t i = 0; i < then.size(); ++i) EXPECT_EQ(differences(then[i], now[i]), none) << i;
}

TEST(RecordedAnswers, AVersionThatIsGoneIsOneErrorEvent) {
  RecordedCluster cluster;
  cluster.server.compact_history();
  const std::uint64_t start = cluster.server.storage().version();
  const OpenCall watch = cluster.start(recorded_answer("watch-expired.watch.jsonl").request);
  std::vector<Json> then = recorded_events("watch-expired.watch.jsonl");
  then[0]["object"]["message"] = "too old resource version: 5 (" + std::to_string(start) + ")";
  ASSERT_EQ(watch->events().size(), 1U);
  EXPECT_EQ(differences(then[0], watch->events()[0]), none);
  EXPECT_TRUE(watch->closed);
}

TEST(RecordedAnswers, AWatchFromTheFutureIsSilent) {
  RecordedCluster cluster;
  const OpenCall watch = cluster.start(recorded_answer("watch-future.watch.jsonl").request);
  cluster.post(nodes, node("now"));
  cluster.time.run_for(5s);
  EXPECT_TRUE(watch->opened);
  EXPECT_TRUE(watch->closed);
  EXPECT_EQ(watch->bytes, recorded("watch-future.watch.jsonl"));
}

TEST(RecordedAnswers, AWatchOfOneNodesPodsIsAlike) {
  RecordedCluster cluster;
  cluster.load_list("list-pods.json");
  cluster.remove(pods + "/plain", {{"gracePeriodSeconds", 0}});
  const OpenCall watch = cluster.start(recorded_answer("watch-field-selector.watch.jsonl").request);
  const std::vector<Json> then = recorded_events("watch-field-selector.watch.jsonl");
  ASSERT_EQ(watch->events().size(), then.size());
  EXPECT_EQ(differences(then[0], watch->events()[0]), none);
}

/// Every entry we tell is the real one; what we do not serve is left out.
TEST(RecordedAnswers, DiscoveryTellsOfOurKindsWhatTheRealOneTells) {
  RecordedCluster cluster;
  const auto entry_of = [](const Json& list, const char* key, const Json& name) {
    for (const Json& entry : list) {
      if (entry[key] == name) return entry;
    }
    return Json();
  };
  const Json all = Json::parse(recorded("discovery-api-v1.json"));
  const Json core = cluster.get("/api/v1").json();  // outlives the loop over its part
  ASSERT_GE(core["resources"].size(), 10U);
  for (const Json& entry : core["resources"]) {
    EXPECT_EQ(entry, entry_of(all["resources"], "name", entry["name"])) << entry["name"];
  }
  const Recorded was = recorded_answer("discovery-api-aggregated.json");
  const Heard now = cluster.replay(was.request);
  EXPECT_EQ(now.response->content_type, was.content_type);
  const Json theirs = Json::parse(was.body)["items"][0]["versions"][0];
  const Json aggregated = now.json();
  ASSERT_GE(aggregated["items"][0]["versions"][0]["resources"].size(), 7U);
  for (const Json& entry : aggregated["items"][0]["versions"][0]["resources"]) {
    Json expected = entry_of(theirs["resources"], "resource", entry["resource"]);
    Json kept = Json::array();
    for (const Json& subresource : expected.value("subresources", Json::array())) {
      const Json ours = entry_of(entry.value("subresources", Json::array()), "subresource",
                                 subresource["subresource"]);
      if (ours.is_object()) kept.push_back(subresource);
    }
    if (kept.empty())
      expected.erase("subresources");
    else
      expected["subresources"] = kept;
    EXPECT_EQ(entry, expected) << entry["resource"];
  }
}

TEST(RecordedAnswers, OurGroupsAreAmongTheRealOnes) {
  RecordedCluster cluster;
  const Json theirs = Json::parse(recorded("discovery-apis.json"))["groups"];
  const Json groups = cluster.get("/apis").json();
  ASSERT_GE(groups["groups"].size(), 2U);
  for (const Json& group : groups["groups"]) {
    EXPECT_NE(std::find(theirs.begin(), theirs.end(), group), theirs.end()) << group;
  }
}

TEST(RecordedAnswers, OpenApiNamesItsDocumentsAlike) {
  RecordedCluster cluster;
  const Recorded was = recorded_answer("openapi-v3-index.txt");
  const Heard now = cluster.replay(was.request);
  EXPECT_EQ(now.response->content_type, was.content_type);
  const Json theirs = Json::parse(was.body)["paths"];
  const Json document = now.json();
  for (const auto& [path, place] : document["paths"].items()) {
    ASSERT_TRUE(theirs.contains(path)) << path;
    const std::string url = place["serverRelativeURL"];
    EXPECT_EQ(cluster.get(url).status(), 200) << url;
  }
}

/// What is not compared, and why.
const std::map<std::string, std::string> known_elsewhere = {
    {"pod-create-again.json", "the same request as pod-create.json"},
    {"readyz.txt", "names the checks of that program; ours has its own"},
    {"error-not-found.pb", "this server answers in JSON only, which every client accepts"},
    {"get-node.pb", "as above; read as a request body in protobuf_body_test"},
    {"list-events.pb", "as above"},
    {"list-leases.pb", "as above"},
    {"list-nodes.pb", "as above"},
    {"list-pods.pb", "as above"},
    {"watch-expired.watch.pb", "as above"},
    {"watch-leases.watch.pb", "as above; read as request bodies in protobuf_body_test"},
    {"watch-nodes-initial-events.watch.pb", "as above"},
    {"watch-pods-graceful-delete.watch.pb",
     "as above; read as request bodies in protobuf_body_test"},
};

TEST(RecordedAnswers, EachIsComparedHereOrSetAsideWithAReason) {
  std::ifstream file(NLC_SOURCE_DIR "/tests/sim/apiserver/recorded_answers_test.cpp");
  const std::string source{std::istreambuf_iterator<char>(file), {}};
  ASSERT_FALSE(source.empty());
  for (const std::string& name : recorded_files()) {
    EXPECT_TRUE(known_elsewhere.contains(name) ||
                source.find("\"" + name + "\"") != std::string::npos)
        << name;
  }
}

}  // namespace
}  // namespace nlc::sim

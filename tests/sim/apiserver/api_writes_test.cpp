#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

TEST(ApiWrites, VersionsAreOneGrowingCounterOverAllKinds) {
  ApiWorld world;
  const auto first = std::stoull(version_of(world.post(nodes, node("a")).json()));
  const auto second = std::stoull(version_of(world.post(leases, lease("a")).json()));
  const auto third = std::stoull(
      version_of(world.patch(nodes + "/a", {{"spec", {{"unschedulable", true}}}}).json()));
  EXPECT_EQ(second, first + 1);
  EXPECT_EQ(third, second + 1);
}

TEST(ApiWrites, AWriteThatChangesNothingTakesNoVersionAndMakesNoEvent) {
  ApiWorld world;
  const Json made = world.post(leases, lease("a")).json();
  const OpenCall watch = world.watch(leases + "?watch=1&resourceVersion=" + version_of(made));
  const Heard same = world.put(leases + "/a", made);
  EXPECT_EQ(same.status(), 200);
  EXPECT_EQ(same.json(), made);
  EXPECT_EQ(world.patch(leases + "/a", {{"spec", {{"leaseDurationSeconds", 40}}}}).json(), made);
  EXPECT_TRUE(watch->bytes.empty());
}

TEST(ApiWrites, AStaleVersionConflicts) {
  ApiWorld world;
  const Json old = world.post(leases, lease("a")).json();
  Json newer = old;
  newer["spec"]["holderIdentity"] = "x";
  EXPECT_EQ(world.put(leases + "/a", newer).status(), 200);
  const Heard lost = world.put(leases + "/a", newer);
  EXPECT_EQ(lost.status(), 409);
  EXPECT_EQ(lost.json()["reason"], "Conflict");
}

TEST(ApiWrites, AForeignUidInAPutConflictsBeforeAnythingElse) {
  ApiWorld world;
  Json object = world.post(leases, lease("a")).json();
  object["metadata"]["uid"] = "other";
  object["metadata"]["resourceVersion"] = "1";
  object["spec"]["leaseDurationSeconds"] = -1;
  const Heard refused = world.put(leases + "/a", object);
  EXPECT_EQ(refused.status(), 409);
  EXPECT_NE(refused.message().find("Precondition failed: UID in precondition: other"),
            std::string::npos);
}

TEST(ApiWrites, AForeignUidInAPatchIsInvalidAlsoForAStatus) {
  ApiWorld world;
  world.post(pods, pod("p"));
  const Json patch{{"metadata", {{"uid", "other"}}}, {"status", {{"phase", "Running"}}}};
  EXPECT_EQ(world.patch(pods + "/p", patch).status(), 422);
  EXPECT_EQ(world.patch(pods + "/p/status", patch).status(), 422);
}

TEST(ApiWrites, PutCreatesAMissingLeaseUnlessItCarriesAUid) {
  ApiWorld world;
  EXPECT_EQ(world.put(leases + "/a", lease("a")).status(), 201);
  Json known = lease("b");
  known["metadata"]["uid"] = "some";
  EXPECT_EQ(world.put(leases + "/b", known).status(), 409);
  EXPECT_EQ(world.put(nodes + "/a", node("a")).status(), 404);
}

TEST(ApiWrites, AnUnconditionalPutIsTakenForNodesButNotForLeases) {
  ApiWorld world;
  world.post(nodes, node("a"));
  world.post(leases, lease("a"));
  EXPECT_EQ(world.put(nodes + "/a", node("a", {{"x", "y"}})).status(), 200);
  EXPECT_EQ(world.put(leases + "/a", lease("a")).status(), 422);
}

TEST(ApiWrites, TheServerAloneSetsUidCreationAndGeneration) {
  ApiWorld world;
  Json wanted = pod("p");
  wanted["metadata"]["uid"] = "mine";
  wanted["metadata"]["creationTimestamp"] = "2001-01-01T00:00:00Z";
  wanted["metadata"]["generation"] = 7;
  const Json made = world.post(pods, wanted).json()["metadata"];
  EXPECT_EQ(made["uid"].get<std::string>().size(), 36U);
  EXPECT_EQ(made["creationTimestamp"], "2026-11-21T09:00:00Z");
  EXPECT_EQ(made["generation"], 1);
}

TEST(ApiWrites, StatusAndSpecAreWrittenApart) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const Json both{{"spec", {{"unschedulable", true}}}, {"status", {{"phase", "X"}}}};
  const Json by_status = world.patch(nodes + "/a/status", both).json();
  EXPECT_FALSE(by_status["spec"].contains("unschedulable"));
  EXPECT_EQ(by_status["status"]["phase"], "X");
  const Json other{{"spec", {{"unschedulable", true}}}, {"status", {{"phase", "Y"}}}};
  const Json by_main = world.patch(nodes + "/a", other).json();
  EXPECT_EQ(by_main["spec"]["unschedulable"], true);
  EXPECT_EQ(by_main["status"]["phase"], "X");
}

TEST(ApiWrites, AStatusWriteAlsoSetsLabelsAndAnnotations) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const Json patch{{"metadata", {{"labels", {{"l", "1"}}}, {"annotations", {{"a", "1"}}}}}};
  const Json made = world.patch(nodes + "/a/status", patch).json()["metadata"];
  EXPECT_EQ(made["labels"]["l"], "1");
  EXPECT_EQ(made["annotations"]["a"], "1");
}

TEST(ApiWrites, ANewNodeKeepsItsStatusAndANewPodDoesNot) {
  ApiWorld world;
  Json given = node("a");
  given["status"]["phase"] = "Given";
  EXPECT_EQ(world.post(nodes, given).json()["status"]["phase"], "Given");
  Json running = pod("p");
  running["status"]["phase"] = "Running";
  EXPECT_EQ(world.post(pods, running).json()["status"]["phase"], "Pending");
}

TEST(ApiWrites, GenerationsCountChangesOfSpecOnly) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  EXPECT_EQ(world.patch(pods + "/p/status", {{"status", {{"phase", "Running"}}}})
                .json()["metadata"]["generation"],
            1);
  EXPECT_EQ(world.patch(pods + "/p", {{"metadata", {{"labels", {{"a", "b"}}}}}})
                .json()["metadata"]["generation"],
            1);
  const Json image{{"spec", {{"containers", {{{"name", "c"}, {"image", "other:v2"}}}}}}};
  EXPECT_EQ(world.patch(pods + "/p", image).json()["metadata"]["generation"], 2);
  EXPECT_FALSE(world.post(nodes, node("a")).json()["metadata"].contains("generation"));
}

TEST(ApiWrites, MostOfAPodsSpecIsFixed) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  EXPECT_EQ(world.patch(pods + "/p", {{"spec", {{"nodeName", "m"}}}}).status(), 422);
  EXPECT_EQ(world.patch(pods + "/p", {{"spec", {{"activeDeadlineSeconds", 9}}}}).status(), 200);
  Json tolerating = pod("q", "n");
  tolerating["spec"]["tolerations"] = {{{"key", "k"}, {"operator", "Exists"}}};
  world.post(pods, tolerating);
  EXPECT_EQ(world.patch(pods + "/q", {{"spec", {{"tolerations", Json::array()}}}}).status(), 422);
}

TEST(ApiWrites, ObservedGenerationsSurviveAWriterWhoLeavesThemOut) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const Json ready{{"type", "Ready"}, {"status", "True"}, {"observedGeneration", 1}};
  world.patch(pods + "/p/status",
              {{"status", {{"observedGeneration", 1}, {"conditions", {ready}}}}});
  Json plain = world.get(pods + "/p").json();
  plain["status"].erase("observedGeneration");
  plain["status"]["conditions"][0].erase("observedGeneration");
  plain["status"]["conditions"][0]["status"] = "False";
  const Json made = world.put(pods + "/p/status", plain).json()["status"];
  EXPECT_EQ(made["observedGeneration"], 1);
  EXPECT_EQ(made["conditions"][0]["observedGeneration"], 1);
  EXPECT_EQ(made["conditions"][0]["status"], "False");
}

TEST(ApiWrites, CreatingTwiceAlreadyExists) {
  ApiWorld world;
  world.post(nodes, node("a"));
  EXPECT_EQ(world.post(nodes, node("a")).json()["reason"], "AlreadyExists");
}

TEST(ApiWrites, GenerateNameMakesANewNameEachTime) {
  ApiWorld world;
  Json wanted = pod("");
  wanted["metadata"] = {{"generateName", "p-"}};
  const std::string first = world.post(pods, wanted).json()["metadata"]["name"];
  const std::string second = world.post(pods, wanted).json()["metadata"]["name"];
  EXPECT_EQ(first.size(), 7U);
  EXPECT_EQ(first.substr(0, 2), "p-");
  EXPECT_NE(first, second);
}

TEST(ApiWrites, ANamespaceMustExistAndMatchTheAddress) {
  ApiWorld world;
  const Heard missing = world.post("/api/v1/namespaces/nowhere/pods", pod("p"));
  EXPECT_EQ(missing.status(), 404);
  EXPECT_EQ(missing.message(), "namespaces \"nowhere\" not found");
  Json elsewhere = pod("p");
  elsewhere["metadata"]["namespace"] = "kube-system";
  EXPECT_EQ(world.post(pods, elsewhere).status(), 400);
}

TEST(ApiWrites, TheNameInTheBodyMustBeThatOfTheAddress) {
  ApiWorld world;
  world.post(nodes, node("a"));
  EXPECT_EQ(world.put(nodes + "/a", node("b")).message(),
            "the name of the object (b) does not match the name on the URL (a)");
}

TEST(ApiWrites, NamesAndLabelsAreJudged) {
  ApiWorld world;
  EXPECT_EQ(world.post(nodes, node("Bad_Name")).status(), 422);
  EXPECT_EQ(world.post(nodes, node("")).status(), 422);
  EXPECT_EQ(world.post(nodes, node("a", {{"bad key!", "x"}})).status(), 422);
  EXPECT_EQ(world.post(nodes, node("a", {{"k", "bad value!"}})).status(), 422);
}

TEST(ApiWrites, TwoTaintsOfOneKeyAndEffectAreDuplicates) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const Json taint{{"key", "k"}, {"effect", "NoSchedule"}};
  const Heard refused = world.patch(nodes + "/a", {{"spec", {{"taints", {taint, taint}}}}});
  EXPECT_EQ(refused.status(), 422);
  EXPECT_EQ(refused.json()["details"]["causes"][0]["reason"], "FieldValueDuplicate");
}

TEST(ApiWrites, ADryRunAnswersAndChangesNothing) {
  ApiWorld world;
  const std::uint64_t version = world.server.storage().version();
  EXPECT_EQ(world.post(nodes + "?dryRun=All", node("a")).status(), 201);
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
  world.post(pods, pod("p", "n"));
  EXPECT_EQ(world.remove(pods + "/p?dryRun=All&gracePeriodSeconds=0").status(), 200);
  const Json dry{{"gracePeriodSeconds", 0}, {"dryRun", Json::array({"All"})}};
  EXPECT_EQ(world.remove(pods + "/p", dry).status(), 200);
  EXPECT_EQ(world.get(pods + "/p").status(), 200);
  EXPECT_EQ(world.server.storage().version(), version + 1);
}

TEST(ApiWrites, DeletingMostKindsAnswersWithAStatus) {
  ApiWorld world;
  world.post(leases, lease("a"));
  const Json answer = world.remove(leases + "/a").json();
  EXPECT_EQ(answer["status"], "Success");
  EXPECT_EQ(answer["details"]["group"], "coordination.k8s.io");
  EXPECT_EQ(world.remove(leases + "/a").status(), 404);
}

TEST(ApiWrites, PreconditionsOfADeletionAreKept) {
  ApiWorld world;
  const Json made = world.post(nodes, node("a")).json();
  EXPECT_EQ(world.remove(nodes + "/a", {{"preconditions", {{"resourceVersion", "1"}}}}).status(),
            409);
  EXPECT_EQ(
      world.remove(nodes + "/a", {{"preconditions", {{"uid", made["metadata"]["uid"]}}}}).status(),
      200);
}

TEST(ApiWrites, FinalizersHoldAnObjectUntilTheyAreGone) {
  ApiWorld world;
  Json held = node("a");
  held["metadata"]["finalizers"] = {"example.com/hold"};
  world.post(nodes, held);
  const Json marked = world.remove(nodes + "/a").json();
  EXPECT_TRUE(marked["metadata"].contains("deletionTimestamp"));
  EXPECT_EQ(world.get(nodes + "/a").status(), 200);
  world.patch(nodes + "/a", {{"metadata", {{"finalizers", nullptr}}}}, "merge-patch");
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
}

TEST(ApiWrites, ACollectionIsDeletedBySelector) {
  ApiWorld world;
  world.post(nodes, node("a", {{"z", "1"}}));
  world.post(nodes, node("b", {{"z", "2"}}));
  EXPECT_EQ(world.remove(nodes + "?labelSelector=z%3D1").status(), 200);
  EXPECT_EQ(world.get(nodes + "/a").status(), 404);
  EXPECT_EQ(world.get(nodes + "/b").status(), 200);
}

TEST(ApiWrites, ApplyCreatesWhatIsMissingAndMergesWhatIsThere) {
  ApiWorld world;
  const std::string yaml =
      "apiVersion: v1\nkind: Node\nmetadata:\n  name: a\n  labels: {x: \"1\"}\n";
  const std::string target = nodes + "/a?fieldManager=m";
  EXPECT_EQ(world.ask("PATCH", target, yaml, "application/apply-patch+yaml").status(), 201);
  world.patch(nodes + "/a", {{"metadata", {{"labels", {{"y", "2"}}}}}});
  const Heard again = world.ask("PATCH", target, yaml, "application/apply-patch+yaml");
  EXPECT_EQ(again.status(), 200);
  EXPECT_EQ(again.json()["metadata"]["labels"], (Json{{"x", "1"}, {"y", "2"}}));
}

TEST(ApiWrites, YamlWhoseAliasesHaveNoEndIsRefused) {
  std::string many = "a0: &a0 [x, x]\n";
  for (int i = 1; i < 40; ++i) {
    const std::string name = "a" + std::to_string(i);
    const std::string last = "*a" + std::to_string(i - 1);
    many.append(name).append(": &").append(name).append(" [").append(last).append(", ");
    many.append(last).append("]\n");
  }
  ApiWorld world;
  for (const std::string& yaml : {std::string("a: &a [*a]\n"), many, std::string("a: \xff\n")}) {
    const std::string target = nodes + "/a?fieldManager=test";
    EXPECT_EQ(world.ask("PATCH", target, yaml, "application/apply-patch+yaml").status(), 400);
  }
}

TEST(ApiWrites, ANumberThatFitsNowhereIsRefused) {
  ApiWorld world;
  const std::string body = R"({"metadata":{"name":"a"},"spec":{"x":1e999}})";
  EXPECT_EQ(world.ask("POST", nodes, body).status(), 400);
  EXPECT_EQ(world.ask("DELETE", nodes + "/a", body).status(), 400);
}

TEST(ApiWrites, APatchMayNotRename) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const Heard refused = world.patch(nodes + "/a", {{"metadata", {{"name", "b"}}}}, "merge-patch");
  EXPECT_EQ(refused.status(), 400);
  EXPECT_EQ(refused.message(), "the name of the object (b) does not match the name on the URL (a)");
}

TEST(ApiWrites, WhatIsNoPatchIsNamedAsGoNamesIt) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const auto said = [&](const std::string& type, const std::string& body) {
    return world.ask("PATCH", nodes + "/a", body, "application/" + type + "+json").message();
  };
  EXPECT_EQ(said("strategic-merge-patch", "[1]"),
            "json: cannot unmarshal array into Go value of type map[string]interface {}");
  EXPECT_EQ(said("merge-patch", "true"),
            "error decoding patch: json: cannot unmarshal bool into Go value of type "
            "map[string]interface {}");
  EXPECT_EQ(said("json-patch", "{}"),
            "error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp");
}

TEST(ApiWrites, KeysOfAnnotationsAreJudgedAsThoseOfLabels) {
  ApiWorld world;
  Json odd = node("a");
  odd["metadata"]["annotations"] = {{"bad key", "x"}};
  EXPECT_EQ(world.post(nodes, odd).json()["details"]["causes"][0]["field"], "metadata.annotations");
}

TEST(ApiWrites, ADaemonSetCountsTheChangesOfItsTemplate) {
  ApiWorld world;
  const std::string sets = "/apis/apps/v1/namespaces/default/daemonsets";
  const auto count = [](const Heard& heard) {
    return heard.json()["metadata"]["annotations"]["deprecated.daemonset.template.generation"];
  };
  const Json of_pods{{"metadata", {{"labels", {{"x", "y"}}}}},
                     {"spec", {{"containers", {{{"name", "c"}, {"image", "i:1"}}}}}}};
  const Json spec{{"selector", {{"matchLabels", {{"x", "y"}}}}}, {"template", of_pods}};
  EXPECT_EQ(count(world.post(sets, {{"metadata", {{"name", "d"}}}, {"spec", spec}})), "1");
  EXPECT_EQ(count(world.patch(sets + "/d", {{"metadata", {{"labels", {{"a", "b"}}}}}})), "1");
  const Json changed{{"spec", {{"template", {{"metadata", {{"labels", {{"a", "b"}}}}}}}}}};
  EXPECT_EQ(count(world.patch(sets + "/d", changed)), "2");
  const Json forged{
      {"metadata", {{"annotations", {{"deprecated.daemonset.template.generation", "9"}}}}}};
  EXPECT_EQ(count(world.patch(sets + "/d", forged)), "2");
}

TEST(ApiWrites, ReadingEndpointsWarnsThatTheyAreDeprecated) {
  ApiWorld world;
  EXPECT_EQ(world.get("/api/v1/endpoints").warning,
            "299 - \"v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 "
            "EndpointSlice\"");
}

TEST(ApiWrites, FieldsOfAWrongTypeAreABadRequest) {
  ApiWorld world;
  EXPECT_EQ(world.post(nodes, {{"metadata", {{"name", 7}}}}).status(), 400);
  EXPECT_EQ(world.ask("PATCH", nodes + "/a", "[", "application/merge-patch+json").status(), 400);
  EXPECT_EQ(world.ask("PATCH", nodes + "/a", "{}", "application/json").status(), 415);
}

TEST(ApiWrites, AnswersSayTheServersTime) {
  ApiWorld world;
  world.time.run_for(1500ms);
  EXPECT_EQ(world.get(nodes).response->date,
            WallTime(std::chrono::sys_days{std::chrono::year{2026} / 11 / 21} + 9h + 1s));
}

}  // namespace
}  // namespace nlc::sim

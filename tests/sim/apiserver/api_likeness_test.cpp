#include "tests/sim/apiserver/api_client.h"

/// What a client could take for another server, found by asking both the same.
namespace nlc::sim {
namespace {

std::string first_cause(const Heard& heard) {
  return heard.json()["details"]["causes"][0].value("message", "");
}

TEST(ApiManagedFields, ForgettingThemTakesAVersionOnce) {
  ApiWorld world;
  world.post(nodes, node("a", {{"x", "1"}}));
  const auto forget = [&world](const Json& nobody) {
    return version_of(
        world.patch(nodes + "/a", {{"metadata", {{"managedFields", nobody}}}}, "merge-patch"));
  };
  const std::string first = version_of(world.get(nodes + "/a"));
  const std::string second = forget(Json::array());
  EXPECT_NE(second, first);
  EXPECT_EQ(forget(Json::array({Json::object()})), second);
  EXPECT_FALSE(world.get(nodes + "/a").json()["metadata"].contains("managedFields"));
}

TEST(ApiManagedFields, OfAnObjectThatSaidNothingNobodyIsNoted) {
  ApiWorld world;
  const auto noted = [&world](const Json& object) {
    const std::string name = object["metadata"]["name"];
    const std::string made = version_of(world.post(nodes, object));
    Json dropped = node(name);
    dropped["metadata"] = object["metadata"];
    dropped["spec"]["configSource"] = {{"configMap", {{"name", "c"}}}};
    return version_of(world.put(nodes + "/" + name, dropped)) != made;
  };
  EXPECT_FALSE(noted(node("bare")));
  EXPECT_TRUE(noted(node("labelled", {{"x", "1"}})));
}

TEST(ApiManagedFields, AStatusWriteDisownsTheTemplateGenerationOnce) {
  ApiWorld world;
  const std::string sets = "/apis/apps/v1/namespaces/default/daemonsets";
  Json object{{"metadata", {{"name", "d"}}},
              {"spec",
               {{"selector", {{"matchLabels", {{"x", "y"}}}}},
                {"template", {{"metadata", {{"labels", {{"x", "y"}}}}}}}}}};
  object["spec"]["template"]["spec"] = pod("p")["spec"];
  ASSERT_EQ(world.post(sets, object).status(), 201);
  const auto moves = [&world, &sets, &object](const std::string& part) {
    const std::string before = version_of(world.get(sets + "/d"));
    const Json after = world.put(sets + "/d" + part, object).json();
    EXPECT_EQ(after["metadata"]["annotations"]["deprecated.daemonset.template.generation"], "1");
    return version_of(after) != before;
  };
  EXPECT_FALSE(moves(""));
  EXPECT_TRUE(moves("/status"));
  EXPECT_FALSE(moves("/status"));
  EXPECT_TRUE(moves(""));
  EXPECT_TRUE(moves("/status"));
}

TEST(ApiManagedFields, AStatusWriteForgetsNobody) {
  ApiWorld world;
  const Json made = world.post(nodes, node("a")).json();
  const Json nobody{{"metadata", {{"managedFields", Json::array()}}}};
  EXPECT_EQ(world.patch(nodes + "/a/status", nobody, "merge-patch").json(), made);
}

TEST(ApiManagedFields, AFieldThatIsDroppedIsNotedOnce) {
  ApiWorld world;
  Json object = world.post(leases, lease("l")).json();
  object["spec"]["strategy"] = "OldestEmulationVersion";
  const Json noted = world.put(leases + "/l", object).json();
  EXPECT_FALSE(noted["spec"].contains("strategy"));
  EXPECT_NE(version_of(noted), version_of(object));
  object["metadata"]["resourceVersion"] = version_of(noted);
  EXPECT_EQ(version_of(world.put(leases + "/l", object)), version_of(noted));
}

TEST(ApiManagedFields, AFieldThatIsThereFromATimeWhenItWasTakenStays) {
  ApiWorld world;
  Json object = lease("l");
  object["kind"] = "Lease";
  object["apiVersion"] = "coordination.k8s.io/v1";
  object["metadata"]["namespace"] = "kube-node-lease";
  object["spec"]["strategy"] = "OldestEmulationVersion";
  world.server.load(object);
  const Json stored = world.get(leases + "/l").json();
  const Json again = world.put(leases + "/l", stored).json();
  EXPECT_EQ(again["spec"]["strategy"], "OldestEmulationVersion");
  EXPECT_EQ(version_of(again), version_of(stored));
}

TEST(ApiMerging, ADirectiveForWhatIsNotThereBringsNothing) {
  ApiWorld world;
  world.post(nodes, {{"metadata", {{"name", "a"}}}});
  const Json merged =
      world.patch(nodes + "/a", {{"metadata", {{"labels", {{"$patch", "replace"}, {"q", "r"}}}}}})
          .json();
  EXPECT_FALSE(merged["metadata"].contains("labels"));
}

TEST(ApiMerging, TwoElementsOfOneKeyAreOne) {
  ApiWorld world;
  world.post(pods, pod("p"));
  const Json twice = Json::array({{{"name", "c"}, {"image", "i:1"}}, {{"name", "c"}}});
  const Heard merged = world.patch(pods + "/p", {{"spec", {{"containers", twice}}}});
  ASSERT_EQ(merged.status(), 200) << merged.message();
  EXPECT_EQ(merged.json()["spec"]["containers"].size(), 1U);
}

TEST(ApiMerging, OfASetEachValueIsKeptOnce) {
  ApiWorld world;
  Json held = node("a");
  held["metadata"]["finalizers"] = {"x.io/f", "x.io/f"};
  world.post(nodes, held);
  const Json merged =
      world.patch(nodes + "/a", {{"metadata", {{"finalizers", {"x.io/g"}}}}}).json();
  EXPECT_EQ(merged["metadata"]["finalizers"], Json::array({"x.io/g", "x.io/f"}));
}

TEST(ApiMerging, AJsonPatchFindsNullInWhatIsNotThere) {
  ApiWorld world;
  world.post(nodes, node("a", {{"x", "1"}}));
  const auto test = [&world](const Json& value) {
    const Json patch = Json::array({{{"op", "test"}, {"path", "/spec/taints"}, {"value", value}}});
    return world.patch(nodes + "/a", patch, "json-patch").status();
  };
  EXPECT_EQ(test(nullptr), 200);
  EXPECT_EQ(test(Json::array()), 422);
  const Json nothing = Json::array({{{"op", "add"}, {"path", "/metadata/labels/n"}}});
  EXPECT_EQ(world.patch(nodes + "/a", nothing, "json-patch").json()["metadata"]["labels"]["n"], "");
}

TEST(ApiMerging, AnOperationOfAJsonPatchActsOnMembersOfObjectsAndElementsOfListsOnly) {
  ApiWorld world;
  world.post(nodes, node("a", {{"x", "1"}}));
  for (const char* place : {"/metadata/name/x", "/metadata/labels/x/y", "/metadata/none/x",
                            "/spec/taints/4294967295/key", ""}) {
    for (const char* op : {"add", "remove", "test", "move", "copy"}) {
      const Json patch = Json::array(
          {{{"op", op}, {"path", place}, {"from", "/metadata/labels"}, {"value", nullptr}}});
      EXPECT_EQ(world.patch(nodes + "/a", patch, "json-patch").status(), 422) << patch;
    }
  }
  const Json replace = {{{"op", "replace"}, {"path", "/metadata/name/x"}, {"value", "1"}}};
  EXPECT_EQ(world.patch(nodes + "/a", replace, "json-patch").status(), 422);
  EXPECT_EQ(world.get(nodes + "/a").json()["metadata"]["labels"]["x"], "1");
}

TEST(ApiMerging, WhatAJsonPatchMovesIntoItselfHasNoPlaceAnyMore) {
  ApiWorld world;
  world.post(nodes, node("a", {{"x", "1"}}));
  const Json patch = {{{"op", "move"}, {"from", "/metadata"}, {"path", "/metadata/labels"}}};
  EXPECT_EQ(world.patch(nodes + "/a", patch, "json-patch").status(), 422);
}

/// Each operation doubles what the next one copies.
TEST(ApiMerging, CopiesOfAJsonPatchGrowToThreeMebibytesAtMost) {
  ApiWorld world;
  world.post(nodes, node("a", {{"x", "1"}}));
  Json patch = Json::array();
  for (int i = 0; i < 60; ++i) {
    patch.push_back(
        {{"op", "copy"}, {"from", "/metadata"}, {"path", "/metadata/" + std::to_string(i)}});
  }
  EXPECT_EQ(world.patch(nodes + "/a", patch, "json-patch").status(), 422);
}

TEST(ApiMerging, AJsonPatchHasTenThousandOperationsAtMost) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const Json test = {{"op", "test"}, {"path", "/metadata/name"}, {"value", "a"}};
  EXPECT_EQ(world.patch(nodes + "/a", Json(10'000, test), "json-patch").status(), 200);
  const Heard refused = world.patch(nodes + "/a", Json(10'001, test), "json-patch");
  EXPECT_EQ(refused.status(), 413);
  EXPECT_EQ(refused.message(),
            "Request entity is too large: The allowed maximum operations in a JSON patch is "
            "10000, got 10001");
}

TEST(ApiMerging, AnEventThatLosesItsNamespaceInAPatchIsStillWhereItIs) {
  ApiWorld world;
  const std::string events = "/api/v1/namespaces/default/events";
  world.post(events, {{"metadata", {{"name", "e"}}},
                      {"involvedObject", {{"kind", "Pod"}, {"namespace", "default"}}}});
  const Json kept{{"metadata", {{"$retainKeys", {"name"}}}}};
  EXPECT_EQ(world.patch(events + "/e", kept).status(), 200);
}

TEST(ApiJudging, AdmissionRefusesWhatOnlyItMaySay) {
  ApiWorld world;
  const auto refused = [&world](const char* field, const Json& value) {
    Json object = pod("p", "n");
    object["spec"][field] = value;
    return world.post(pods, object).status();
  };
  EXPECT_EQ(refused("preemptionPolicy", "Never"), 403);
  EXPECT_EQ(refused("overhead", {{"cpu", "1"}}), 403);
  EXPECT_EQ(refused("schedulingGates", Json::array({{{"name", "x.io/g"}}})), 422);
  EXPECT_EQ(refused("preemptionPolicy", "PreemptLowerPriority"), 201);
}

TEST(ApiJudging, AContainerMountsVolumesOfItsPod) {
  ApiWorld world;
  Json object = pod("p");
  object["spec"]["containers"][0]["volumeMounts"] = {{{"name", "v"}, {"mountPath", "/v"}}};
  EXPECT_EQ(first_cause(world.post(pods, object)), "Not found: \"v\"");
  object["spec"]["volumes"] = {{{"name", "v"}, {"emptyDir", Json::object()}}};
  EXPECT_EQ(world.post(pods, object).status(), 201);
}

TEST(ApiJudging, AnImageBeginsAndEndsWithoutBlanks) {
  ApiWorld world;
  Json object = pod("p");
  object["spec"]["containers"][0]["image"] = " i ";
  EXPECT_EQ(world.post(pods, object).status(), 422);
}

TEST(ApiJudging, ABoundPodIsNominatedForNoNode) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  world.post(pods, pod("q"));
  const Json nominated{{"status", {{"nominatedNodeName", "m"}}}};
  EXPECT_EQ(world.patch(pods + "/p/status", nominated).status(), 422);
  EXPECT_EQ(world.patch(pods + "/q/status", nominated).status(), 200);
}

TEST(ApiJudging, ConditionsOfPodsAreNamedAsLabelsAre) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const auto set = [&world](const char* type) {
    const Json condition{{"type", type}, {"status", "True"}};
    return world.patch(pods + "/p/status", {{"status", {{"conditions", {condition}}}}}).status();
  };
  EXPECT_EQ(set("bad type"), 422);
  EXPECT_EQ(set("example.com/good"), 200);
}

TEST(ApiJudging, FinalizersAreJudgedWhateverIsWritten) {
  ApiWorld world;
  world.post(leases, lease("l"));
  world.post(nodes, node("a"));
  const Json nameless{{"metadata", {{"finalizers", {""}}}}};
  EXPECT_EQ(first_cause(world.patch(leases + "/l", nameless)),
            "Invalid value: \"\": name part must be non-empty");
  const Json both{{"metadata", {{"finalizers", {"orphan", "foregroundDeletion"}}}}};
  EXPECT_EQ(world.patch(nodes + "/a/status", both).status(), 422);
}

TEST(ApiJudging, FinalizersOfNamespacesAreJudgedToo) {
  ApiWorld world;
  const auto named = [](const char* finalizer) -> Json {
    return {{"metadata", {{"name", "team"}}}, {"spec", {{"finalizers", {finalizer}}}}};
  };
  EXPECT_EQ(world.post("/api/v1/namespaces", named("nodomain")).status(), 422);
  EXPECT_EQ(world.post("/api/v1/namespaces", named("x.io/f")).status(), 201);
  EXPECT_EQ(world.put("/api/v1/namespaces/team/finalize", named("nodomain")).status(), 422);
  EXPECT_EQ(world.put("/api/v1/namespaces/team/finalize", named("kubernetes")).status(), 200);
}

TEST(ApiJudging, WhatIsQuotedStandsInTheOrderOfItsType) {
  ApiWorld world;
  Json object = node("a");
  const Json owner{
      {"apiVersion", "v1"}, {"kind", "Foo"}, {"name", "o"}, {"uid", "1"}, {"controller", true}};
  object["metadata"]["ownerReferences"] = {owner, owner};
  object["metadata"]["ownerReferences"][1]["uid"] = "2";
  const std::string shown = first_cause(world.post(nodes, object));
  EXPECT_TRUE(shown.starts_with(
      R"(Invalid value: [{"apiVersion":"v1","kind":"Foo","name":"o","uid":"1","controller":true},)"))
      << shown;
}

TEST(ApiWriting, AKindThatIsNoTextIsNoKind) {
  ApiWorld world;
  const std::string none =
      "couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct "
      "field .kind of type string";
  EXPECT_EQ(told(world.ask("POST", nodes, R"({"kind":{},"apiVersion":1,"metadata":{}})")),
            "400 BadRequest: the object provided is unrecognized (must be of type Node): " + none +
                R"( ({"kind":{},"apiVersion":1,"met ...))");
  world.post(nodes, node("a"));
  EXPECT_EQ(told(world.put(nodes + "/a", {{"apiVersion", true}, {"metadata", {{"name", "a"}}}})),
            "400 BadRequest: the object provided is unrecognized (must be of type Node): couldn't "
            "get version/kind; json parse error: json: cannot unmarshal bool into Go struct field "
            R"(.apiVersion of type string ({"apiVersion":true,"metadata": ...))");
  EXPECT_EQ(
      world.ask("POST", nodes, "kind: {}\nmetadata: {name: b}\n", "application/yaml").status(),
      400);
  EXPECT_EQ(told(world.remove(nodes + "/a", {{"kind", Json::object()}})),
            "400 BadRequest: " + none);
  EXPECT_EQ(world.post(nodes, {{"kind", nullptr}, {"metadata", {{"name", "c"}}}}).status(), 201);
  EXPECT_EQ(world.remove(nodes + "/c", {{"kind", nullptr}}).status(), 200);
}

TEST(ApiWriting, APatchMakesNoKindThatIsNoText) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const auto why = [&world](const Json& kind, const std::string& type) {
    const Heard refused = world.patch(nodes + "/a", {{"kind", kind}}, type);
    EXPECT_EQ(refused.status(), 422);
    const std::string message = refused.message();
    return message.substr(message.rfind("\": ") + 3);
  };
  EXPECT_EQ(why(Json::object(), "merge-patch"),
            "couldn't get version/kind; json parse error: json: cannot unmarshal object into Go "
            "struct field .kind of type string");
  EXPECT_EQ(why(Json::array(), "strategic-merge-patch"), "unrecognized type: string");
  EXPECT_EQ(why(1, "strategic-merge-patch"), "cannot convert int64 to string");
  EXPECT_EQ(why(1.5, "strategic-merge-patch"), "unrecognized type: string");
}

TEST(ApiWriting, NothingBeginsInANegativeGeneration) {
  ApiWorld world;
  Json object = node("a");
  object["metadata"]["generation"] = -1;
  EXPECT_EQ(told(world.post(nodes, object)),
            "422 Invalid: Node \"a\" is invalid: metadata.generation: Invalid value: -1: must be "
            "greater than or equal to 0");
  Json counted = pod("p");
  counted["metadata"]["generation"] = -1;
  EXPECT_EQ(world.post(pods, counted).json()["metadata"]["generation"], 1);
  world.post(nodes, node("a"));
  const Heard kept = world.put(nodes + "/a", object);
  EXPECT_EQ(kept.status(), 200) << kept.message();
  EXPECT_FALSE(kept.json()["metadata"].contains("generation"));
}

TEST(ApiWriting, AnUpdateOfWhatIsNotThereReadsTheVersionItIsFor) {
  ApiWorld world;
  const auto put = [&world](const char* version) {
    Json object = lease("l");
    object["metadata"]["resourceVersion"] = version;
    const std::string answer = told(world.put(leases + "/l", object));
    world.remove(leases + "/l");
    return answer;
  };
  const std::string parsing = "500 strconv.ParseUint: parsing ";
  EXPECT_EQ(put("0x10"), parsing + "\"0x10\": invalid syntax");
  EXPECT_EQ(put("-1"), parsing + "\"-1\": invalid syntax");
  EXPECT_EQ(put("99999999999999999999"), parsing + "\"99999999999999999999\": value out of range");
  for (const char* version : {"", "0", "00", "1"}) EXPECT_EQ(put(version), "201") << version;
}

TEST(ApiWriting, ANewObjectHasNoVersionThatIsANumber) {
  ApiWorld world;
  const auto post = [&world](const char* version) {
    Json object = lease("l");
    object["metadata"]["resourceVersion"] = version;
    const std::string answer = told(world.post(leases, object));
    world.remove(leases + "/l");
    return answer;
  };
  for (const char* version : {"", "0", "00", "x", "0x10", "-1"})
    EXPECT_EQ(post(version), "201") << version;
  EXPECT_EQ(post("01"), "500 resourceVersion should not be set on objects to be created");
}

TEST(ApiWriting, AVersionIsANumberHoweverItIsSpelled) {
  ApiWorld world;
  world.post(nodes, node("a"));
  world.post(leases, lease("l"));
  const auto put = [&world](const std::string& version) {
    Json object = node("a");
    object["metadata"]["resourceVersion"] = version;
    return world.put(nodes + "/a", object).status();
  };
  EXPECT_EQ(put("0" + version_of(world.get(nodes + "/a"))), 200);
  EXPECT_EQ(put("00"), 200);
  EXPECT_EQ(put("01"), 409);
  Json object = lease("l");
  object["metadata"]["resourceVersion"] = "00";
  EXPECT_EQ(world.put(leases + "/l", object).status(), 422);
}

TEST(ApiWarnings, OwnersNamedTwiceAreWarnedOfAndKeptOnce) {
  ApiWorld world;
  const Json owner{{"apiVersion", "v1"}, {"kind", "Foo"}, {"name", "o"}, {"uid", "1"}};
  Json object = node("a");
  object["metadata"]["ownerReferences"] = {owner, owner};
  const Heard made = world.post(nodes, object);
  EXPECT_EQ(made.json()["metadata"]["ownerReferences"].size(), 1U);
  EXPECT_NE(made.warning.find("contains duplicate entries; API server dedups"), std::string::npos)
      << made.warning;
}

TEST(ApiWarnings, WhatIsTakenAndMakesNoSenseIsWarnedOf) {
  ApiWorld world;
  Json old_node = node("a");
  old_node["spec"]["externalID"] = "e";
  EXPECT_EQ(world.post(nodes, old_node).warning,
            "299 - \"spec.externalID: this field is deprecated, and is unused by Kubernetes\"");
  Json spread = pod("p");
  spread["spec"]["topologySpreadConstraints"] = {
      {{"maxSkew", 1}, {"topologyKey", "z"}, {"whenUnsatisfiable", "DoNotSchedule"}}};
  EXPECT_EQ(world.post(pods, spread).warning,
            "299 - \"spec.topologySpreadConstraints[0].labelSelector: a null labelSelector results "
            "in matching no pod\"");
}

TEST(ApiWarnings, AFieldThatIsThereTwiceIsWarnedOfAndStrictlyRefused) {
  ApiWorld world;
  const std::string twice = R"({"metadata":{"name":"a","name":"b"}})";
  EXPECT_EQ(world.ask("POST", nodes, twice).warning,
            "299 - \"duplicate field \\\"metadata.name\\\"\"");
  EXPECT_EQ(world.get(nodes + "/b").status(), 200);
  const Heard strict = world.ask("POST", nodes + "?fieldValidation=Strict", twice);
  EXPECT_EQ(strict.status(), 400);
  EXPECT_TRUE(
      strict.message().ends_with("strict decoding error: duplicate field \"metadata.name\""))
      << strict.message();
}

TEST(ApiWarnings, AKeyThatIsThereTwiceInYamlIsWarnedOfAndStrictlyRefused) {
  ApiWorld world;
  const std::string twice = "metadata:\n  name: a\n  name: b\n";
  const std::string fault = "yaml: line 3: the key \"name\" found a second time";
  const Heard made = world.ask("POST", nodes, twice, "application/yaml");
  EXPECT_EQ(made.status(), 201);
  EXPECT_THAT(made.warning, ::testing::HasSubstr("yaml: line 3: the key"));
  EXPECT_EQ(world.get(nodes + "/b").status(), 200);
  const Heard strict =
      world.ask("POST", nodes + "?fieldValidation=Strict", twice, "application/yaml");
  EXPECT_EQ(strict.status(), 400);
  EXPECT_THAT(strict.message(), ::testing::HasSubstr("strict decoding error: " + fault));
}

TEST(ApiWarnings, AKeyThatIsAppliedTwiceIsWarnedOfAndStrictlyRefused) {
  ApiWorld world;
  const std::string twice =
      "apiVersion: v1\nkind: Node\nmetadata: {name: a, labels: {x: 'old', x: 'new'}}\n";
  const std::string target = nodes + "/a?fieldManager=m";
  const Heard strict =
      world.ask("PATCH", target + "&fieldValidation=Strict", twice, "application/apply-patch+yaml");
  EXPECT_EQ(strict.status(), 400);
  EXPECT_THAT(strict.message(), ::testing::HasSubstr("error strict decoding YAML: yaml: line 3: "));
  const Heard made = world.ask("PATCH", target, twice, "application/apply-patch+yaml");
  EXPECT_EQ(made.status(), 201);
  EXPECT_THAT(made.warning, ::testing::HasSubstr("found a second time"));
  EXPECT_EQ(made.json()["metadata"]["labels"]["x"], "new");
}

}  // namespace
}  // namespace nlc::sim

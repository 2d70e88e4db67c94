#include "tests/sim/apiserver/api_client.h"

/// Which addresses there are, and what may be asked of them, found by asking a real server the
/// same.
namespace nlc::sim {
namespace {

const std::string unknown_address = "the server could not find the requested resource";

Heard accepting(ApiWorld& world, const std::string& target, const std::string& accept) {
  return *world.watch(target, accept).heard;
}

TEST(ApiAddresses, WhatAKindDoesNotHaveIsNoAddress) {
  ApiWorld world;
  world.post(nodes, node("a"));
  for (const char* target :
       {"/api/v1/nodes/a/status/extra", "/api/v1/nodes/a%2Fb", "/api/v1/pods/p", "/api/v2/nodes",
        "/api/v1/namespaces/default/nodes", "/apis/apps/v2/daemonsets"}) {
    const Heard answer = world.get(target);
    EXPECT_EQ(answer.status(), 404) << target;
    EXPECT_EQ(answer.message(), unknown_address) << target;
    EXPECT_EQ(answer.json()["details"], Json::object()) << target;
  }
  EXPECT_EQ(world.get("/bogus").response->body, "404 page not found\n");
  EXPECT_EQ(world.get("/apis/bogus/v1/x").response->body, "404 page not found\n");
}

TEST(ApiAddresses, PodsOfAllNamespacesAreReadAndNotWritten) {
  ApiWorld world;
  world.post(pods, pod("p"));
  EXPECT_EQ(world.get("/api/v1/pods").json()["items"].size(), 1U);
  EXPECT_EQ(world.get("/api/v1/namespaces//pods").json()["items"].size(), 1U);
  EXPECT_EQ(world.post("/api/v1/pods", pod("q")).status(), 405);
  EXPECT_EQ(world.remove("/api/v1/pods").status(), 405);
}

TEST(ApiAddresses, HeadIsAllowedForNoResource) {
  ApiWorld world;
  world.post(nodes, node("a"));
  for (const std::string& target : {nodes, nodes + "/a", nodes + "?watch=1"})
    EXPECT_EQ(world.ask("HEAD", target).status(), 405) << target;
}

TEST(ApiAddresses, DotsAreNoName) {
  ApiWorld world;
  const Heard answer = world.get("/api/v1/nodes/%2e%2e");
  EXPECT_EQ(answer.status(), 400);
  EXPECT_EQ(answer.message(), "Name parameter invalid: \"..\": may not be '..'");
}

TEST(ApiReading, NumbersOfOptionsAreReadFirst) {
  ApiWorld world;
  for (const char* query : {"?timeoutSeconds=x", "?limit=x&labelSelector=bad+key%3D1"}) {
    const Heard answer = world.get(nodes + query);
    EXPECT_EQ(answer.status(), 400);
    EXPECT_EQ(answer.message(), "strconv.ParseInt: parsing \"x\": invalid syntax");
  }
}

TEST(ApiReading, ATokenThatGoesOnWithNothingSaysWhy) {
  ApiWorld world;
  const auto why = [&world](const std::string& token) {
    return world.get(nodes + "?continue=" + token).message();
  };
  const std::string begin = "invalid continue token: continue key is not valid: ";
  EXPECT_EQ(why("garbage"), begin + "invalid character '\\u0081' looking for beginning of value");
  EXPECT_EQ(why("%21"), begin + "illegal base64 data at input byte 0");
  EXPECT_EQ(why("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MCwic3RhcnQiOiJ4In0"),
            begin + "incorrect encoded start resourceVersion (version meta.k8s.io/v1)");
}

TEST(ApiReading, ABoundThatIsNoNumberIsRefused) {
  ApiWorld world;
  EXPECT_EQ(world.get(nodes + "?labelSelector=a%3E1").status(), 200);
  EXPECT_EQ(world.get(nodes + "?labelSelector=a%3Ex").message(),
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
            "operators, the value must be an integer");
}

TEST(ApiReading, ASelectorNamesLabelsThatThereCanBe) {
  ApiWorld world;
  const auto why = [&world](const std::string& selector) {
    const Heard answer = world.get(nodes + "?labelSelector=" + selector);
    EXPECT_EQ(answer.status(), 400);
    const std::string begin = "unable to parse requirement: ";
    return answer.message().starts_with(begin) ? answer.message().substr(begin.size()) : "";
  };
  EXPECT_THAT(why("a/"), ::testing::StartsWith("<nil>: Invalid value: \"a/\": name part must be "
                                               "non-empty; name part must consist of "));
  EXPECT_THAT(why("-a%3D-"),
              ::testing::StartsWith("<nil>: Invalid value: \"-a\": name part must "));
  EXPECT_THAT(why("a+in+(b,-)"),
              ::testing::StartsWith("values[1][a]: Invalid value: \"-\": a valid label must be "));
  EXPECT_THAT(why("a%3E-"), ::testing::StartsWith(
                                "[values[0]: Invalid value: \"-\": for 'Gt', 'Lt' operators, the "
                                "value must be an integer, values[0][a]: Invalid value: "));
  EXPECT_EQ(world.get(nodes + "?labelSelector=a.b/c_D+in+()").status(), 200);
}

TEST(ApiReading, FieldsAreJudgedInTheirOwnOrder) {
  ApiWorld world;
  EXPECT_EQ(world.get(nodes + "?fieldSelector=status.phase%3Da,spec.nodeName%3Db").message(),
            "field label not supported: spec.nodeName");
}

TEST(ApiReading, EventsHaveNoCacheToSayWhatIsWrongWithAVersion) {
  ApiWorld world;
  const Heard answer = world.get("/api/v1/namespaces/default/events/e?resourceVersion=x");
  EXPECT_EQ(answer.status(), 400);
  EXPECT_TRUE(answer.message().starts_with("invalid resource version: ")) << answer.message();
}

TEST(ApiReading, TablesAndMetadataComeInTheVersionThatWasAskedFor) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const Json table =
      accepting(world, nodes, "application/json;as=Table;v=v1beta1;g=meta.k8s.io").json();
  EXPECT_EQ(table["apiVersion"], "meta.k8s.io/v1beta1");
  EXPECT_EQ(table["rows"][0]["object"]["apiVersion"], "meta.k8s.io/v1beta1");
  const std::string partial = "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io";
  EXPECT_EQ(accepting(world, nodes, partial).json()["items"].size(), 1U);
  EXPECT_TRUE(accepting(world, pods, partial).json()["items"].is_null());
}

TEST(ApiReading, WhereAWatchMayGoItsFormsAreOfferedToo) {
  ApiWorld world;
  const std::string single = accepting(world, nodes + "/a", "text/html").message();
  EXPECT_TRUE(single.ends_with(", application/vnd.kubernetes.protobuf")) << single;
  const std::string list = accepting(world, nodes, "text/html").message();
  EXPECT_TRUE(list.ends_with(", application/vnd.kubernetes.protobuf;stream=watch")) << list;
}

TEST(ApiReading, AServerThatHasForgottenNothingIsWatchedFromTheBeginning) {
  ApiWorld world({.history = {.first_version = 1'000}});
  world.post(nodes, node("a"));
  EXPECT_EQ(world.watch(nodes + "?watch=1&resourceVersion=1")->story(), "ADDED a");
}

TEST(ApiReading, ARowTellsThatItsPodHasEnded) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const auto conditions = [&world] {
    return accepting(world, pods, "application/json;as=Table;v=v1;g=meta.k8s.io")
        .json()["rows"][0]
        .value("conditions", Json());
  };
  EXPECT_TRUE(conditions().is_null());
  world.patch(pods + "/p/status", {{"status", {{"phase", "Failed"}}}});
  EXPECT_EQ(conditions()[0]["reason"], "Failed");
}

TEST(ApiAddresses, BytesThatAreNoTextAreAnsweredToo) {
  ApiWorld world;
  EXPECT_EQ(world.get("/api/v1/nodes/%25%ff").status(), 400);
  EXPECT_EQ(world.get(nodes + "?labelSelector=%ff").status(), 400);
  EXPECT_EQ(world.get(nodes + "?labelSelector=a%3E%ff").status(), 400);
  EXPECT_EQ(world.watch(nodes + "?watch=1&labelSelector=a%3E%ff")->status(), 400);
  EXPECT_EQ(world.get(nodes + "?resourceVersion=%ff").status(), 400);
  EXPECT_EQ(world.post(nodes + "?fieldValidation=%ff", node("a")).status(), 422);
}

TEST(ApiAddresses, ATimeoutIsADurationWhateverIsAsked) {
  ApiWorld world;
  const auto refused = [&world](const std::string& target, const std::string& why) {
    EXPECT_EQ(told(world.get(target)),
              "400 BadRequest: invalid timeout specified in the request URL - time: " + why);
  };
  refused(nodes + "?timeout=x", "invalid duration \"x\"");
  refused("/healthz?timeout=1", "missing unit in duration \"1\"");
  refused("/nothing?timeout=1d", "unknown unit \"d\" in duration \"1d\"");
  refused(nodes + "?timeout=1.2.3s", "missing unit in duration \"1.2.3s\"");
  refused(nodes + "?timeout=.s", "invalid duration \".s\"");
  refused(nodes + "?timeout=%ff", "invalid duration \"\\xff\"");
  refused(nodes + "?timeout=9999999999h", "invalid duration \"9999999999h\"");
  for (const char* fine : {"", "0", "1m30s", "-1s", "%2B1s"})
    EXPECT_EQ(world.get(nodes + "?timeout=" + fine).status(), 200) << fine;
  EXPECT_TRUE(world.watch(nodes + "?watch=1&timeout=x")->opened);
}

TEST(ApiReading, FalseIsFalseInAnyCase) {
  ApiWorld world;
  for (const char* list : {"0", "false", "False", "FALSE"})
    EXPECT_EQ(world.get(nodes + "?watch=" + list).status(), 200) << list;
  for (const char* watch : {"1", "", "f", "no", "bad"})
    EXPECT_TRUE(world.watch(nodes + "?watch=" + watch)->opened) << watch;
}

TEST(ApiReading, ANumberBeyondAllIsToldAsSuch) {
  ApiWorld world;
  const std::string far = "99999999999999999999";
  EXPECT_EQ(told(world.get(nodes + "?limit=" + far)),
            "400 BadRequest: strconv.ParseInt: parsing \"" + far + "\": value out of range");
  EXPECT_EQ(world.get(nodes + "?limit=%2B1").status(), 200);
  EXPECT_EQ(told(world.get(nodes + "?resourceVersion=" + far)),
            "400 BadRequest: invalid resource version: resourceVersion: Invalid value: \"" + far +
                "\": strconv.ParseUint: parsing \"" + far + "\": value out of range");
}

}  // namespace
}  // namespace nlc::sim

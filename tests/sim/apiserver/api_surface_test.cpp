#include "sim/apiserver/answers/table.h"
#include "sim/apiserver/types/typed_object.h"
#include "tests/sim/apiserver/api_client.h"

namespace nlc::sim {
namespace {

TEST(ApiTable, SpansAreShortAsKubectlShowsThem) {
  EXPECT_EQ(short_span(0s), "0s");
  EXPECT_EQ(short_span(-1s), "0s");
  EXPECT_EQ(short_span(-2s), "<invalid>");
  EXPECT_EQ(short_span(119s), "119s");
  EXPECT_EQ(short_span(120s), "2m");
  EXPECT_EQ(short_span(9min + 59s), "9m59s");
  EXPECT_EQ(short_span(10min + 59s), "10m");
  EXPECT_EQ(short_span(3h - 1s), "179m");
  EXPECT_EQ(short_span(5h + 30min), "5h30m");
  EXPECT_EQ(short_span(47h + 59min), "47h");
  EXPECT_EQ(short_span(50h), "2d2h");
  EXPECT_EQ(short_span(24h * 400), "400d");
  EXPECT_EQ(short_span(24h * 365 * 3), "3y");
}

Json row_of(const Heard& heard) { return heard.json()["rows"][0]["cells"]; }

Heard as_table(ApiWorld& world, const std::string& target) {
  return *world.watch(target, "application/json;as=Table;v=v1;g=meta.k8s.io,application/json")
              .heard;
}

TEST(ApiTable, ACordonedSilentNodeSaysBoth) {
  ApiWorld world;
  world.post(nodes, node("a", {{"node-role.kubernetes.io/edge", ""}}));
  EXPECT_EQ(row_of(as_table(world, nodes))[1], "Unknown");
  world.patch(nodes + "/a", {{"spec", {{"unschedulable", true}}}});
  world.patch(nodes + "/a/status",
              {{"status", {{"conditions", {{{"type", "Ready"}, {"status", "Unknown"}}}}}}});
  const Json cells = row_of(as_table(world, nodes));
  EXPECT_EQ(cells[1], "NotReady,SchedulingDisabled");
  EXPECT_EQ(cells[2], "edge");
}

TEST(ApiTable, AMarkedPodIsTerminatingUnlessItFinished) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  EXPECT_EQ(row_of(as_table(world, pods))[2], "Pending");
  world.remove(pods + "/p");
  EXPECT_EQ(row_of(as_table(world, pods))[2], "Terminating");
  world.patch(pods + "/p/status", {{"status", {{"phase", "Failed"}, {"reason", "Evicted"}}}});
  EXPECT_EQ(row_of(as_table(world, pods))[2], "Evicted");
}

TEST(ApiTable, ContainersTellWhyAPodDoesNotRun) {
  ApiWorld world;
  world.post(pods, pod("p", "n"));
  const Json crashing{{"name", "c"},
                      {"ready", false},
                      {"restartCount", 3},
                      {"lastState", {{"terminated", {{"finishedAt", "2026-11-21T08:58:00Z"}}}}},
                      {"state", {{"waiting", {{"reason", "CrashLoopBackOff"}}}}}};
  world.patch(pods + "/p/status",
              {{"status", {{"phase", "Running"}, {"containerStatuses", {crashing}}}}});
  const Json cells = row_of(as_table(world, pods));
  EXPECT_EQ(cells[1], "0/1");
  EXPECT_EQ(cells[2], "CrashLoopBackOff");
  EXPECT_EQ(cells[3], "3 (2m ago)");
}

TEST(ApiTable, RowsCarryMetadataWholeObjectsOrNothing) {
  ApiWorld world;
  world.post(nodes, node("a"));
  const auto object = [&](const std::string& option) {
    return as_table(world, nodes + "?includeObject=" + option)
        .json()["rows"][0]
        .value("object", Json());
  };
  EXPECT_EQ(object("Metadata")["kind"], "PartialObjectMetadata");
  EXPECT_EQ(object("Object")["kind"], "Node");
  EXPECT_TRUE(object("None").is_null());
}

TEST(ApiTable, EveryKindHasColumnsForEveryCell) {
  ApiWorld world;
  for (const Resource& resource : resources()) {
    Json object{{"apiVersion", api_version_of(resource)},
                {"kind", resource.kind},
                {"metadata", {{"name", "x"}}}};
    if (resource.namespaced) object["metadata"]["namespace"] = "default";
    const ObjectRef stored = world.server.load(object);
    const Json columns = Json::parse(column_definitions(resource));
    const Json cells =
        cells_of(resource, ObjectView(world.server.storage(), stored), world.time.wall_now());
    EXPECT_EQ(columns.size(), cells.size()) << resource.kind;
    EXPECT_FALSE(columns.empty()) << resource.kind;
  }
}

TEST(ApiFieldValidation, StrictRefusesWarnTellsIgnoreIsSilent) {
  ApiWorld world;
  Json odd = lease("a");
  odd["spec"]["renewTimee"] = "now";
  const Heard strict = world.post(leases + "?fieldValidation=Strict", odd);
  EXPECT_EQ(strict.status(), 400);
  EXPECT_EQ(strict.message(),
            "Lease in version \"v1\" cannot be handled as a Lease: strict decoding error: unknown "
            "field \"spec.renewTimee\"");
  const Heard warned = world.post(leases, odd);
  EXPECT_EQ(warned.status(), 201);
  EXPECT_EQ(warned.warning, "299 - \"unknown field \\\"spec.renewTimee\\\"\"");
  EXPECT_FALSE(warned.json()["spec"].contains("renewTimee"));
  Json other = odd;
  other["metadata"]["name"] = "b";
  EXPECT_EQ(world.post(leases + "?fieldValidation=Ignore", other).warning, "");
}

TEST(ApiFieldValidation, MistypedFieldsOfContainersAndPodsAreEachWarnedOf) {
  ApiWorld world;
  Json object = pod("p");
  object["spec"]["nodeNam"] = "x";
  object["spec"]["containers"][0]["imagePulPolicy"] = "Never";
  const Heard warned = world.post("/api/v1/namespaces/default/pods", object);
  EXPECT_EQ(warned.status(), 201);
  EXPECT_EQ(warned.warning,
            "299 - \"unknown field \\\"spec.containers[0].imagePulPolicy\\\"\", "
            "299 - \"unknown field \\\"spec.nodeNam\\\"\"");
}

TEST(ApiFieldValidation, ValuesOfAnotherTypeAreRefusedWhoeverWritesThem) {
  ApiWorld world;
  const std::string pods = "/api/v1/namespaces/default/pods";
  Json object = pod("p");
  object["spec"]["terminationGracePeriodSeconds"] = "soon";
  const Heard created = world.post(pods, object);
  EXPECT_EQ(created.status(), 400);
  EXPECT_EQ(created.message(),
            "Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal string into "
            "Go struct field PodSpec.spec.terminationGracePeriodSeconds of type int64");
  object = pod("p");
  object["metadata"]["ownerReferences"] = {"somebody"};
  EXPECT_EQ(world.post(pods, object).message(),
            "Pod in version \"v1\" cannot be handled as a Pod: json: cannot unmarshal string into "
            "Go struct field ObjectMeta.metadata.ownerReferences of type v1.OwnerReference");
  object = pod("p");
  object["metadata"]["labels"]["app"] = 1;
  EXPECT_EQ(world.post(pods, object).status(), 400);
  world.post("/api/v1/nodes", {{"metadata", {{"name", "n"}}}});
  const Json patch{{"spec", {{"unschedulable", "yes"}}}};
  const Heard patched = world.patch("/api/v1/nodes/n", patch, "merge-patch");
  EXPECT_EQ(patched.status(), 422);
  EXPECT_TRUE(
      patched.message().ends_with("cannot unmarshal string into Go struct field "
                                  "NodeSpec.spec.unschedulable of type bool"))
      << patched.message();
  EXPECT_EQ(world.patch("/api/v1/nodes/n", patch).status(), 422);
  EXPECT_FALSE(world.get("/api/v1/nodes/n").json()["spec"].contains("unschedulable"));
}

TEST(ApiFieldValidation, WhatIsNestedWithoutEndIsRefusedInBodiesAndPatches) {
  ApiWorld world;
  world.post("/api/v1/nodes", {{"metadata", {{"name", "n"}}}});
  const std::string nested = std::string(200'000, '[') + std::string(200'000, ']');
  const std::string body = R"({"status":{"odd":)" + nested + "}}";
  EXPECT_EQ(world.ask("PUT", "/api/v1/nodes/n", body, "application/json").message(),
            "json: exceeded max depth");
  EXPECT_EQ(world.ask("PATCH", "/api/v1/nodes/n", body, "application/merge-patch+json").message(),
            "error decoding patch: json: exceeded max depth");
}

TEST(ApiFieldValidation, PatchesAreValidatedToo) {
  ApiWorld world;
  world.post("/api/v1/nodes", {{"metadata", {{"name", "n"}}}});
  const auto patch = [&](const std::string& mode) {
    return world.ask("PATCH", "/api/v1/nodes/n?fieldValidation=" + mode,
                     R"({"spec":{"unschedulabel":true}})",
                     "application/strategic-merge-patch+json");
  };
  EXPECT_EQ(patch("Warn").warning, "299 - \"unknown field \\\"spec.unschedulabel\\\"\"");
  EXPECT_EQ(patch("Ignore").warning, "");
  const Heard refused = patch("Strict");
  EXPECT_EQ(refused.status(), 422);
  EXPECT_TRUE(
      refused.message().ends_with("strict decoding error: unknown field \"spec.unschedulabel\""))
      << refused.message();
  EXPECT_FALSE(world.get("/api/v1/nodes/n").json()["spec"].contains("unschedulabel"));
}

TEST(ApiFieldValidation, EveryFieldOfAPodIsKnown) {
  Json object = pod("p");
  object["spec"]["affinity"] = {{"nodeAffinity", Json::object()}};
  object["spec"]["volumes"] = {{{"name", "v"}, {"hostPath", {{"path", "/x"}}}}};
  object["metadata"]["managedFields"] = Json::array();
  object["speck"] = 1;
  object["spec"]["volumes"][0]["hostPath"]["odd"] = 1;
  EXPECT_EQ(read_typed("Pod", object).complaints,
            (std::vector<std::string>{"unknown field \"spec.volumes[0].hostPath.odd\"",
                                      "unknown field \"speck\""}));
}

TEST(ApiDiscovery, BothAggregatedVersionsAreSpoken) {
  ApiWorld world;
  const auto ask = [&](const std::string& accept) {
    return world.watch("/apis", accept).heard->response->content_type;
  };
  EXPECT_EQ(ask("application/"
                "json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList;profile=nopeer,"
                "application/json"),
            "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  EXPECT_EQ(ask("application/"
                "json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json"),
            "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList");
  EXPECT_EQ(ask("application/json"), "application/json");
}

TEST(ApiDiscovery, OpenApiTellsThatFieldsAreValidatedHere) {
  ApiWorld world;
  const Json paths = world.get("/openapi/v3/apis/coordination.k8s.io/v1").json()["paths"];
  const Json patch = paths.begin().value()["patch"];
  EXPECT_EQ(patch["x-kubernetes-group-version-kind"]["kind"], "Lease");
  EXPECT_EQ(patch["parameters"][2]["name"], "fieldValidation");
}

TEST(ApiDiscovery, TheOlderOpenApiIsEmptySoThatKubectlSaysThatNobodyKnowsAKind) {
  ApiWorld world;
  const Heard document = world.get("/openapi/v2");
  EXPECT_EQ(document.response->content_type,
            "application/com.github.proto-openapi.spec.v2.v1.0+protobuf");
  EXPECT_EQ(document.response->body,
            "\x0a\x03"
            "2.0");
}

TEST(ApiDiscovery, HealthAndVersionAreOpenToAll) {
  ApiServerOptions options;
  options.users = std::map<std::string, std::string>{};
  ApiWorld world(options);
  for (const char* path : {"/version", "/readyz", "/livez", "/healthz", "/readyz?verbose"}) {
    EXPECT_EQ(world.get(path).status(), 200) << path;
  }
  EXPECT_EQ(world.get("/api").status(), 401);
}

}  // namespace
}  // namespace nlc::sim

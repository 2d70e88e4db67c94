#include "sim/apiserver/discovery.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "client/text_response.h"
#include "runtime/words.h"
#include "sim/apiserver/requests/body_codec.h"
#include "sim/apiserver/verbs.h"

namespace nlc::sim {
namespace {

using OrderedJson = nlohmann::ordered_json;
using client::IncomingRequest;
using client::json_response;
using client::Response;
using client::text_response;

struct GroupVersion {
  std::string_view group;
  std::string_view version;
};
constexpr std::array<GroupVersion, 3> group_versions{
    {{"", "v1"}, {"apps", "v1"}, {"coordination.k8s.io", "v1"}}};

std::string text_of(const GroupVersion& each) {
  return each.group.empty() ? std::string(each.version)
                            : std::string(each.group) + "/" + std::string(each.version);
}

OrderedJson list_of(std::span<const std::string_view> words) {
  return OrderedJson(std::vector<std::string>(words.begin(), words.end()));
}

void add_names(const Resource& resource, OrderedJson& entry) {
  if (!resource.short_name.empty()) entry["shortNames"] = OrderedJson::array({resource.short_name});
  if (!resource.category.empty()) entry["categories"] = OrderedJson::array({resource.category});
}

OrderedJson resource_entry(const Resource& resource) {
  OrderedJson entry{{"name", resource.plural},
                    {"singularName", resource.singular},
                    {"namespaced", resource.namespaced},
                    {"kind", resource.kind},
                    {"verbs", list_of(resource.verbs)}};
  add_names(resource, entry);
  entry["storageVersionHash"] = resource.storage_version_hash;
  return entry;
}

OrderedJson subresource_entry(const Resource& resource, const Subresource& subresource) {
  OrderedJson entry{{"name", std::string(resource.plural) + "/" + std::string(subresource.name)},
                    {"singularName", ""},
                    {"namespaced", resource.namespaced}};
  if (!subresource.group.empty()) {
    entry["group"] = subresource.group;
    entry["version"] = subresource.version;
  }
  entry["kind"] = subresource.kind;
  entry["verbs"] = list_of(subresource.verbs);
  return entry;
}

OrderedJson resource_list(const GroupVersion& wanted) {
  OrderedJson list{{"kind", "APIResourceList"}};
  if (!wanted.group.empty()) list["apiVersion"] = "v1";
  list["groupVersion"] = text_of(wanted);
  list["resources"] = OrderedJson::array();
  for (const Resource& resource : resources()) {
    if (resource.group != wanted.group || resource.version != wanted.version) continue;
    list["resources"].push_back(resource_entry(resource));
    for (const Subresource& subresource : resource.subresources) {
      list["resources"].push_back(subresource_entry(resource, subresource));
    }
  }
  return list;
}

OrderedJson group_entry(const GroupVersion& each) {
  const OrderedJson version{{"groupVersion", text_of(each)}, {"version", each.version}};
  return {{"name", each.group},
          {"versions", OrderedJson::array({version})},
          {"preferredVersion", version}};
}

OrderedJson group_list() {
  OrderedJson list{
      {"kind", "APIGroupList"}, {"apiVersion", "v1"}, {"groups", OrderedJson::array()}};
  for (const GroupVersion& each : group_versions) {
    if (!each.group.empty()) list["groups"].push_back(group_entry(each));
  }
  return list;
}

OrderedJson response_kind(std::string_view group, std::string_view version, std::string_view kind) {
  return {{"group", group}, {"version", version}, {"kind", kind}};
}

OrderedJson aggregated_resource(const Resource& resource) {
  OrderedJson entry{
      {"resource", resource.plural},
      {"responseKind", response_kind(resource.group, resource.group.empty() ? "" : resource.version,
                                     resource.kind)},
      {"scope", resource.namespaced ? "Namespaced" : "Cluster"},
      {"singularResource", resource.singular},
      {"verbs", list_of(resource.verbs)}};
  add_names(resource, entry);
  for (const Subresource& subresource : resource.subresources) {
    const std::string_view group = subresource.group.empty() ? resource.group : subresource.group;
    const std::string_view version = group.empty()                 ? ""
                                     : subresource.version.empty() ? resource.version
                                                                   : subresource.version;
    entry["subresources"].push_back(
        {{"subresource", subresource.name},
         {"responseKind", response_kind(group, version, subresource.kind)},
         {"verbs", list_of(subresource.verbs)}});
  }
  return entry;
}

/// All versions of the core group (/api) or of the named groups (/apis) in one answer.
OrderedJson aggregated(bool core, std::string_view api_version) {
  OrderedJson list{{"kind", "APIGroupDiscoveryList"},
                   {"apiVersion", api_version},
                   {"metadata", OrderedJson::object()},
                   {"items", OrderedJson::array()}};
  for (const GroupVersion& each : group_versions) {
    if (each.group.empty() != core) continue;
    OrderedJson all = OrderedJson::array();
    for (const Resource& resource : resources()) {
      if (resource.group == each.group && resource.version == each.version)
        all.push_back(aggregated_resource(resource));
    }
    OrderedJson metadata = OrderedJson::object();
    if (!core) metadata["name"] = each.group;
    list["items"].push_back({{"metadata", metadata},
                             {"versions", OrderedJson::array({{{"version", each.version},
                                                               {"resources", all},
                                                               {"freshness", "Current"}}})}});
  }
  return list;
}

/// The aggregated version a client prefers to the plain one: "v2", "v2beta1", or empty.
std::string aggregated_version(std::string_view accept) {
  for (const std::string_view part : split(accept, ',')) {
    if (part.find("as=APIGroupDiscoveryList") == std::string_view::npos) continue;
    if (part.find("v=v2beta1") != std::string_view::npos) return "v2beta1";
    if (part.find("v=v2") != std::string_view::npos) return "v2";
  }
  return "";
}

Response roots(bool core, const IncomingRequest& request) {
  const std::string version = aggregated_version(request.accept);
  if (!version.empty()) {
    Response response =
        json_response(200, aggregated(core, "apidiscovery.k8s.io/" + version).dump());
    response.content_type =
        "application/json;g=apidiscovery.k8s.io;v=" + version + ";as=APIGroupDiscoveryList";
    return response;
  }
  if (!core) return json_response(200, group_list().dump());
  const OrderedJson versions{
      {"kind", "APIVersions"},
      {"versions", OrderedJson::array({"v1"})},
      {"serverAddressByClientCIDRs",
       OrderedJson::array({{{"clientCIDR", "0.0.0.0/0"}, {"serverAddress", "127.0.0.1:6443"}}})}};
  return json_response(200, versions.dump());
}

Response version_answer() {
  const OrderedJson version{{"major", "1"},
                            {"minor", "37"},
                            {"emulationMajor", "1"},
                            {"emulationMinor", "37"},
                            {"minCompatibilityMajor", "1"},
                            {"minCompatibilityMinor", "36"},
                            {"gitVersion", "v1.37.1"},
                            {"gitCommit", "0000000000000000000000000000000000000000"},
                            {"gitTreeState", "clean"},
                            {"buildDate", "1970-01-01T00:00:00Z"},
                            {"goVersion", "go1.26.8"},
                            {"compiler", "gc"},
                            {"platform", "linux/amd64"}};
  return json_response(200, version.dump());
}

Response health(const RequestInfo& info) {
  if (!info.query.has("verbose")) return text_response(200, "ok");
  return text_response(200,
                       "[+]ping ok\n[+]storage ok\n" + info.path.substr(1) + " check passed\n");
}

std::string openapi_path(const GroupVersion& each) {
  return each.group.empty() ? "api/" + std::string(each.version) : "apis/" + text_of(each);
}

Response openapi_index() {
  OrderedJson paths = OrderedJson::object();
  for (const GroupVersion& each : group_versions) {
    const std::string path = openapi_path(each);
    // The hash only lets clients keep the document; the tables change with the program alone.
    paths[path] = {{"serverRelativeURL", "/openapi/v3/" + path + "?hash=" NLC_VERSION}};
  }
  return text_response(200, OrderedJson{{"paths", paths}}.dump());
}

/// An empty document of the older form, `swagger: "2.0"` in protobuf: kubectl looks a kind up in it
/// that the newer one lacks, and then goes on to say that nobody knows the kind.
Response openapi_v2() {
  Response response = json_response(200,
                                    "\x0a\x03"
                                    "2.0");
  response.content_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
  return response;
}

/// One path per kind: enough for kubectl to see that the server validates fields itself.
Response openapi_document(const GroupVersion& wanted) {
  OrderedJson paths = OrderedJson::object();
  for (const Resource& resource : resources()) {
    if (resource.group != wanted.group || resource.version != wanted.version) continue;
    const std::string path = "/" + openapi_path(wanted) +
                             (resource.namespaced ? "/namespaces/{namespace}/" : "/") +
                             std::string(resource.plural) + "/{name}";
    const OrderedJson kind{
        {"group", resource.group}, {"version", resource.version}, {"kind", resource.kind}};
    OrderedJson parameters = OrderedJson::array();
    for (const char* name : {"dryRun", "fieldManager", "fieldValidation", "force"}) {
      parameters.push_back({{"name", name},
                            {"in", "query"},
                            {"schema", {{"type", "string"}, {"uniqueItems", true}}}});
    }
    paths[path]["patch"] = {{"parameters", parameters},
                            {"responses", {{"200", {{"description", "OK"}}}}},
                            {"x-kubernetes-action", "patch"},
                            {"x-kubernetes-group-version-kind", kind}};
  }
  const OrderedJson document{{"openapi", "3.0.0"},
                             {"info", {{"title", "Kubernetes"}, {"version", "v1.37.1"}}},
                             {"paths", paths},
                             {"components", {{"schemas", OrderedJson::object()}}}};
  return json_response(200, document.dump());
}

Response access_review(const IncomingRequest& request, std::string_view kind) {
  Outcome<nlohmann::json> body = read_body(request.body, request.content_type, kind);
  if (!body) return refusal(body.error());
  (*body)["kind"] = kind;
  (*body)["apiVersion"] = "authorization.k8s.io/v1";
  (*body)["metadata"] = nlohmann::json::object();
  (*body)["status"] = {{"allowed", true}};
  return json_response(201, body->dump());
}

}  // namespace

Response discovery_answer(const RequestInfo& info, const IncomingRequest& request) {
  std::string path = info.path;
  while (path.size() > 1 && path.ends_with('/')) path.pop_back();
  if (path == "/api" || path == "/apis") return roots(path == "/api", request);
  if (path == "/version") return version_answer();
  if (path == "/readyz" || path == "/livez" || path == "/healthz") return health(info);
  if (path == "/openapi/v3") return openapi_index();
  if (path == "/openapi/v2") return openapi_v2();
  for (const GroupVersion& each : group_versions) {
    const std::string place = openapi_path(each);
    if (path == "/" + place) return json_response(200, resource_list(each).dump());
    if (path == "/openapi/v3/" + place) return openapi_document(each);
    if (!each.group.empty() && path == "/apis/" + std::string(each.group)) {
      OrderedJson group = group_entry(each);
      group["kind"] = "APIGroup";
      group["apiVersion"] = "v1";
      return json_response(200, group.dump());
    }
  }
  if (path == "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews" &&
      request.method == "POST") {
    return access_review(request, "SelfSubjectAccessReview");
  }
  // A group that exists answers for what it lacks; what is in no group is an unknown address.
  const bool within_group = std::ranges::any_of(group_versions, [&path](const GroupVersion& each) {
    return path.starts_with(each.group.empty() ? "/api/"
                                               : "/apis/" + std::string(each.group) + "/");
  });
  return within_group ? refusal(unknown_resource()) : text_response(404, "404 page not found\n");
}

}  // namespace nlc::sim

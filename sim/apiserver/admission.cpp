#include "sim/apiserver/admission.h"

#include <cstdlib>
#include <string>

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

constexpr const char* template_generation = "deprecated.daemonset.template.generation";

void set_default(Json& object, const char* key, Json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

Json& child(Json& object, const char* key) {
  Json& value = object[key];
  if (!value.is_object()) value = Json::object();
  return value;
}

bool is_latest(const std::string& image) {
  const std::size_t slash = image.rfind('/');
  const std::string name = slash == std::string::npos ? image : image.substr(slash + 1);
  const std::size_t colon = name.find(':');
  return colon == std::string::npos ? name.find('@') == std::string::npos
                                    : name.substr(colon + 1) == "latest";
}

/// Who limits and does not say what he requests, requests his limits.
void complete_resources(Json& resources) {
  const Json limits = resources.value("limits", Json::object());
  for (const auto& [name, quantity] : limits.items()) {
    set_default(child(resources, "requests"), name.c_str(), quantity);
  }
}

void complete_container(Json& container) {
  complete_resources(child(container, "resources"));
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  const std::string image = container.value("image", "");
  set_default(container, "imagePullPolicy", is_latest(image) ? "Always" : "IfNotPresent");
  if (!container.contains("ports")) return;
  for (Json& port : container["ports"]) set_default(port, "protocol", "TCP");
}

void complete_pod_spec(Json& spec) {
  for (const char* list : {"containers", "initContainers"}) {
    if (!spec.contains(list) || !spec[list].is_array()) continue;
    for (Json& container : spec[list]) {
      if (container.is_object()) complete_container(container);
    }
  }
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "securityContext", Json::object());
  set_default(spec, "schedulerName", "default-scheduler");
  if (spec.contains("serviceAccountName")) spec["serviceAccount"] = spec["serviceAccountName"];
}

bool tolerates(const Json& toleration, const std::string& key) {
  const std::string effect = toleration.value("effect", "");
  const std::string its_key = toleration.value("key", "");
  return (its_key == key || its_key.empty()) && (effect == "NoExecute" || effect.empty());
}

void add_default_tolerations(Json& spec) {
  Json& tolerations = spec["tolerations"];
  if (!tolerations.is_array()) tolerations = Json::array();
  const Json given = tolerations;
  for (const std::string key : {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"}) {
    bool tolerated = false;
    for (const Json& toleration : given) tolerated = tolerated || tolerates(toleration, key);
    if (tolerated) continue;
    tolerations.push_back({{"key", key},
                           {"operator", "Exists"},
                           {"effect", "NoExecute"},
                           {"tolerationSeconds", 300}});
  }
}

/// Guaranteed when every container limits cpu and memory and requests no less, BestEffort when none
/// asks at all.
std::string quality_of_service(const Json& spec) {
  bool any = false;
  bool all = true;
  for (const Json& container : spec.value("containers", Json::array())) {
    const Json resources = container.value("resources", Json::object());
    const Json limits = resources.value("limits", Json::object());
    const Json requests = resources.value("requests", limits);
    any = any || !limits.empty() || !requests.empty();
    for (const char* name : {"cpu", "memory"}) {
      all =
          all && limits.contains(name) && requests.contains(name) && limits[name] == requests[name];
    }
  }
  if (!any) return "BestEffort";
  return all ? "Guaranteed" : "Burstable";
}

void complete_pod(Json& pod, const NodeLabels& labels) {
  Json& spec = child(pod, "spec");
  complete_pod_spec(spec);
  add_default_tolerations(spec);
  set_default(spec, "priority", 0);
  set_default(spec, "enableServiceLinks", true);
  set_default(spec, "preemptionPolicy", "PreemptLowerPriority");
  pod["status"] = {{"phase", "Pending"}, {"qosClass", quality_of_service(spec)}};
  add_topology_labels(pod, labels);
}

void complete_daemonset(Json& object) {
  Json& spec = child(object, "spec");
  complete_pod_spec(child(child(spec, "template"), "spec"));
  set_default(
      spec, "updateStrategy",
      {{"type", "RollingUpdate"}, {"rollingUpdate", {{"maxUnavailable", 1}, {"maxSurge", 0}}}});
  set_default(spec, "revisionHistoryLimit", 10);
  child(object["metadata"], "annotations")[template_generation] = "1";
  object["status"] = {{"currentNumberScheduled", 0},
                      {"numberMisscheduled", 0},
                      {"desiredNumberScheduled", 0},
                      {"numberReady", 0}};
}

void complete_namespace(Json& object) {
  Json& metadata = object["metadata"];
  child(metadata, "labels")["kubernetes.io/metadata.name"] = metadata.value("name", "");
  set_default(child(object, "spec"), "finalizers", Json::array({"kubernetes"}));
  child(object, "status")["phase"] = "Active";
}

/// What Go leaves out of its JSON, except where a field is always written (those come back in
/// `shape`).
void drop_nulls(Json& value) {
  if (value.is_array()) {
    for (Json& element : value) drop_nulls(element);
    return;
  }
  if (!value.is_object()) return;
  for (auto at = value.begin(); at != value.end();) {
    if (at->is_null()) {
      at = value.erase(at);
    } else {
      drop_nulls(*at);
      ++at;
    }
  }
}

void drop_empty(Json& object, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = object.find(key);
    if (found == object.end()) continue;
    const bool empty_text = found->is_string() && found->get_ref<const std::string&>().empty();
    const bool no = found->is_boolean() && !found->get<bool>();
    if (empty_text || no || (found->is_structured() && found->empty())) object.erase(found);
  }
}

void shape_conditions(Json& status, std::initializer_list<const char*> times) {
  const auto conditions = status.find("conditions");
  if (conditions == status.end() || !conditions->is_array()) return;
  for (Json& condition : *conditions) {
    if (!condition.is_object()) continue;
    for (const char* time : times) set_default(condition, time, nullptr);
    drop_empty(condition, {"reason", "message"});
  }
}

void shape_node(Json& node) {
  drop_empty(child(node, "spec"), {"taints", "unschedulable", "podCIDR", "podCIDRs", "providerID"});
  Json& status = child(node, "status");
  shape_conditions(status, {"lastHeartbeatTime", "lastTransitionTime"});
  set_default(child(child(status, "daemonEndpoints"), "kubeletEndpoint"), "Port", 0);
  Json& info = child(status, "nodeInfo");
  for (const char* field :
       {"machineID", "systemUUID", "bootID", "kernelVersion", "osImage", "containerRuntimeVersion",
        "kubeletVersion", "kubeProxyVersion", "operatingSystem", "architecture"}) {
    set_default(info, field, "");
  }
  drop_empty(status, {"conditions", "addresses", "images", "volumesInUse", "volumesAttached",
                      "capacity", "allocatable"});
}

void shape_pod(Json& pod) {
  drop_empty(child(pod, "spec"), {"nodeName", "tolerations", "nodeSelector"});
  Json& status = child(pod, "status");
  shape_conditions(status, {"lastProbeTime", "lastTransitionTime"});
  drop_empty(status, {"conditions", "containerStatuses", "reason", "message", "podIP", "hostIP"});
}

void shape_event(Json& event) {
  child(event, "involvedObject");
  child(event, "source");
  for (const char* time : {"firstTimestamp", "lastTimestamp", "eventTime"}) {
    set_default(event, time, nullptr);
  }
  set_default(event, "reportingInstance", "");
  const std::string component = event["source"].value("component", "");
  if (event.value("reportingComponent", "").empty()) event["reportingComponent"] = component;
}

}  // namespace

void add_topology_labels(Json& pod, const NodeLabels& labels) {
  const std::string node = pod.at("spec").value("nodeName", "");
  if (node.empty()) return;
  const Json of_node = labels(node);
  if (!of_node.is_object()) return;
  for (const char* key : {"topology.kubernetes.io/region", "topology.kubernetes.io/zone"}) {
    if (of_node.contains(key)) child(pod["metadata"], "labels")[key] = of_node[key];
  }
}

void carry_template_generation(const Json& before, Json& after) {
  const auto told = [](const Json& object) {
    return object.at("metadata")
        .value("annotations", Json::object())
        .value(template_generation, "1");
  };
  const auto plan = [](const Json& object) {
    return object.value("spec", Json::object()).value("template", Json::object());
  };
  const bool changed = plan(before) != plan(after);
  child(after["metadata"], "annotations")[template_generation] =
      changed ? std::to_string(std::strtoll(told(before).c_str(), nullptr, 10) + 1) : told(before);
}

void complete_new(const Resource& resource, Json& object, const NodeLabels& labels) {
  if (resource.kind == "Pod") complete_pod(object, labels);
  if (resource.kind == "DaemonSet") complete_daemonset(object);
  if (resource.kind == "Namespace") complete_namespace(object);
  if (resource.kind == "Node") {
    Json& status = child(object, "status");
    if (status.contains("capacity")) set_default(status, "allocatable", status["capacity"]);
  }
}

void shape(const Resource& resource, Json& object) {
  object.erase("kind");
  object.erase("apiVersion");
  drop_nulls(object);
  Json& metadata = child(object, "metadata");
  metadata.erase("managedFields");
  metadata.erase("selfLink");
  drop_empty(metadata, {"labels", "annotations", "ownerReferences", "finalizers", "generateName"});
  if (resource.kind == "Node") shape_node(object);
  if (resource.kind == "Pod") shape_pod(object);
  if (resource.kind == "Event") shape_event(object);
  if (resource.kind == "Lease") child(object, "spec");
}

}  // namespace nlc::sim

#include "sim/apiserver/validation/admission.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <span>
#include <string>

#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/types/typed_object.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

void set_default(Json& object, const char* key, Json value) {
  if (!object.contains(key)) object[key] = std::move(value);
}

Json& child(Json& object, const char* key) {
  Json& value = object[key];
  if (!value.is_object()) value = Json::object();
  return value;
}

constexpr std::array<const char*, 2> container_lists{"containers", "initContainers"};

/// What a list holds; nothing where there is none.
std::span<Json> elements(Json& object, const char* list) {
  const auto found = object.find(list);
  if (found == object.end() || !found->is_array()) return {};
  return found->get_ref<Json::array_t&>();
}

bool is_latest(const std::string& image) {
  const std::size_t slash = image.rfind('/');
  const std::string name = slash == std::string::npos ? image : image.substr(slash + 1);
  const std::size_t colon = name.find(':');
  return colon == std::string::npos ? name.find('@') == std::string::npos
                                    : name.substr(colon + 1) == "latest";
}

/// Who limits and does not say what he requests, requests his limits.
void complete_resources(Json& container) {
  Json& resources = child(container, "resources");
  const Json limits = resources.value("limits", Json::object());
  for (const auto& [name, quantity] : limits.items()) {
    set_default(child(resources, "requests"), name.c_str(), quantity);
  }
}

void default_container(Json& container) {
  set_default(container, "terminationMessagePath", "/dev/termination-log");
  set_default(container, "terminationMessagePolicy", "File");
  const std::string image = container.value("image", "");
  set_default(container, "imagePullPolicy", is_latest(image) ? "Always" : "IfNotPresent");
  for (Json& port : elements(container, "ports")) set_default(port, "protocol", "TCP");
  for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
    const auto found = container.find(probe);
    if (found == container.end()) continue;
    set_default(*found, "timeoutSeconds", 1);
    set_default(*found, "periodSeconds", 10);
    set_default(*found, "successThreshold", 1);
    set_default(*found, "failureThreshold", 3);
  }
}

void default_volume(Json& volume) {
  if (volume.size() <= 1) volume["emptyDir"] = Json::object();
  for (const char* source : {"configMap", "secret", "downwardAPI", "projected"}) {
    if (volume.contains(source)) set_default(volume[source], "defaultMode", 420);
  }
}

void default_pod_spec(Json& spec) {
  for (const char* list : container_lists) {
    for (Json& container : elements(spec, list)) default_container(container);
  }
  for (Json& volume : elements(spec, "volumes")) default_volume(volume);
  set_default(spec, "restartPolicy", "Always");
  set_default(spec, "terminationGracePeriodSeconds", 30);
  set_default(spec, "dnsPolicy", "ClusterFirst");
  set_default(spec, "securityContext", Json::object());
  set_default(spec, "schedulerName", "default-scheduler");
  if (spec.contains("serviceAccount"))
    set_default(spec, "serviceAccountName", spec["serviceAccount"]);
  if (spec.contains("serviceAccountName")) spec["serviceAccount"] = spec["serviceAccountName"];
}

/// A field for one value and one for a list of which it is the first: whichever was written, both
/// are there, and the single one counts where they differ. `field` names the value in an element
/// of the list; empty: the element itself.
void pair(Json& object, const char* single, const char* list, const std::string& field) {
  const auto value_of = [&field](const Json& element) {
    return field.empty() ? element : element.value(field, Json(""));
  };
  Json& many = object[list];
  const std::string one = object.value(single, "");
  if (!one.empty() && (!many.is_array() || many.empty() || value_of(many[0]) != one))
    many = Json::array({field.empty() ? Json(one) : Json{{field, one}}});
  if (many.is_array() && !many.empty()) object[single] = value_of(many[0]);
  if (many.is_null() || many.empty()) object.erase(list);
}

void default_pod(Json& pod) {
  Json& spec = pod["spec"];
  default_pod_spec(spec);
  if (spec["terminationGracePeriodSeconds"] < 0) spec["terminationGracePeriodSeconds"] = 1;
  for (const char* list : container_lists) {
    for (Json& container : elements(spec, list)) complete_resources(container);
  }
  set_default(spec, "enableServiceLinks", true);
  pair(pod["status"], "podIP", "podIPs", "ip");
}

void default_node(Json& node) {
  Json& status = node["status"];
  if (status.contains("capacity")) set_default(status, "allocatable", status["capacity"]);
  Json& spec = node["spec"];
  pair(spec, "podCIDR", "podCIDRs", "");
  // Nobody can switch on any more what these were for, or nobody has.
  spec.erase("configSource");
  spec.erase("podPreemptionPolicy");
}

void default_daemonset(Json& object) {
  Json& spec = object["spec"];
  default_pod_spec(spec["template"]["spec"]);
  set_default(spec, "revisionHistoryLimit", 10);
  Json& strategy = spec["updateStrategy"];
  set_default(strategy, "type", "RollingUpdate");
  if (strategy["type"] != "RollingUpdate") return;
  Json& rolling = child(strategy, "rollingUpdate");
  set_default(rolling, "maxUnavailable", 1);
  set_default(rolling, "maxSurge", 0);
}

void default_endpoints(Json& object) {
  for (Json& subset : elements(object, "subsets")) {
    for (Json& port : elements(subset, "ports")) set_default(port, "protocol", "TCP");
  }
}

void default_namespace(Json& object) {
  Json& metadata = object["metadata"];
  child(metadata, "labels")["kubernetes.io/metadata.name"] = metadata.value("name", "");
  set_default(child(object, "status"), "phase", "Active");
}

/// The first of owners that are the same in every respect is enough.
void drop_repeated_owners(Json& metadata) {
  const auto owners = metadata.find("ownerReferences");
  if (owners == metadata.end() || owners->size() < 2) return;
  Json once = Json::array();
  for (Json& owner : *owners) {
    if (std::find(once.begin(), once.end(), owner) == once.end()) once.push_back(owner);
  }
  *owners = std::move(once);
}

/// Of a secret that an account may use nothing but its name is kept.
void default_service_account(Json& object) {
  for (Json& secret : elements(object, "secrets")) {
    const Json name = secret.value("name", Json());
    secret = Json::object();
    if (!name.is_null()) secret["name"] = name;
  }
}

bool tolerates(const Json& toleration, const std::string& key) {
  const std::string effect = toleration.value("effect", "");
  const std::string its_key = toleration.value("key", "");
  return (its_key == key || its_key.empty()) && (effect == "NoExecute" || effect.empty());
}

constexpr std::array<const char*, 2> tolerated_keys{"node.kubernetes.io/not-ready",
                                                    "node.kubernetes.io/unreachable"};

Json default_toleration(const std::string& key) {
  return {
      {"key", key}, {"operator", "Exists"}, {"effect", "NoExecute"}, {"tolerationSeconds", 300}};
}

bool is_default_toleration(const Json& toleration) {
  return std::ranges::any_of(tolerated_keys, [&toleration](const char* key) {
    return toleration == default_toleration(key);
  });
}

/// One for the same taint, whatever else it says.
bool has_toleration_for(const Json& spec, const Json& toleration) {
  const Json given = spec.value("tolerations", Json::array());
  return std::any_of(given.begin(), given.end(), [&toleration](const Json& each) {
    return tolerates(each, toleration.value("key", ""));
  });
}

void add_default_tolerations(Json& spec) {
  for (const char* key : tolerated_keys) {
    const Json toleration = default_toleration(key);
    if (!has_toleration_for(spec, toleration)) spec["tolerations"].push_back(toleration);
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

/// What the classes that there are say of preemption.
constexpr const char* lower_priority = "PreemptLowerPriority";

std::optional<long long> priority_of(const std::string& priority_class) {
  if (priority_class.empty()) return 0;
  if (priority_class == "system-node-critical") return 2'000'001'000;
  if (priority_class == "system-cluster-critical") return 2'000'000'000;
  return std::nullopt;
}

/// The pod's priority is that of its class; whoever writes another one is refused.
std::optional<StatusError> admit_priority(const Resource& resource, Json& pod) {
  Json& spec = pod["spec"];
  const std::string name = pod["metadata"].value("name", "");
  const std::string its_class = spec.value("priorityClassName", "");
  const std::optional<long long> priority = priority_of(its_class);
  if (!priority)
    return forbidden(resource, name, "no PriorityClass with name " + its_class + " was found");
  const long long given = spec.value("priority", *priority);
  if (given != *priority) {
    return forbidden(resource, name,
                     "the integer value of priority (" + std::to_string(given) +
                         ") must not be provided in pod spec; priority admission controller "
                         "computed " +
                         std::to_string(*priority) + " from the given PriorityClass name");
  }
  spec["priority"] = *priority;
  const std::string policy = spec.value("preemptionPolicy", lower_priority);
  if (policy != lower_priority) {
    return forbidden(resource, name,
                     "the string value of PreemptionPolicy (" + policy +
                         ") must not be provided in pod spec; priority admission controller "
                         "computed " +
                         lower_priority + " from the given PriorityClass name");
  }
  spec["preemptionPolicy"] = lower_priority;
  return std::nullopt;
}

/// No class for runtimes is there, and so none with an overhead.
std::optional<StatusError> admit_runtime(const Resource& resource, const Json& pod) {
  const Json& spec = pod.at("spec");
  const std::string name = pod.at("metadata").value("name", "");
  const std::string its_class = spec.value("runtimeClassName", "");
  if (!its_class.empty()) {
    return forbidden(resource, name, "pod rejected: RuntimeClass \"" + its_class + "\" not found");
  }
  if (!spec.contains("overhead")) return std::nullopt;
  return forbidden(
      resource, name,
      "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead");
}

void prepare_new_namespace(Json& object) {
  Json& finalizers = object["spec"]["finalizers"];
  if (!finalizers.is_array()) finalizers = Json::array();
  if (std::find(finalizers.begin(), finalizers.end(), "kubernetes") == finalizers.end())
    finalizers.push_back("kubernetes");
  object["status"] = {{"phase", "Active"}};
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

void drop_what_is_switched_off(const Json& before, Json& after) {
  for (const char* field : {"strategy", "preferredHolder"}) {
    if (member(member(before, "spec"), field).is_null()) after["spec"].erase(field);
  }
}

void apply_defaults(const Resource& resource, Json& object) {
  drop_repeated_owners(object["metadata"]);
  if (resource.kind == "Pod") default_pod(object);
  if (resource.kind == "DaemonSet") default_daemonset(object);
  if (resource.kind == "Namespace") default_namespace(object);
  if (resource.kind == "Node") default_node(object);
  if (resource.kind == "Endpoints") default_endpoints(object);
  if (resource.kind == "ServiceAccount") default_service_account(object);
}

std::optional<StatusError> prepare_new(const Resource& resource, Json& object,
                                       const NodeLabels& labels) {
  if (resource.kind == "Namespace") prepare_new_namespace(object);
  if (resource.kind == "Lease") drop_what_is_switched_off(Json(), object);
  if (resource.kind == "DaemonSet") {
    child(object["metadata"], "annotations")[template_generation] = "1";
    object["status"] = Json::object();
  }
  if (resource.kind != "Pod") return std::nullopt;
  add_default_tolerations(object["spec"]);
  object["status"] = {{"phase", "Pending"}, {"qosClass", quality_of_service(object["spec"])}};
  add_topology_labels(object, labels);
  if (auto refusal = admit_priority(resource, object)) return refusal;
  return admit_runtime(resource, object);
}

void prepare_changed_pod(const Json& before, Json& after) {
  Json& spec = after["spec"];
  const Json& old_spec = before.at("spec");
  for (const Json& toleration : old_spec.value("tolerations", Json::array())) {
    if (is_default_toleration(toleration) && !has_toleration_for(spec, toleration))
      spec["tolerations"].push_back(toleration);
  }
  for (const char* field : {"priority", "preemptionPolicy"}) {
    if (old_spec.contains(field)) set_default(spec, field, old_spec[field]);
  }
}

void strip(Json& object) {
  object.erase("kind");
  object.erase("apiVersion");
  Json& metadata = child(object, "metadata");
  metadata.erase("managedFields");
  metadata.erase("selfLink");
}

void shape(const Resource& resource, Json& object) {
  strip(object);
  (void)read_typed(resource.kind, object);
}

}  // namespace nlc::sim

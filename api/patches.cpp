#include "api/patches.h"

#include <nlohmann/json.hpp>

namespace nlc::api {
namespace {

using Object = nlohmann::ordered_json;

Object metadata(const Precondition& on) {
  Object metadata{{"uid", on.uid}};
  if (!on.resource_version.empty()) metadata["resourceVersion"] = on.resource_version;
  return metadata;
}

Object condition_json(const NodeCondition& condition) {
  Object json{{"type", condition.type}, {"status", name_of(condition.status)}};
  if (condition.last_heartbeat) json["lastHeartbeatTime"] = rfc3339(*condition.last_heartbeat);
  if (condition.last_transition) json["lastTransitionTime"] = rfc3339(*condition.last_transition);
  json["reason"] = condition.reason;
  json["message"] = condition.message;
  return json;
}

Object taint_json(const Taint& taint) {
  Object json{{"key", taint.key}};
  if (!taint.value.empty()) json["value"] = taint.value;
  json["effect"] = taint.effect;
  if (taint.time_added) json["timeAdded"] = rfc3339(*taint.time_added);
  return json;
}

std::string pod_condition_patch(const Precondition& on, Object condition) {
  return Object{{"metadata", metadata(on)},
                {"status", {{"conditions", Object::array({std::move(condition)})}}}}
      .dump();
}

}  // namespace

std::string node_conditions_patch(const Precondition& on, std::span<const NodeCondition> conditions,
                                  std::span<const std::string> order) {
  Object status = Object::object();
  for (const std::string& type : order) {
    status["$setElementOrder/conditions"].push_back({{"type", type}});
  }
  for (const NodeCondition& condition : conditions) {
    status["conditions"].push_back(condition_json(condition));
  }
  return Object{{"metadata", metadata(on)}, {"status", std::move(status)}}.dump();
}

std::string node_taints_patch(const Precondition& on, std::span<const Taint> taints) {
  Object list = Object::array();
  for (const Taint& taint : taints) list.push_back(taint_json(taint));
  if (taints.empty()) list = nullptr;
  return Object{{"metadata", metadata(on)}, {"spec", {{"taints", std::move(list)}}}}.dump();
}

std::string node_labels_patch(const Precondition& on, const Labels& labels) {
  Object json = metadata(on);
  for (const auto& [key, value] : labels) json["labels"][key] = value;
  return Object{{"metadata", std::move(json)}}.dump();
}

std::string pod_not_ready_patch(const Precondition& on, WallTime now) {
  return pod_condition_patch(
      on, {{"type", "Ready"}, {"status", "False"}, {"lastTransitionTime", rfc3339(now)}});
}

std::string pod_lost_patch(const Precondition& on, std::string_view message) {
  return Object{{"metadata", metadata(on)},
                {"status", {{"reason", reason_node_lost}, {"message", message}}}}
      .dump();
}

std::string pod_disruption_patch(const Precondition& on, const DisruptionTarget& target) {
  Object condition{{"type", "DisruptionTarget"},
                   {"status", "True"},
                   {"reason", taint_manager_reason},
                   {"message", taint_manager_message},
                   {"lastTransitionTime", rfc3339(target.transition)}};
  if (target.observed_generation > 0) condition["observedGeneration"] = target.observed_generation;
  return pod_condition_patch(on, std::move(condition));
}

std::string delete_options(const Precondition& on) {
  return Object{{"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"preconditions", metadata(on)}}
      .dump();
}

std::string encode_event(const Event& event) {
  Object involved{{"kind", event.object_kind}};
  if (!event.object_namespace.empty()) involved["namespace"] = event.object_namespace;
  involved["name"] = event.object_name;
  if (!event.object_uid.empty()) involved["uid"] = event.object_uid;
  involved["apiVersion"] = event.object_api_version;
  return Object{{"kind", "Event"},
                {"apiVersion", "v1"},
                {"metadata", {{"name", event.name}, {"namespace", event.namespace_}}},
                {"involvedObject", std::move(involved)},
                {"reason", event.reason},
                {"message", event.message},
                {"source", {{"component", event.component}}},
                {"firstTimestamp", rfc3339(event.first_seen)},
                {"lastTimestamp", rfc3339(event.last_seen)},
                {"count", event.count},
                {"type", event.type},
                {"reportingComponent", event.component},
                {"reportingInstance", ""}}
      .dump();
}

std::string event_count_patch(const Event& event) {
  return Object{{"count", event.count},
                {"lastTimestamp", rfc3339(event.last_seen)},
                {"message", event.message}}
      .dump();
}

}  // namespace nlc::api

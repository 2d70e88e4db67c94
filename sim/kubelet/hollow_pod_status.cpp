#include "sim/kubelet/hollow_pod_status.h"

#include <nlohmann/json.hpp>

namespace nlc::sim {
namespace {

using Object = nlohmann::ordered_json;

struct ConditionTimes {
  std::string since;
  std::int64_t generation = 0;
};

Object condition(std::string_view type, std::string_view status, const ConditionTimes& times) {
  return {{"type", type},
          {"observedGeneration", times.generation},
          {"status", status},
          {"lastProbeTime", nullptr},
          {"lastTransitionTime", times.since}};
}

Object completed(Object condition) {
  condition["reason"] = "PodCompleted";
  return condition;
}

std::int64_t generation_of(const Object& pod) {
  return pod.at("metadata").value("generation", std::int64_t{0});
}

std::string container_id(const Object& pod, const std::string& container) {
  const Object& metadata = pod.at("metadata");
  return "hollow://" + metadata.value("name", "") + "_" + metadata.value("namespace", "") + "_" +
         metadata.value("uid", "") + "_0_" + container + "_0";
}

/// One status for each container of the spec, all in the same `state` (its id is added where one
/// is told).
Object container_statuses(const Object& pod, const Object& state) {
  Object list = Object::array();
  for (const Object& container : pod.at("spec").at("containers")) {
    const std::string name = container.at("name");
    const std::string image = container.value("image", "");
    Object own_state = state;
    if (own_state.contains("terminated")) {
      own_state["terminated"]["containerID"] = container_id(pod, name);
    }
    list.push_back({{"name", name},
                    {"state", std::move(own_state)},
                    {"lastState", Object::object()},
                    {"ready", state.contains("running")},
                    {"restartCount", 0},
                    {"image", image},
                    {"imageID", image},
                    {"containerID", container_id(pod, name)}});
  }
  return list;
}

std::string patch(const Object& pod, Object status) {
  status["observedGeneration"] = generation_of(pod);
  return Object{{"metadata", {{"uid", pod.at("metadata").at("uid")}}},
                {"status", std::move(status)}}
      .dump();
}

Object running_status(const Object& pod, const PodPlace& place, WallTime started) {
  const ConditionTimes times{rfc3339(started), generation_of(pod)};
  Object conditions = Object::array();
  for (const std::string_view type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    conditions.push_back(condition(type, "True", times));
  }
  const bool on_host = pod.at("spec").value("hostNetwork", false);
  const std::string& address = on_host ? place.host_address : place.pod_address;
  return {
      {"phase", "Running"},
      {"conditions", std::move(conditions)},
      {"hostIP", place.host_address},
      {"hostIPs", Object::array({Object{{"ip", place.host_address}}})},
      {"podIP", address},
      {"podIPs", Object::array({Object{{"ip", address}}})},
      {"startTime", times.since},
      {"containerStatuses", container_statuses(pod, {{"running", {{"startedAt", times.since}}}})}};
}

Object finished_status(const Object& pod, WallTime started, WallTime now) {
  const ConditionTimes ended{rfc3339(now), generation_of(pod)};
  const ConditionTimes begun{rfc3339(started), generation_of(pod)};
  const Object terminated{{"exitCode", 0},
                          {"reason", "Completed"},
                          {"startedAt", begun.since},
                          {"finishedAt", ended.since}};
  return {{"phase", "Succeeded"},
          {"conditions",
           {condition("PodReadyToStartContainers", "False", ended),
            completed(condition("Initialized", "True", begun)),
            completed(condition("Ready", "False", ended)),
            completed(condition("ContainersReady", "False", ended)),
            condition("PodScheduled", "True", begun)}},
          {"containerStatuses", container_statuses(pod, {{"terminated", terminated}})}};
}

}  // namespace

std::optional<std::string> running_patch(const std::string& pod, const PodPlace& place,
                                         WallTime started) try {
  const Object object = Object::parse(pod);
  return patch(object, running_status(object, place, started));
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

std::optional<std::string> finished_patch(const std::string& pod, WallTime started,
                                          WallTime now) try {
  const Object object = Object::parse(pod);
  return patch(object, finished_status(object, started, now));
} catch (const nlohmann::json::exception&) {
  return std::nullopt;
}

std::string ready_again_patch(std::string_view uid, WallTime started) {
  const Object ready{
      {"type", "Ready"}, {"status", "True"}, {"lastTransitionTime", rfc3339(started)}};
  return Object{{"metadata", {{"uid", uid}}}, {"status", {{"conditions", Object::array({ready})}}}}
      .dump();
}

std::string removal_options(std::string_view uid) {
  return Object{{"kind", "DeleteOptions"},
                {"apiVersion", "v1"},
                {"gracePeriodSeconds", 0},
                {"preconditions", {{"uid", uid}}}}
      .dump();
}

}  // namespace nlc::sim

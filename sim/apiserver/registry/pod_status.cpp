#include "sim/apiserver/registry/pod_status.h"

#include <string>

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

Json* condition_of_type(Json& status, const std::string& type) {
  const auto conditions = status.find("conditions");
  if (conditions == status.end() || !conditions->is_array()) return nullptr;
  for (Json& condition : *conditions) {
    if (condition.value("type", "") == type) return &condition;
  }
  return nullptr;
}

}  // namespace

void keep_observed_generations(const Json& before, Json& after) {
  const auto old_status = before.find("status");
  const auto new_status = after.find("status");
  if (old_status == before.end() || new_status == after.end()) return;
  const auto keep = [](const Json& from, Json& into) {
    if (from.contains("observedGeneration") && !into.contains("observedGeneration")) {
      into["observedGeneration"] = from["observedGeneration"];
    }
  };
  keep(*old_status, *new_status);
  for (const Json& condition : old_status->value("conditions", Json::array())) {
    Json* now = condition_of_type(*new_status, condition.value("type", ""));
    if (now != nullptr) keep(condition, *now);
  }
}

void set_condition(Json& pod, Json condition, WallTime now) {
  Json& status = pod["status"];
  Json* present = condition_of_type(status, condition.at("type").get<std::string>());
  const bool same =
      present != nullptr && present->value("status", "") == condition.value("status", "");
  condition["lastTransitionTime"] =
      same ? present->value("lastTransitionTime", Json()) : Json(rfc3339(now));
  if (present != nullptr)
    *present = std::move(condition);
  else
    status["conditions"].push_back(std::move(condition));
}

}  // namespace nlc::sim

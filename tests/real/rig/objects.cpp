#include "objects.h"

#include <algorithm>

namespace nlc::real {
namespace {

nlohmann::json list_at(const nlohmann::json& object, const char* part, const char* list) {
  return object.value(part, nlohmann::json::object()).value(list, nlohmann::json::array());
}

}  // namespace

std::string name_of(const nlohmann::json& object) { return object.at("metadata").at("name"); }

std::string node_of(const nlohmann::json& pod) { return pod.at("spec").value("nodeName", ""); }

nlohmann::json condition(const nlohmann::json& object, const std::string& type) {
  for (const nlohmann::json& each : list_at(object, "status", "conditions")) {
    if (each.value("type", "") == type) return each;
  }
  return nlohmann::json::object();
}

bool has_condition(const nlohmann::json& object, const std::string& type,
                   const std::string& status) {
  return condition(object, type).value("status", "") == status;
}

std::vector<std::string> taints_of(const nlohmann::json& node) {
  std::vector<std::string> taints;
  for (const nlohmann::json& taint : list_at(node, "spec", "taints")) {
    taints.push_back(taint.value("key", "") + ":" + taint.value("effect", ""));
  }
  std::sort(taints.begin(), taints.end());
  return taints;
}

std::string in_short(const nlohmann::json& object) {
  if (!object.contains("metadata")) return "(not there)";
  std::string text = name_of(object) + (is_leaving(object) ? " (leaving):" : ":");
  for (const std::string& taint : taints_of(object)) text += " [" + taint + "]";
  for (const nlohmann::json& each : list_at(object, "status", "conditions")) {
    text += " " + each.value("type", "") + "=" + each.value("status", "") + "(" +
            each.value("reason", "") + ")";
  }
  return text;
}

bool is_leaving(const nlohmann::json& object) {
  return object.at("metadata").contains("deletionTimestamp");
}

std::vector<std::string> names_with_ready(const std::vector<nlohmann::json>& objects,
                                          const std::string& status) {
  std::vector<std::string> names;
  for (const nlohmann::json& object : objects) {
    if (has_condition(object, "Ready", status)) names.push_back(name_of(object));
  }
  std::sort(names.begin(), names.end());
  return names;
}

nlohmann::json pod_on(const std::string& node, const std::string& stem, int tolerated) {
  nlohmann::json toleration = {{"operator", "Exists"}, {"effect", "NoExecute"}};
  if (tolerated >= 0) {
    toleration["key"] = "node.kubernetes.io/unreachable";
    toleration["tolerationSeconds"] = tolerated;
  }
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", stem + "-" + node}, {"namespace", "default"}}},
          {"spec",
           {{"nodeName", node},
            {"containers", {{{"name", "main"}, {"image", "registry.example/pause:1"}}}},
            {"tolerations", {toleration}}}}};
}

}  // namespace nlc::real

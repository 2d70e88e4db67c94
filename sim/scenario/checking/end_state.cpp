#include "sim/scenario/checking/end_state.h"

#include <set>
#include <string>

#include "sim/apiserver/types/json_text.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

Json conditions_of(const Json& object) {
  Json conditions = Json::object();
  const Json status = object.value("status", Json::object());
  for (const Json& condition : status.value("conditions", Json::array())) {
    conditions[condition.value("type", "")] = {{"status", condition.value("status", "")},
                                               {"reason", condition.value("reason", "")}};
  }
  return conditions;
}

Json node_state(const Json& node) {
  std::set<std::string> taints;
  const Json spec = node.value("spec", Json::object());
  for (const Json& taint : spec.value("taints", Json::array())) {
    taints.insert(taint.value("key", "") + ":" + taint.value("effect", ""));
  }
  return {{"conditions", conditions_of(node)},
          {"taints", taints},
          {"labels", node["metadata"].value("labels", Json::object())}};
}

Json pod_state(const Json& pod) {
  return {{"conditions", conditions_of(pod)},
          {"deleted", pod["metadata"].contains("deletionTimestamp")}};
}

}  // namespace

Json end_state(const Storage& storage) {
  Json state{{"nodes", Json::object()}, {"pods", Json::object()}};
  storage.visit(core_resource("nodes"), {"", "", 0}, [&](const ObjectRef& node) {
    state["nodes"][node->key] = node_state(parse_json(node->bytes));
    return true;
  });
  storage.visit(core_resource("pods"), {"", "", 0}, [&](const ObjectRef& pod) {
    state["pods"][pod->key] = pod_state(parse_json(pod->bytes));
    return true;
  });
  return state;
}

}  // namespace nlc::sim::scenario

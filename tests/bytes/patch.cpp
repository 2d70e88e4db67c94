#include "sim/apiserver/registry/patch.h"

#include "readers.h"
#include "rule.h"
#include "sim/apiserver/requests/body_codec.h"

namespace nlc::bytes {
namespace {

using nlohmann::json;
using sim::PatchType;

const json& node() {
  static const json object = json::parse(R"({"kind": "Node", "apiVersion": "v1",
    "metadata": {"name": "n", "uid": "u", "resourceVersion": "7", "labels": {"a": "b"},
                 "finalizers": ["x/y", "x/z"], "ownerReferences": [{"uid": "1", "name": "o"}]},
    "spec": {"podCIDRs": ["10.0.0.0/24"], "taints": [{"key": "k", "effect": "NoExecute"}]},
    "status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "DiskPressure"}],
               "addresses": [{"type": "Hostname", "address": "n"}]}})");
  return object;
}

const json& pod() {
  static const json object = json::parse(R"({"kind": "Pod", "apiVersion": "v1",
    "metadata": {"name": "p", "namespace": "default", "uid": "u", "finalizers": ["x/y"]},
    "spec": {"containers": [{"name": "c", "env": [{"name": "A", "value": "1"}],
                             "ports": [{"containerPort": 80}]}],
             "volumes": [{"name": "v"}], "tolerations": [{"operator": "Exists"}]},
    "status": {"podIPs": [{"ip": "10.0.0.1"}], "conditions": [{"type": "Ready"}]}})");
  return object;
}

void apply(const sim::Resource& resource, const json& object, const json& patch, PatchType type) {
  const sim::Outcome<json> once = sim::patched(resource, object, patch, type);
  if (!once) return;
  (void)once->dump();
  if (type != PatchType::Merge) return;
  const sim::Outcome<json> twice = sim::patched(resource, *once, patch, type);
  must_hold(twice && *twice == *once, "a merge that is done changes nothing");
}

}  // namespace

/// A patch of any kind, in JSON or YAML, put to a node and to a pod.
void read_patch(std::string_view bytes) {
  for (const std::string_view type : {"application/json", "application/yaml"}) {
    const sim::Outcome<json> patch = sim::read_body(bytes, type, "Node");
    if (!patch) {
      (void)sim::body_of(patch.error());
      continue;
    }
    for (const PatchType kind : {PatchType::Merge, PatchType::Strategic, PatchType::Apply}) {
      apply(sim::core_resource("nodes"), node(), *patch, kind);
      apply(sim::core_resource("pods"), pod(), *patch, kind);
    }
  }
  if (sim::nests_too_deeply(bytes)) return;
  const json list = json::parse(bytes, nullptr, false);
  if (!list.is_array()) return;
  apply(sim::core_resource("nodes"), node(), list, PatchType::JsonPatch);
  apply(sim::core_resource("pods"), pod(), list, PatchType::JsonPatch);
}

}  // namespace nlc::bytes

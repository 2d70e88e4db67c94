#include "sim/apiserver/registry/pod_status.h"
#include "sim/apiserver/registry/registry.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/validation/admission.h"

/// What is written to a pod by an address below its own: pods/binding and pods/eviction.
namespace nlc::sim {
namespace {

using Json = nlohmann::json;

}  // namespace

Outcome<Written> Registry::bind(const WriteTarget& target, const Json& binding) {
  const Resource& pods = core_resource("pods");
  const Json to = binding.value("target", Json::object());
  const std::string kind = to.value("kind", "");
  const std::string node = to.value("name", "");
  if (!kind.empty() && kind != "Node") {
    return internal_error("target.kind: Unsupported value: " + Json(kind).dump() +
                          ": supported values: \"Node\", \"<empty>\"");
  }
  if (node.empty()) return internal_error("target.name: Required value");
  const ObjectRef stored = storage_.find(pods, key_of(pods, target));
  if (!stored) return not_found(pods, target.name);
  Json pod = parse_json(stored->bytes);
  const std::string bound = pod["spec"].value("nodeName", "");
  const bool ending = pod["metadata"].contains("deletionTimestamp");
  if (ending || !bound.empty()) {
    StatusError error = conflict(pods, target.name, "");
    error.details.kind = "pods/binding";
    error.message = "Operation cannot be fulfilled on pods/binding \"" + target.name + "\": pod " +
                    target.name +
                    (ending ? " is being deleted, cannot be assigned to a host"
                            : " is already assigned to node \"" + bound + "\"");
    return error;
  }
  pod["spec"]["nodeName"] = node;
  set_condition(pod, {{"type", "PodScheduled"}, {"status", "True"}}, clock_.wall_now());
  add_topology_labels(pod, [this](std::string_view name) { return labels_of_node(name); });
  shape(pods, pod);
  return Written{keep(pods, target, stored, std::move(pod), stored->managed)};
}

Outcome<Removed> Registry::evict(WriteTarget target, const Json& eviction) {
  const Resource& pods = core_resource("pods");
  const ObjectRef stored = storage_.find(pods, key_of(pods, target));
  if (!stored) return not_found(pods, target.name);
  const Json wanted = eviction.value("deleteOptions", Json::object());
  DeleteOptions options = DeleteOptions::from(wanted);
  // Here alone an empty version is none.
  if (options.resource_version == "") options.resource_version.reset();
  target.dry_run = target.dry_run || options.dry_run;
  Json pod = parse_json(stored->bytes);
  if (auto refusal = refused_precondition(pods, *stored, pod.at("metadata"), options)) {
    return std::move(*refusal);
  }
  const Json before = pod;
  set_condition(pod,
                {{"type", "DisruptionTarget"},
                 {"status", "True"},
                 {"reason", "EvictionByEvictionAPI"},
                 {"message", "Eviction API: evicting"}},
                clock_.wall_now());
  shape(pods, pod);
  if (pod != before && !target.dry_run) keep(pods, target, stored, std::move(pod), stored->managed);
  DeleteOptions rest = options;
  rest.resource_version.reset();
  return remove(pods, target, rest);
}

}  // namespace nlc::sim

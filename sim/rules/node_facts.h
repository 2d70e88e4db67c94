#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode.h"
#include "api/objects.h"
#include "sim/apiserver/registry/storage.h"

/// What the rules and the reference model say of nodes, taints and tolerations: written from
/// docs/spec, and from nothing else.
namespace nlc::sim::rules {

const Resource& leases();

/// As it is stored; nothing where there is none, or none that can be read.
template <typename T>
std::optional<T> decoded(const ObjectRef& object) {
  if (!object) return std::nullopt;
  thread_local api::Decoder<T> decoder;  // its memory is had once
  Result<T> value = decoder.object(object->bytes);
  return value ? std::optional<T>(std::move(*value)) : std::nullopt;
}

/// All of "nodes" or "pods" that can be read.
template <typename T, typename Visit>
void visit_all(const Storage& storage, std::string_view plural, Visit visit) {
  storage.visit(core_resource(plural), {"", "", 0}, [&](const ObjectRef& object) {
    if (std::optional<T> value = decoded<T>(object)) visit(std::move(*value));
    return true;
  });
}

/// Clocks and wires of a simulated day are exact; what is compared is not so to the last tick.
inline constexpr Duration exact_enough = std::chrono::milliseconds(20);

/// Region and zone, by the beta labels, else by the stable ones (spec/zones.md "Zone key").
std::string zone_of(const api::Node& node);
/// Of its zone's state; excluded ones do not (spec/zones.md "Excluded nodes").
bool counts(const api::Node& node);
bool is_ready(const api::Node& node);
bool is_unknown(const api::Node& node);
bool is_ready(const api::Pod& pod);
/// No kubelet has ever said how it is.
bool never_reported(const api::Node& node);

/// not-ready and unreachable, with whatever effect, are the controller's alone.
bool is_health_taint(const api::Taint& taint);
/// What the controller adds and removes: those of health, and NoSchedule for conditions and
/// `unschedulable` (spec/node-lifecycle.md "NoExecute taints", "NoSchedule taints").
bool is_of_controller(const api::Taint& taint);
bool has_unreachable(const api::Node& node, std::string_view effect);
bool has_no_execute(const api::Node& node);
/// One that says something else than that it is not healthy.
bool has_no_execute_of_others(const api::Node& node);
/// A NoExecute taint that says the node is not healthy.
bool has_health_no_execute(const api::Node& node);

bool tolerates(const api::Toleration& toleration, const api::Taint& taint);

/// For how long a pod may stay beside those of the taints that are NoExecute: zero, a time, or for
/// ever (`Duration::max()`). Of tolerations with seconds the shortest counts.
Duration tolerated_for(const api::Pod& pod, const std::vector<api::Taint>& taints);

}  // namespace nlc::sim::rules

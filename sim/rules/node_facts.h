#pragma once

#include <string>

#include "api/objects.h"

/// What the rules and the reference model say of nodes, taints and tolerations: written from
/// docs/spec, and from nothing else.
namespace nlc::sim::rules {

/// Region and zone, by the stable labels, else by the beta ones.
std::string zone_of(const api::Node& node);
bool is_ready(const api::Node& node);
bool is_unknown(const api::Node& node);

/// not-ready and unreachable, with whatever effect, are the controller's alone.
bool is_health_taint(const api::Taint& taint);
/// What the controller adds and removes: those of health, and NoSchedule for conditions and
/// `unschedulable` (spec/node-lifecycle.md "NoExecute taints", "NoSchedule taints").
bool is_of_controller(const api::Taint& taint);
bool has_no_execute(const api::Node& node);
/// A NoExecute taint that says the node is not healthy.
bool has_health_no_execute(const api::Node& node);

bool tolerates(const api::Toleration& toleration, const api::Taint& taint);

/// For how long a pod may stay beside the NoExecute taints of its node: zero, a time, or for ever
/// (`Duration::max()`). Of tolerations with seconds the shortest counts.
Duration tolerated_for(const api::Pod& pod, const api::Node& node);

}  // namespace nlc::sim::rules

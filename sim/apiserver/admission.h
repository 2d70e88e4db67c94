#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/apiserver/resource.h"

/// What a server adds to an object that it was not told: defaults of the kinds, the default
/// tolerations of new pods, and the fields that the real types always write (recorded
/// pod-create*.json, node-create.json).
namespace nlc::sim {

/// The labels of a node, null when there is no such node.
using NodeLabels = std::function<nlohmann::json(std::string_view node)>;

/// Completes an object that is about to be created. Pods lose whatever status they brought.
void complete_new(const Resource& resource, nlohmann::json& object, const NodeLabels& labels);

/// Keeps the annotation in which a daemon set counts the changes of its template; what a writer
/// made of it is ignored.
void carry_template_generation(const nlohmann::json& before, nlohmann::json& after);

/// Gives an object the shape in which it is stored: what is null or empty goes, times that are
/// always written come. Equal objects have equal shapes afterwards.
void shape(const Resource& resource, nlohmann::json& object);

/// Copies zone and region of its node to a pod that has just got one.
void add_topology_labels(nlohmann::json& pod, const NodeLabels& labels);

}  // namespace nlc::sim

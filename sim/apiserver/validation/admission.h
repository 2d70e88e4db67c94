#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "sim/apiserver/types/resource.h"
#include "sim/apiserver/types/status_error.h"

/// What a server adds to an object that it was not told: defaults of the kinds, the default
/// tolerations of new pods, and the fields that the real types always write (recorded
/// pod-create*.json, node-create.json).
namespace nlc::sim {

/// The labels of a node, null when there is no such node.
using NodeLabels = std::function<nlohmann::json(std::string_view node)>;

/// Fills in what a kind says by default, at every write, and what says the same twice. The object
/// has been read as its type.
void apply_defaults(const Resource& resource, nlohmann::json& object);

/// What is done to an object that is about to be created, or why it is not. Pods lose whatever
/// status they brought.
std::optional<StatusError> prepare_new(const Resource& resource, nlohmann::json& object,
                                       const NodeLabels& labels);

/// A pod that was written without what the server once added to it gets that again.
void prepare_changed_pod(const nlohmann::json& before, nlohmann::json& after);

/// The annotation of a daemon set that counts its templates.
inline constexpr const char* template_generation = "deprecated.daemonset.template.generation";
/// Keeps the annotation in which a daemon set counts the changes of its template; what a writer
/// made of it is ignored.
void carry_template_generation(const nlohmann::json& before, nlohmann::json& after);

/// Of a lease: coordinated leader election is off, and what it would need is not taken, save where
/// it is there from a time when it was on.
void drop_what_is_switched_off(const nlohmann::json& before, nlohmann::json& after);

/// Takes away what is not stored: kind and version, and who wrote which field.
void strip(nlohmann::json& object);

/// Gives an object the shape in which it is stored: stripped, and as its type is written.
void shape(const Resource& resource, nlohmann::json& object);

/// Copies zone and region of its node to a pod that has just got one.
void add_topology_labels(nlohmann::json& pod, const NodeLabels& labels);

}  // namespace nlc::sim

#include "api/assembly.h"

#include <algorithm>
#include <limits>
#include <string>

namespace nlc::api {
namespace {

/// Nothing for a word that we do not know: nobody may be evicted for it.
std::optional<ConditionStatus> condition_status(std::string_view word) {
  if (word == "True") return ConditionStatus::True;
  if (word == "False") return ConditionStatus::False;
  if (word == "Unknown") return ConditionStatus::Unknown;
  return std::nullopt;
}

/// The part of metadata that every kind has.
template <typename T>
void set_identity(T& object, const MetadataFields& fields) {
  object.name = fields.name;
  object.uid = fields.uid;
  object.resource_version = fields.resource_version;
  if (object.name.empty()) throw Unreadable("metadata.name is missing");
}

/// A time after 1970 that fits into 32 bits of seconds; others are as good as none.
void set_bound(Pod& pod, std::optional<WallTime> time) {
  pod.bound.reset();
  if (!time) return;
  const auto seconds = std::chrono::floor<std::chrono::seconds>(*time);
  const auto count = seconds.time_since_epoch().count();
  if (count > 0 && count <= std::numeric_limits<std::uint32_t>::max()) pod.bound = seconds;
}

}  // namespace

Duration believable_wait(std::int64_t seconds) {
  constexpr std::int64_t hour = 3600;
  return std::chrono::seconds(std::clamp(seconds, std::int64_t{0}, hour));
}

void clear(Node& node) { node = {}; }

void clear(NodeLease& lease) {
  lease.name.clear();
  lease.uid.clear();
  lease.resource_version.clear();
  lease.renewed.reset();
}

void clear(Pod& pod) { pod = {}; }

void clear(ConfigMap& config) { config = {}; }

void set_metadata(Node& node, const MetadataFields& fields) {
  set_identity(node, fields);
  node.created = fields.created;
  node.deleting = fields.deleting;
}

void set_metadata(NodeLease& lease, const MetadataFields& fields) { set_identity(lease, fields); }

void set_metadata(Pod& pod, const MetadataFields& fields) {
  set_identity(pod, fields);
  pod.namespace_ = fields.namespace_;
  if (pod.namespace_.empty()) throw Unreadable("metadata.namespace is missing");
  pod.generation = fields.generation;
  pod.deleting = fields.deleting;
  set_bound(pod, fields.created);
}

void set_metadata(ConfigMap& config, const MetadataFields& fields) {
  set_identity(config, fields);
  config.namespace_ = fields.namespace_;
  if (config.namespace_.empty()) throw Unreadable("metadata.namespace is missing");
}

void add_label(Node& node, std::string_view key, std::string_view value) {
  node.labels.emplace_back(key, value);
}

void set_pause(Node& node, std::string_view word) { node.pause = word; }

void add_taint(Node& node, const TaintFields& fields) {
  node.taints.push_back({.key = std::string(fields.key),
                         .value = std::string(fields.value),
                         .effect = std::string(fields.effect),
                         .time_added = fields.time_added});
}

void add_condition(Node& node, const ConditionFields& fields) {
  const std::optional<ConditionStatus> status = condition_status(fields.status);
  if (!status || node.condition(fields.type) != nullptr) return;
  node.conditions.push_back({.type = std::string(fields.type),
                             .status = *status,
                             .reason = std::string(fields.reason),
                             .message = std::string(fields.message),
                             .last_heartbeat = fields.last_heartbeat,
                             .last_transition = fields.last_transition});
}

void add_entry(ConfigMap& config, std::string_view key, std::string_view value) {
  config.data.emplace_back(key, value);
}

void add_owner(Pod& pod, const OwnerFields& fields) {
  if (fields.controller && fields.kind == "DaemonSet") pod.daemon = true;
}

void set_node(Pod& pod, std::string_view node) { pod.node_name = node; }

void add_toleration(Pod& pod, const TolerationFields& fields) {
  pod.tolerations.push_back({.key = std::string(fields.key),
                             .operator_ = std::string(fields.operator_),
                             .value = std::string(fields.value),
                             .effect = std::string(fields.effect),
                             .seconds = fields.seconds});
}

void set_phase(Pod& pod, std::string_view phase, std::string_view reason) {
  pod.finished = phase == "Succeeded" || phase == "Failed";
  pod.lost = reason == reason_node_lost;
}

void add_condition(Pod& pod, const ConditionFields& fields) {
  const std::optional<ConditionStatus> status = condition_status(fields.status);
  if (!status) return;
  const auto keep_first = [&](std::string_view type, std::optional<PodCondition>& place) {
    if (fields.type != type || place) return;
    place = {.status = *status,
             .reason = std::string(fields.reason),
             .message = std::string(fields.message),
             .last_transition = fields.last_transition};
  };
  const bool scheduled = fields.type == condition::pod_scheduled && status == ConditionStatus::True;
  if (scheduled) set_bound(pod, std::max(pod.bound, fields.last_transition));
  keep_first(condition::ready, pod.ready);
  keep_first(condition::disruption_target, pod.disruption_target);
}

}  // namespace nlc::api

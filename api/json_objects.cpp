#include "api/json_objects.h"

namespace nlc::api {
namespace {

JsonElement metadata_of(JsonElement json) {
  const std::optional<JsonElement> metadata = field(json, "metadata");
  if (!metadata) throw Unreadable("metadata is missing");
  return *metadata;
}

MetadataFields identity(JsonElement metadata) {
  return {.name = text(metadata, "name"),
          .uid = text(metadata, "uid"),
          .resource_version = text(metadata, "resourceVersion")};
}

/// Calls `visit(key, value)` for each entry of a map of texts.
template <typename Visit>
void each_entry(JsonElement parent, std::string_view name, Visit visit) {
  const auto object = value_of<simdjson::dom::object>(parent, name);
  if (!object) return;
  for (const auto [key, value] : *object) {
    std::string_view content;
    if (value.get(content) != simdjson::SUCCESS) throw WrongType(key);
    visit(key, content);
  }
}

TaintFields taint(JsonElement json) {
  return {.key = text(json, "key"),
          .value = text(json, "value"),
          .effect = text(json, "effect"),
          .time_added = timestamp(json, "timeAdded")};
}

ConditionFields read_condition(JsonElement json) {
  return {.type = text(json, "type"),
          .status = text(json, "status"),
          .reason = text(json, "reason"),
          .message = text(json, "message"),
          .last_heartbeat = timestamp(json, "lastHeartbeatTime"),
          .last_transition = timestamp(json, "lastTransitionTime")};
}

TolerationFields toleration(JsonElement json) {
  return {.key = text(json, "key"),
          .operator_ = text(json, "operator"),
          .value = text(json, "value"),
          .effect = text(json, "effect"),
          .seconds = integer(json, "tolerationSeconds")};
}

}  // namespace

TypeFields type_of(JsonElement json) {
  simdjson::dom::object object;
  if (json.get(object) != simdjson::SUCCESS) return {};
  TypeFields type;
  int missing = 2;
  // They stand first: one walk finds both after two steps, for each event of a watch.
  for (const auto [key, value] : object) {
    const bool is_kind = key == "kind";
    if (!is_kind && key != "apiVersion") continue;
    std::string_view& place = is_kind ? type.kind : type.api_version;
    if (!value.is_null() && value.get(place) != simdjson::SUCCESS) throw WrongType(key);
    if (--missing == 0) break;
  }
  return type;
}

void read(JsonElement json, Node& node) {
  const JsonElement metadata = metadata_of(json);
  MetadataFields fields = identity(metadata);
  set_metadata(node, fields);  // the rest is complained about by name
  fields.created = timestamp(metadata, "creationTimestamp");
  fields.deleting = field(metadata, "deletionTimestamp").has_value();
  set_metadata(node, fields);
  each_entry(metadata, "labels",
             [&](std::string_view key, std::string_view value) { add_label(node, key, value); });
  if (const std::optional<JsonElement> annotations = field(metadata, "annotations")) {
    set_pause(node, text(*annotations, annotation::pause));
  }
  if (const std::optional<JsonElement> spec = field(json, "spec")) {
    node.unschedulable = boolean(*spec, "unschedulable");
    each(*spec, "taints", [&](JsonElement item) { add_taint(node, taint(item)); });
  }
  if (const std::optional<JsonElement> status = field(json, "status")) {
    each(*status, "conditions",
         [&](JsonElement item) { add_condition(node, read_condition(item)); });
  }
}

void read(JsonElement json, NodeLease& lease) {
  set_metadata(lease, identity(metadata_of(json)));
  if (const std::optional<JsonElement> spec = field(json, "spec")) {
    lease.renewed = timestamp(*spec, "renewTime");
  }
}

void read(JsonElement json, Pod& pod) {
  const JsonElement metadata = metadata_of(json);
  MetadataFields fields = identity(metadata);
  fields.namespace_ = text(metadata, "namespace");
  set_metadata(pod, fields);  // the rest is complained about by name
  fields.created = timestamp(metadata, "creationTimestamp");
  fields.generation = integer(metadata, "generation").value_or(0);
  fields.deleting = field(metadata, "deletionTimestamp").has_value();
  set_metadata(pod, fields);
  each(metadata, "ownerReferences", [&](JsonElement owner) {
    add_owner(pod, {.kind = text(owner, "kind"), .controller = boolean(owner, "controller")});
  });
  if (const std::optional<JsonElement> spec = field(json, "spec")) {
    set_node(pod, text(*spec, "nodeName"));
    each(*spec, "tolerations", [&](JsonElement item) { add_toleration(pod, toleration(item)); });
  }
  if (const std::optional<JsonElement> status = field(json, "status")) {
    set_phase(pod, text(*status, "phase"), text(*status, "reason"));
    each(*status, "conditions",
         [&](JsonElement item) { add_condition(pod, read_condition(item)); });
  }
}

void read(JsonElement json, ConfigMap& config) {
  const JsonElement metadata = metadata_of(json);
  MetadataFields fields = identity(metadata);
  fields.namespace_ = text(metadata, "namespace");
  set_metadata(config, fields);
  each_entry(json, "data",
             [&](std::string_view key, std::string_view value) { add_entry(config, key, value); });
  each_entry(json, "binaryData",
             [&](std::string_view key, std::string_view) { add_entry(config, key, binary); });
}

MetadataFields readable_identity(JsonElement json) {
  simdjson::dom::object object;
  JsonElement metadata;
  if (json.get(object) != simdjson::SUCCESS) return {};
  if (object.at_key("metadata").get(metadata) != simdjson::SUCCESS) return {};
  return {.name = readable_text(metadata, "name"),
          .namespace_ = readable_text(metadata, "namespace"),
          .uid = readable_text(metadata, "uid"),
          .resource_version = readable_text(metadata, "resourceVersion")};
}

Status read_status(JsonElement json) {
  Status status;
  status.code = static_cast<int>(integer(json, "code").value_or(0));
  status.reason = text(json, "reason");
  status.message = text(json, "message");
  if (const std::optional<JsonElement> details = field(json, "details")) {
    each(*details, "causes", [&](JsonElement cause) {
      status.causes.push_back({.reason = std::string(text(cause, "reason")),
                               .message = std::string(text(cause, "message")),
                               .field = std::string(text(cause, "field"))});
    });
    if (const auto seconds = integer(*details, "retryAfterSeconds")) {
      status.retry_after = believable_wait(*seconds);
    }
  }
  return status;
}

BookmarkFields read_bookmark(JsonElement json) {
  const JsonElement metadata = metadata_of(json);
  BookmarkFields bookmark{.resource_version = text(metadata, "resourceVersion")};
  if (const std::optional<JsonElement> annotations = field(metadata, "annotations")) {
    bookmark.ends_initial_events = text(*annotations, initial_events_end) == "true";
  }
  return bookmark;
}

}  // namespace nlc::api

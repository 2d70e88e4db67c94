#include <nlohmann/json.hpp>

#include "election/lock_object.h"
#include "tests/election/election_case.h"
#include "tests/election/election_world.h"

/// Cases about what stands in a lock object.
namespace nlc::election::testing {
namespace {

LockPlace place(Carrier carrier) {
  return {.carrier = carrier, .namespace_ = "foo", .name = "bar"};
}

LockRecord record_of(const YAML::Node& fields) {
  LockRecord record;
  if (fields["h"]) record.holder = fields["h"].as<std::string>();
  if (fields["d"]) record.duration_seconds = fields["d"].as<std::int64_t>();
  if (fields["tr"]) record.transitions = fields["tr"].as<std::int64_t>();
  if (fields["acquire"]) record.acquired = parse_rfc3339(fields["acquire"].as<std::string>());
  if (fields["renew"]) record.renewed = parse_rfc3339(fields["renew"].as<std::string>());
  return record;
}

std::string spec_text(const LockRecord& record) {
  const std::string body = encode_lock(place(Carrier::Lease), record, {});
  return nlohmann::ordered_json::parse(body).at("spec").dump();
}

std::string annotation_text(const LockRecord& record) {
  const std::string body = encode_lock(place(Carrier::Endpoints), record, {});
  return Json::parse(body)["metadata"]["annotations"][std::string(record_annotation)];
}

bool is_zero(const LockRecord& record) {
  return record.holder.empty() && !record.duration_seconds && !record.acquired && !record.renewed &&
         record.transitions == 0;
}

std::string object_text(Carrier carrier, const Json& metadata, const Json& rest = Json::object()) {
  Json object{{"kind", kind_of(carrier)}, {"metadata", {{"name", "bar"}, {"namespace", "foo"}}}};
  object["metadata"].update(metadata);
  object.update(rest);
  return object.dump();
}

/// `record` in; text of the annotation or of the spec out.
Differences run_text(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.expected, {"value", "spec"});
  const LockRecord record = record_of(one.inputs["record"]);
  if (const YAML::Node value = one.expected["value"]) {
    compare(differences, "value", annotation_text(record), value.as<std::string>());
  }
  if (const YAML::Node spec = one.expected["spec"]) {
    compare(differences, "spec", spec_text(record), spec.as<std::string>());
  }
  return differences;
}

Differences run_round_trip() {
  LockRecord record = record_of(YAML::Load("{h: baz, d: 15, tr: 3}"));
  record.acquired = parse_rfc3339("2026-01-02T03:04:05.000006Z");
  record.renewed = parse_rfc3339("2026-01-02T03:04:06.000007Z");
  record.strategy = "OldestEmulationVersion";
  record.preferred_holder = "qux";
  const auto read = decode_lock(Carrier::Lease, encode_lock(place(Carrier::Lease), record, {}));
  Differences differences;
  compare(differences, "round trip", read ? spec_text(read->record) : "", spec_text(record));
  return differences;
}

Differences run_spec(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.expected, {"record", "strategyFieldsWritten"});
  const auto read = decode_lock(
      Carrier::Lease, object_text(Carrier::Lease, Json::object(), {{"spec", Json::object()}}));
  compare(differences, "record", read && is_zero(read->record) ? "zero" : "not zero",
          one.expected["record"].as<std::string>());
  const bool written = spec_text(record_of({})).find("strategy") != std::string::npos;
  compare(differences, "strategyFieldsWritten", written ? "true" : "false",
          one.expected["strategyFieldsWritten"].as<std::string>());
  return differences;
}

Differences run_annotations(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.expected, {"record", "raw", "error"});
  Json annotations = Json::object();
  for (const auto& entry : one.inputs["annotations"]) {
    annotations[entry.first.as<std::string>()] = entry.second.as<std::string>();
  }
  const auto read = decode_lock(Carrier::Endpoints,
                                object_text(Carrier::Endpoints, {{"annotations", annotations}}));
  compare(differences, "error", read ? "false" : "true", shown(one.expected["error"]));
  if (const YAML::Node record = one.expected["record"]) {
    compare(differences, "record", read && is_zero(read->record) ? "zero" : "not zero",
            record.as<std::string>());
  }
  return differences;
}

std::map<std::string, std::string> labels_of(const YAML::Node& node) {
  return node.IsMap() ? node.as<std::map<std::string, std::string>>()
                      : std::map<std::string, std::string>();
}

void compare_labels(Differences& differences, const YAML::Node& given, const YAML::Node& wanted) {
  LockPlace ours = place(Carrier::Lease);
  ours.labels = labels_of(given["configured"]);
  const std::map<std::string, std::string> found = labels_of(given["onServer"]);
  const Json metadata = found.empty() ? Json::object() : Json{{"labels", found}};
  const auto before = decode_lock(Carrier::Lease, object_text(Carrier::Lease, metadata));
  const Json after = Json::parse(encode_lock(ours, {}, *before));
  compare(differences, "labels", after["metadata"]["labels"].dump(),
          Json(labels_of(wanted)).dump());
}

Differences run_labels(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.expected, {"labels", "error"});
  const YAML::Node variants = one.inputs["variants"];
  if (!variants) compare_labels(differences, one.inputs, one.expected["labels"]);
  for (const YAML::Node& variant : variants) {
    compare_labels(differences, variant, one.expected["labels"]);
  }
  return differences;
}

Differences run_metadata() {
  const Json metadata{{"annotations", {{"x", "y"}}},
                      {"ownerReferences", {{{"kind", "Node"}, {"name", "n"}}}},
                      {"finalizers", {"z"}}};
  const auto before = decode_lock(Carrier::Lease, object_text(Carrier::Lease, metadata));
  const Json after = Json::parse(encode_lock(place(Carrier::Lease), {}, *before))["metadata"];
  Differences differences;
  for (const auto& [key, value] : metadata.items()) {
    compare(differences, key, after[key].dump(), value.dump());
  }
  return differences;
}

/// The lock of the case, held for a second against an embedded server.
Differences run_event(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.expected, {"event", "withoutRecorder", "describe"});
  ElectionWorld world;
  world.post("/api/v1/namespaces",
             {{"apiVersion", "v1"}, {"kind", "Namespace"}, {"metadata", {{"name", "foo"}}}});
  ElectionOptions options = options_of(YAML::Load("{}"));
  options.event_component = "test";
  Contender recording(world, one.inputs["identity"].as<std::string>(), 1, options);
  world.time.run_for(1s);
  options.event_component.clear();
  options.lease_name = "silent";
  Contender silent(world, "other", 2, options);
  world.time.run_for(1s);
  const Json events = world.get("/api/v1/namespaces/foo/events").json()["items"];
  compare(differences, "events", std::to_string(events.size()), "1");
  if (events.empty()) return differences;
  const YAML::Node wanted = one.expected["event"];
  for (const char* key : {"type", "reason", "message"}) {
    compare(differences, key, events[0][key].get<std::string>(), wanted[key].as<std::string>());
  }
  const Json& object = events[0]["involvedObject"];
  for (const char* key : {"kind", "apiVersion"}) {
    compare(differences, key, object[key].get<std::string>(),
            wanted["object"][key].as<std::string>());
  }
  compare(differences, "describe",
          object["namespace"].get<std::string>() + "/" + object["name"].get<std::string>(),
          one.expected["describe"].as<std::string>());
  return differences;
}

}  // namespace

Differences run_lock(const ElectionCase& one) {
  const YAML::Node inputs = one.inputs;
  if (inputs["record"]) return run_text(one);
  if (inputs["fields"]) return run_round_trip();
  if (inputs["spec"]) return run_spec(one);
  if (inputs["annotations"]) return run_annotations(one);
  if (inputs["configured"] || inputs["variants"]) return run_labels(one);
  if (inputs["onServer"]) return run_metadata();
  if (inputs["identity"]) return run_event(one);
  return {"nobody knows this shape"};
}

}  // namespace nlc::election::testing

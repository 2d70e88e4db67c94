#include <nlohmann/json.hpp>

#include "election/lock/lock_object.h"
#include "tests/election/cases/election_case.h"
#include "tests/election/election_world.h"

/// Cases about what stands in a lock object.
namespace nlc::election::testing {
namespace {

LockPlace place(Carrier carrier) {
  return {.carrier = carrier, .namespace_ = "foo", .name = "bar"};
}

LockRecord record_of(const yaml::Value& fields) {
  LockRecord record;
  record.holder = fields["h"].text;
  if (fields["d"].is_defined()) record.duration_seconds = yaml::json_of(fields["d"]);
  if (fields["tr"].is_defined()) record.transitions = yaml::json_of(fields["tr"]);
  if (fields["acquire"].is_defined()) record.acquired = parse_rfc3339(fields["acquire"].text);
  if (fields["renew"].is_defined()) record.renewed = parse_rfc3339(fields["renew"].text);
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
  if (const yaml::Value& value = one.expected["value"]; value.is_defined()) {
    compare(differences, "value", annotation_text(record), value.text);
  }
  if (const yaml::Value& spec = one.expected["spec"]; spec.is_defined()) {
    compare(differences, "spec", spec_text(record), spec.text);
  }
  return differences;
}

Differences run_round_trip() {
  LockRecord record = record_of(yaml::read("{h: baz, d: 15, tr: 3}"));
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
          one.expected["record"].text);
  const bool written = spec_text(record_of({})).find("strategy") != std::string::npos;
  compare(differences, "strategyFieldsWritten", written ? "true" : "false",
          one.expected["strategyFieldsWritten"].text);
  return differences;
}

Differences run_annotations(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.expected, {"record", "raw", "error"});
  const Json annotations = yaml::json_of(one.inputs["annotations"]);
  const auto read = decode_lock(Carrier::Endpoints,
                                object_text(Carrier::Endpoints, {{"annotations", annotations}}));
  compare(differences, "error", read ? "false" : "true", shown(one.expected["error"]));
  if (const yaml::Value& record = one.expected["record"]; record.is_defined()) {
    compare(differences, "record", read && is_zero(read->record) ? "zero" : "not zero",
            record.text);
  }
  return differences;
}

std::map<std::string, std::string> labels_of(const yaml::Value& node) {
  std::map<std::string, std::string> labels;
  for (const auto& [key, line, value] : node.map) labels.emplace(key, value.text);
  return labels;
}

void compare_labels(Differences& differences, const yaml::Value& given, const yaml::Value& wanted) {
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
  const yaml::Value& variants = one.inputs["variants"];
  if (!variants.is_defined()) compare_labels(differences, one.inputs, one.expected["labels"]);
  for (const yaml::Value& variant : variants.list) {
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
  ElectionOptions options = options_of(yaml::read("{}"));
  options.event_component = "test";
  Contender recording(world, one.inputs["identity"].text, 1, options);
  world.time.run_for(1s);
  options.event_component.clear();
  options.lease_name = "silent";
  Contender silent(world, "other", 2, options);
  world.time.run_for(1s);
  const Json events = world.get("/api/v1/namespaces/foo/events").json()["items"];
  compare(differences, "events", std::to_string(events.size()), "1");
  if (events.empty()) return differences;
  const yaml::Value& wanted = one.expected["event"];
  for (const char* key : {"type", "reason", "message"}) {
    compare(differences, key, events[0][key].get<std::string>(), wanted[key].text);
  }
  const Json& object = events[0]["involvedObject"];
  for (const char* key : {"kind", "apiVersion"}) {
    compare(differences, key, object[key].get<std::string>(), wanted["object"][key].text);
  }
  compare(differences, "describe",
          object["namespace"].get<std::string>() + "/" + object["name"].get<std::string>(),
          one.expected["describe"].text);
  return differences;
}

}  // namespace

Differences run_lock(const ElectionCase& one) {
  const yaml::Value& inputs = one.inputs;
  if (inputs["record"].is_defined()) return run_text(one);
  if (inputs["fields"].is_defined()) return run_round_trip();
  if (inputs["spec"].is_defined()) return run_spec(one);
  if (inputs["annotations"].is_defined()) return run_annotations(one);
  if (inputs["configured"].is_defined() || inputs["variants"].is_defined()) return run_labels(one);
  if (inputs["onServer"].is_defined()) return run_metadata();
  if (inputs["identity"].is_defined()) return run_event(one);
  return {"nobody knows this shape"};
}

}  // namespace nlc::election::testing

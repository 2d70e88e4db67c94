#include "election/lock/lock_object.h"

#include <cstdlib>
#include <utility>

#include "api/json_members.h"
#include "api/simdjson.h"
#include "client/resources.h"

namespace nlc::election {
namespace {

using api::json_string;
using api::JsonMembers;

/// What is read, by every replica with each renewal of the leader's.
using Element = simdjson::dom::element;
using Read = std::optional<Element>;

/// The only field that is called differently in a Lease's spec and in an annotation.
constexpr const char* transitions_in_spec = "leaseTransitions";
constexpr const char* transitions_in_annotation = "leaderTransitions";

/// The value there as one of that type, where it is one. Of the wrong type is as good as absent: an
/// object that was edited by hand must not stop us, and what it does not say is replaced by the
/// safe assumption.
template <typename T>
std::optional<T> value(const Read& object, std::string_view name) {
  simdjson::dom::object members;
  T found;
  if (!object || object->get(members) != simdjson::SUCCESS) return std::nullopt;
  if (members.at_key(name).get(found) != simdjson::SUCCESS) return std::nullopt;
  return found;
}

Read member(const Read& object, std::string_view name) { return value<Element>(object, name); }

/// As long as what was read.
std::string_view view(const Read& object, std::string_view name) {
  return value<std::string_view>(object, name).value_or("");
}

std::string text(const Read& object, std::string_view name) {
  return std::string(view(object, name));
}

std::optional<std::int64_t> integer(const Read& object, std::string_view name) {
  return value<std::int64_t>(object, name);
}

/// The parsers' memory is had once, for every replica reads each renewal of the leader's. What was
/// read lasts until the same one reads again.
struct Parsers {
  simdjson::dom::parser object;
  simdjson::dom::parser annotation;
};
Parsers& parsers() {
  thread_local Parsers kept;
  return kept;
}

/// The parser owns what is read. Nothing where that is no JSON.
Read parsed(simdjson::dom::parser& parser, std::string_view bytes) {
  Element root;
  if (parser.parse(bytes).get(root) != simdjson::SUCCESS) return std::nullopt;
  return root;
}

LockRecord record_from(const Read& fields, const char* transitions) {
  LockRecord record;
  record.holder = text(fields, "holderIdentity");
  record.duration_seconds = integer(fields, "leaseDurationSeconds");
  record.acquired = parse_rfc3339(view(fields, "acquireTime"));
  record.renewed = parse_rfc3339(view(fields, "renewTime"));
  record.transitions = integer(fields, transitions).value_or(0);
  record.strategy = text(fields, "strategy");
  record.preferred_holder = text(fields, "preferredHolder");
  return record;
}

template <typename Written>
std::string fields_of(const LockRecord& record, const char* transitions, Written written) {
  const auto time = [&written](const std::optional<WallTime>& when) {
    return when ? json_string(written(*when)) : "null";
  };
  JsonMembers fields;
  fields.set("holderIdentity", json_string(record.holder));
  fields.set("leaseDurationSeconds", std::to_string(record.duration_seconds.value_or(0)));
  fields.set("acquireTime", time(record.acquired));
  fields.set("renewTime", time(record.renewed));
  fields.set(transitions, std::to_string(record.transitions));
  if (!record.strategy.empty()) fields.set("strategy", json_string(record.strategy));
  if (!record.preferred_holder.empty())
    fields.set("preferredHolder", json_string(record.preferred_holder));
  return fields.text();
}

std::optional<std::string_view> annotation_in(const Read& metadata) {
  return value<std::string_view>(member(metadata, "annotations"), record_annotation);
}

/// In whole seconds, as upstream. A renewal in the second of the one before would be the same text:
/// the server sees no change there, and whoever waits for our end no renewal. It has microseconds,
/// which readers of RFC 3339 take.
std::string annotation_text(const LockRecord& record, const Read& known_metadata) {
  std::string text = fields_of(record, transitions_in_annotation, rfc3339);
  if (text != annotation_in(known_metadata)) return text;
  return fields_of(record, transitions_in_annotation, rfc3339_micro);
}

// What is there of labels and annotations is kept. They become objects, even where somebody wrote
// something else.

std::string labels_text(const LockPlace& place, const Read& known_metadata) {
  JsonMembers labels;
  labels.keep(member(known_metadata, "labels"));
  for (const auto& [label, value] : place.labels) labels.set(label, json_string(value));
  return labels.text();
}

std::string annotations_text(const LockRecord& record, const Read& known_metadata) {
  JsonMembers annotations;
  annotations.keep(member(known_metadata, "annotations"));
  annotations.set(record_annotation, json_string(annotation_text(record, known_metadata)));
  return annotations.text();
}

Result<LockRecord> annotated_record(const Read& metadata) {
  const auto annotation = annotation_in(metadata);
  if (!annotation) return LockRecord{};
  const Read fields = parsed(parsers().annotation, *annotation);
  if (!fields || !fields->is_object()) {
    return Error{Fault::Malformed,
                 "annotation " + std::string(record_annotation) + " is no record"};
  }
  return record_from(fields, transitions_in_annotation);
}

Result<LockRecord> read(Carrier carrier, const Read& object) {
  const Read metadata = member(object, "metadata");
  if (view(object, "kind") != kind_of(carrier) || view(metadata, "name").empty()) {
    return Error{Fault::Malformed, "no " + std::string(kind_of(carrier))};
  }
  Result<LockRecord> record = carrier == Carrier::Lease
                                  ? Result(record_from(member(object, "spec"), transitions_in_spec))
                                  : annotated_record(metadata);
  if (!record) return std::move(record.error());
  record->uid = text(metadata, "uid");
  record->version = text(metadata, "resourceVersion");
  return record;
}

/// What the object is, if it is another than the one at `place`: a proxy may ignore the selector.
std::string foreign_name(const LockPlace& place, const Read& object) {
  const Read metadata = member(object, "metadata");
  const std::string_view kind = view(object, "kind");
  const std::string_view name = view(metadata, "name");
  const std::string_view namespace_ = view(metadata, "namespace");
  const bool elsewhere = !namespace_.empty() && namespace_ != place.namespace_;
  if (kind == kind_of(place.carrier) && name == place.name && !elsewhere) return {};
  return std::string(kind).append(" ").append(namespace_).append("/").append(name);
}

/// As it stands in the line, where that is written as kube-apiserver writes it: the type, and last
/// the object.
std::string text_of_object(std::string_view line, std::string_view type, const Read& event) {
  const std::string before = R"({"type":")" + std::string(type) + R"(","object":)";
  simdjson::dom::object members;
  const bool has_both = event->get(members) == simdjson::SUCCESS && members.size() == 2;
  if (!has_both || !line.starts_with(before) || !line.ends_with('}')) {
    return simdjson::minify(*member(event, "object"));
  }
  return std::string(line.substr(before.size(), line.size() - before.size() - 1));
}

}  // namespace

std::string_view kind_of(Carrier carrier) {
  switch (carrier) {
    case Carrier::Lease:
      return "Lease";
    case Carrier::Endpoints:
      return "Endpoints";
    case Carrier::ConfigMap:
      return "ConfigMap";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string_view api_version_of(Carrier carrier) {
  return carrier == Carrier::Lease ? "coordination.k8s.io/v1" : "v1";
}

std::string collection_path(const LockPlace& place) {
  switch (place.carrier) {
    case Carrier::Lease:
      return client::leases_path(place.namespace_);
    case Carrier::Endpoints:
      return "/api/v1/namespaces/" + client::escaped(place.namespace_) + "/endpoints";
    case Carrier::ConfigMap:
      return client::config_maps_path(place.namespace_);
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string object_path(const LockPlace& place) {
  return collection_path(place) + "/" + client::escaped(place.name);
}

Result<LockObject> decode_lock(Carrier carrier, std::string_view body) {
  const Read object = parsed(parsers().object, body);
  if (!object) return Error{Fault::Malformed, "no JSON"};
  Result<LockRecord> record = read(carrier, object);
  if (!record) return std::move(record.error());
  return LockObject{std::move(*record), std::string(body)};
}

std::string encode_lock(const LockPlace& place, const LockRecord& record,
                        const std::optional<LockObject>& before) {
  const Read known = before ? parsed(parsers().object, before->text) : std::nullopt;
  const Read known_metadata = member(known, "metadata");
  JsonMembers object;
  object.keep(known);
  JsonMembers metadata;
  metadata.keep(known_metadata);
  if (before) {
    metadata.set("resourceVersion", json_string(record.version));
  } else {
    object.set("kind", json_string(kind_of(place.carrier)));
    object.set("apiVersion", json_string(api_version_of(place.carrier)));
    metadata.set("name", json_string(place.name));
    metadata.set("namespace", json_string(place.namespace_));
  }
  if (!place.labels.empty()) metadata.set("labels", labels_text(place, known_metadata));
  const bool annotated = place.carrier != Carrier::Lease;
  if (annotated) metadata.set("annotations", annotations_text(record, known_metadata));
  object.set("metadata", metadata.text());
  if (!annotated) object.set("spec", fields_of(record, transitions_in_spec, rfc3339_micro));
  return object.text();
}

std::optional<LockChange> decode_lock_change(const LockPlace& place, std::string_view line) {
  const Read event = parsed(parsers().object, line);
  const std::string_view type = view(event, "type");
  if (type == "ERROR") return LockChange{.ended = true};
  if (type != "ADDED" && type != "MODIFIED" && type != "DELETED") return std::nullopt;
  const Read object = member(event, "object");
  if (std::string foreign = foreign_name(place, object); !foreign.empty()) {
    return LockChange{.foreign = std::move(foreign)};
  }
  Result<LockRecord> record = read(place.carrier, object);
  if (!record) return std::nullopt;
  return LockChange{.object = {std::move(*record), text_of_object(line, type, event)},
                    .gone = type == "DELETED"};
}

}  // namespace nlc::election

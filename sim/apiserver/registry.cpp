#include "sim/apiserver/registry.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>

#include "sim/apiserver/admission.h"
#include "sim/apiserver/field_check.h"
#include "sim/apiserver/pod_lifecycle.h"
#include "sim/apiserver/validation.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

Subject subject_of(const Resource& resource, std::string name) {
  return {std::string(resource.group), std::string(resource.kind), std::move(name)};
}

/// A patch that leaves a value of another type than its field has.
std::optional<StatusError> refused_types(const Resource& resource, const Json& object) {
  const std::string why = mistyped_field(resource.kind, object);
  if (why.empty()) return std::nullopt;
  return invalid({}, {invalid_value("patch", object.dump(), why)});
}

/// What only the server sets: an update gets it from the stored object, whatever it brought.
void carry_over_metadata(const Json& before, Json& after) {
  for (const char* field :
       {"name", "namespace", "uid", "creationTimestamp", "generation", "deletionTimestamp",
        "deletionGracePeriodSeconds", "generateName", "resourceVersion"}) {
    const auto old = before.find(field);
    if (old == before.end())
      after.erase(field);
    else
      after[field] = *old;
  }
}

/// JSON patches may test or name kind and apiVersion, which are not stored.
Json with_type(const Resource& resource, Json object) {
  object["kind"] = resource.kind;
  object["apiVersion"] = api_version_of(resource);
  return object;
}

void take(const char* field, const Json& from, Json& into) {
  const auto found = from.find(field);
  if (found == from.end())
    into.erase(field);
  else
    into[field] = *found;
}

/// A status write changes status, labels and annotations; any other write everything but the
/// status.
void keep_apart(const Resource& resource, bool status_write, const Json& before, Json& after) {
  if (!resource.rules.status_apart) return;
  if (!status_write) return take("status", before, after);
  Json result = before;
  take("status", after, result);
  take("labels", after.at("metadata"), result["metadata"]);
  take("annotations", after.at("metadata"), result["metadata"]);
  take("uid", after.at("metadata"),
       result["metadata"]);  // a foreign one is to be refused, not ignored
  if (resource.kind == "Pod") keep_observed_generations(before, result);
  after = std::move(result);
}

std::string uid_conflict(const Resource& resource, const std::string& key,
                         const std::string& wanted, const std::string& found) {
  return "StorageError: invalid object, Code: 4, Key: /registry/" +
         std::string(resource.storage_folder) + "/" + key +
         ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
         wanted + ", UID in object meta: " + found;
}

bool is_immortal(const Resource& resource, std::string_view name) {
  return resource.kind == "Namespace" &&
         (name == "default" || name == "kube-system" || name == "kube-public");
}

bool awaits_nothing(const Json& object) {
  const Json& metadata = object.at("metadata");
  return metadata.contains("deletionTimestamp") && !metadata.contains("finalizers") &&
         metadata.value("deletionGracePeriodSeconds", 0) == 0;
}

void count_generation(Json& metadata) {
  if (metadata.contains("generation"))
    metadata["generation"] = metadata["generation"].get<long long>() + 1;
}

std::optional<StatusError> refused_precondition(const Resource& resource,
                                                const StoredObject& stored, const Json& metadata,
                                                const DeleteOptions& options) {
  const std::string uid = metadata.value("uid", "");
  const std::string version = std::to_string(stored.version);
  if (!options.uid.empty() && options.uid != uid) {
    return conflict_of_kind(resource, stored.name(),
                            "the UID in the precondition (" + options.uid +
                                ") does not match the UID in record (" + uid +
                                "). The object might have been deleted and then recreated");
  }
  if (!options.resource_version.empty() && options.resource_version != version) {
    return conflict_of_kind(resource, stored.name(),
                            "the ResourceVersion in the precondition (" + options.resource_version +
                                ") does not match the ResourceVersion in record (" + version +
                                "). The object might have been modified");
  }
  return std::nullopt;
}

}  // namespace

DeleteOptions DeleteOptions::from(const Json& body) {
  DeleteOptions options;
  if (!body.is_object()) return options;
  if (const auto grace = body.find("gracePeriodSeconds");
      grace != body.end() && grace->is_number()) {
    options.grace_seconds = grace->get<long long>();
  }
  const Json preconditions = body.value("preconditions", Json::object());
  options.uid = preconditions.value("uid", "");
  options.resource_version = preconditions.value("resourceVersion", "");
  return options;
}

std::string Registry::key_of(const Resource& resource, const Place& place) {
  return resource.namespaced ? place.namespace_name + "/" + place.name : place.name;
}

std::optional<StatusError> Registry::refused_namespace(const Resource& resource,
                                                       const Place& place) const {
  if (!resource.namespaced) return std::nullopt;
  const Resource& namespaces = core_resource("namespaces");
  const ObjectRef home = storage_.find(namespaces, place.namespace_name);
  if (!home) return not_found(namespaces, place.namespace_name);
  if (Json::parse(home->bytes).at("metadata").contains("deletionTimestamp")) {
    StatusError error = forbidden(resource, place.name,
                                  "unable to create new content in namespace " +
                                      place.namespace_name + " because it is being terminated");
    error.details.causes.push_back({"NamespaceTerminating",
                                    "namespace " + place.namespace_name + " is being terminated",
                                    "metadata.namespace"});
    return error;
  }
  return std::nullopt;
}

Outcome<Written> Registry::create(const Resource& resource, const Place& place, Json object) {
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  if (!metadata.value("resourceVersion", "").empty()) {
    return bad_request("resourceVersion should not be set on objects to be created");
  }
  Place target = place;
  target.name = metadata.value("name", "");
  if (target.name.empty() && !metadata.value("generateName", "").empty()) {
    target.name = generated_name(metadata["generateName"].get<std::string>());
    metadata["name"] = target.name;
  }
  if (auto refusal = refused_namespace(resource, target)) return std::move(*refusal);
  return store_new(resource, target, std::move(object));
}

Outcome<Written> Registry::store_new(const Resource& resource, const Place& place, Json object) {
  if (admission_) admission_(nullptr, object);
  Json& metadata = object["metadata"];
  for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"}) {
    metadata.erase(field);
  }
  if (resource.namespaced)
    metadata["namespace"] = place.namespace_name;
  else
    metadata.erase("namespace");
  metadata["uid"] = new_uid();
  metadata["creationTimestamp"] = rfc3339(clock_.wall_now());
  metadata.erase("generation");
  if (resource.rules.counts_generations) metadata["generation"] = 1;
  complete_new(resource, object, [this](std::string_view node) { return labels_of_node(node); });
  shape(resource, object);
  if (std::vector<FieldFault> faults = faults_of_new(resource, object); !faults.empty()) {
    return invalid(subject_of(resource, place.name), faults);
  }
  if (storage_.find(resource, key_of(resource, place))) return already_exists(resource, place.name);
  return Written{keep(resource, place, nullptr, std::move(object)), true};
}

Outcome<Written> Registry::update(const Resource& resource, const Place& place, Json object) {
  const std::string key = key_of(resource, place);
  const ObjectRef stored = storage_.find(resource, key);
  if (!object["metadata"].is_object()) object["metadata"] = Json::object();
  const Json& metadata = object["metadata"];
  const std::string uid = metadata.value("uid", "");
  if (!stored) {
    if (!resource.rules.create_on_put || !place.subresource.empty())
      return not_found(resource, place.name);
    if (!uid.empty()) return conflict(resource, place.name, uid_conflict(resource, key, uid, ""));
    if (auto refusal = refused_namespace(resource, place)) return std::move(*refusal);
    object["metadata"]["name"] = place.name;
    return store_new(resource, place, std::move(object));
  }
  Json before = storage_.tree(resource, stored);
  const std::string found = before.at("metadata").value("uid", "");
  if (!uid.empty() && uid != found) {
    return conflict(resource, place.name, uid_conflict(resource, key, uid, found));
  }
  if (resource.rules.put_needs_version && metadata.value("resourceVersion", "").empty()) {
    // The real server names the resource here where every other 422 names the kind.
    return invalid(
        {std::string(resource.group), std::string(resource.plural), place.name},
        {invalid_value("metadata.resourceVersion", "0", "must be specified for an update")});
  }
  return revise(resource, place, {stored, std::move(before), std::move(object)});
}

Outcome<Written> Registry::patch(const Resource& resource, const Place& place, const Json& patch,
                                 PatchType type) {
  const ObjectRef stored = storage_.find(resource, key_of(resource, place));
  if (!stored) {
    if (type != PatchType::Apply || !place.subresource.empty())
      return not_found(resource, place.name);
    Json object = patch;
    if (auto refusal = refused_types(resource, object)) return std::move(*refusal);
    object["metadata"]["name"] = place.name;
    return create(resource, place, std::move(object));
  }
  Json before = storage_.tree(resource, stored);
  Outcome<Json> after = type == PatchType::JsonPatch
                            ? patched(resource, with_type(resource, before), patch, type)
                            : patched(resource, before, patch, type);
  if (!after) return std::move(after.error());
  if (!after->is_object() || !after->contains("metadata") || !(*after)["metadata"].is_object()) {
    return refused_by_patch();
  }
  if (auto refusal = refused_types(resource, *after)) return std::move(*refusal);
  if (auto refusal = refused_address((*after)["metadata"], place.namespace_name, place.name)) {
    return std::move(*refusal);
  }
  return revise(resource, place, {stored, std::move(before), std::move(*after)});
}

Outcome<Written> Registry::revise(const Resource& resource, const Place& place, Revision revision) {
  Json& after = revision.after;
  const Json& before = revision.before;
  const std::string version = after["metadata"].value("resourceVersion", "");
  if (!version.empty() && version != std::to_string(revision.stored->version)) {
    return modified_meanwhile(resource, place.name);
  }
  if (admission_) admission_(&before, after);
  const bool status_write = place.subresource == "status";
  shape(resource, after);
  keep_apart(resource, status_write, before, after);
  if (resource.kind == "DaemonSet") carry_template_generation(before, after);
  if (std::vector<FieldFault> faults = faults_of_update(resource, before, after); !faults.empty()) {
    return invalid(subject_of(resource, place.name), faults);
  }
  carry_over_metadata(before.at("metadata"), after["metadata"]);
  if (resource.rules.counts_generations &&
      before.value("spec", Json()) != after.value("spec", Json())) {
    count_generation(after["metadata"]);
  }
  if (after == before) return Written{revision.stored};
  // A namespace goes when it is empty.
  const bool released = awaits_nothing(after) && resource.kind != "Namespace" && !place.dry_run;
  ObjectRef kept = keep(resource, place, revision.stored, std::move(after));
  if (released) storage_.erase(resource, kept->key);
  return Written{std::move(kept)};
}

Outcome<Removed> Registry::remove(const Resource& resource, const Place& place,
                                  const DeleteOptions& options) {
  if (is_immortal(resource, place.name)) {
    return forbidden(resource, place.name, "this namespace may not be deleted");
  }
  const ObjectRef stored = storage_.find(resource, key_of(resource, place));
  if (!stored) return not_found(resource, place.name);
  const Json object = Json::parse(stored->bytes);
  const Json& metadata = object.at("metadata");
  if (auto refusal = refused_precondition(resource, *stored, metadata, options))
    return std::move(*refusal);
  if (metadata.contains("deletionTimestamp"))
    return shorten_deletion(resource, place, stored, options);
  if (resource.kind == "Pod") {
    return begin_deletion(resource, place, stored,
                          grace_of_deletion(object, options.grace_seconds));
  }
  if (metadata.contains("finalizers") || resource.kind == "Namespace") {
    return begin_deletion(resource, place, stored, 0);
  }
  return finish(resource, place, stored);
}

/// Even a deletion that waits for nothing is seen twice: as a change that says so, then as the end.
Removed Registry::begin_deletion(const Resource& resource, const Place& place,
                                 const ObjectRef& stored, long long grace_seconds) {
  Json object = Json::parse(stored->bytes);
  Json& metadata = object["metadata"];
  metadata["deletionTimestamp"] = rfc3339(clock_.wall_now() + std::chrono::seconds(grace_seconds));
  metadata["deletionGracePeriodSeconds"] = grace_seconds;
  count_generation(metadata);
  if (resource.kind == "Namespace") object["status"]["phase"] = "Terminating";
  const bool waits =
      grace_seconds > 0 || metadata.contains("finalizers") || resource.kind == "Namespace";
  const ObjectRef marked = keep(resource, place, stored, std::move(object));
  return waits ? Removed{marked, false} : finish(resource, place, marked);
}

Removed Registry::shorten_deletion(const Resource& resource, const Place& place,
                                   const ObjectRef& stored, const DeleteOptions& options) {
  Json object = Json::parse(stored->bytes);
  Json& metadata = object["metadata"];
  const long long grace = metadata.value("deletionGracePeriodSeconds", 0LL);
  if (grace == 0) {
    const bool waits = metadata.contains("finalizers") || resource.kind == "Namespace";
    return waits ? Removed{stored, false} : finish(resource, place, stored);
  }
  const long long wanted = std::max(options.grace_seconds.value_or(grace), 0LL);
  if (wanted >= grace) return Removed{stored, false};
  const std::optional<WallTime> end = parse_rfc3339(metadata.value("deletionTimestamp", ""));
  const WallTime sooner = end.value_or(clock_.wall_now()) - std::chrono::seconds(grace - wanted);
  metadata["deletionTimestamp"] = rfc3339(std::max(sooner, clock_.wall_now()));
  metadata["deletionGracePeriodSeconds"] = wanted;
  const bool waits = wanted > 0 || metadata.contains("finalizers");
  const ObjectRef marked = keep(resource, place, stored, std::move(object));
  return waits ? Removed{marked, false} : finish(resource, place, marked);
}

Removed Registry::finish(const Resource& resource, const Place& place, const ObjectRef& stored) {
  if (place.dry_run) return {stored, true};
  ObjectRef last = storage_.erase(resource, stored->key);
  assert(last);
  return {std::move(last), true};
}

Outcome<Written> Registry::bind(const Place& place, const Json& binding) {
  const Resource& pods = core_resource("pods");
  const ObjectRef stored = storage_.find(pods, key_of(pods, place));
  if (!stored) return not_found(pods, place.name);
  const std::string node = binding.value("target", Json::object()).value("name", "");
  Json pod = Json::parse(stored->bytes);
  const std::string bound = pod["spec"].value("nodeName", "");
  if (!bound.empty()) {
    return conflict(pods, place.name,
                    "pod " + place.name + " is already assigned to node \"" + bound + "\"");
  }
  if (node.empty())
    return invalid({"", "Binding", place.name}, {required_field("target.name", "")});
  pod["spec"]["nodeName"] = node;
  set_condition(pod, {{"type", "PodScheduled"}, {"status", "True"}}, clock_.wall_now());
  add_topology_labels(pod, [this](std::string_view name) { return labels_of_node(name); });
  shape(pods, pod);
  return Written{keep(pods, place, stored, std::move(pod))};
}

Outcome<Removed> Registry::evict(Place place, const Json& eviction) {
  const Resource& pods = core_resource("pods");
  const ObjectRef stored = storage_.find(pods, key_of(pods, place));
  if (!stored) return not_found(pods, place.name);
  const Json wanted = eviction.value("deleteOptions", Json::object());
  const DeleteOptions options = DeleteOptions::from(wanted);
  place.dry_run = place.dry_run || !wanted.value("dryRun", Json::array()).empty();
  Json pod = Json::parse(stored->bytes);
  if (auto refusal = refused_precondition(pods, *stored, pod.at("metadata"), options)) {
    return std::move(*refusal);
  }
  if (!pod.at("metadata").contains("deletionTimestamp") && !place.dry_run) {
    set_condition(pod,
                  {{"type", "DisruptionTarget"},
                   {"status", "True"},
                   {"reason", "EvictionByEvictionAPI"},
                   {"message", "Eviction API: evicting"}},
                  clock_.wall_now());
    shape(pods, pod);
    keep(pods, place, stored, std::move(pod));
  }
  DeleteOptions rest = options;
  rest.resource_version.clear();
  return remove(pods, place, rest);
}

ObjectRef Registry::load(const Resource& resource, Json object) {
  shape(resource, object);
  Json& metadata = object["metadata"];
  if (!metadata.contains("uid")) metadata["uid"] = new_uid();
  if (!metadata.contains("creationTimestamp"))
    metadata["creationTimestamp"] = rfc3339(clock_.wall_now());
  const Place place{metadata.value("namespace", ""), metadata.value("name", ""), "", false};
  assert(!place.name.empty() && resource.namespaced == !place.namespace_name.empty());
  return storage_.put(resource, key_of(resource, place), std::move(object));
}

/// A dry run answers with what would have been stored, under the version that is there.
ObjectRef Registry::keep(const Resource& resource, const Place& place, const ObjectRef& before,
                         Json object) {
  std::string key = key_of(resource, place);
  if (!place.dry_run) return storage_.put(resource, std::move(key), std::move(object));
  StoredObject shown;
  shown.key = std::move(key);
  shown.version = before ? before->version : 0;
  shown.bytes = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return std::make_shared<const StoredObject>(std::move(shown));
}

Json Registry::labels_of_node(std::string_view name) const {
  const ObjectRef node = storage_.find(core_resource("nodes"), name);
  if (!node) return nullptr;
  return Json::parse(node->bytes).at("metadata").value("labels", Json::object());
}

std::string Registry::new_uid() {
  const std::uint64_t high = random_.next();
  const std::uint64_t low = random_.next();
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%08x-%04x-4%03x-%04x-%012llx",
                static_cast<unsigned>(high >> 32U), static_cast<unsigned>((high >> 16U) & 0xffffU),
                static_cast<unsigned>(high & 0xfffU),
                static_cast<unsigned>(0x8000U | ((low >> 48U) & 0x3fffU)),
                static_cast<unsigned long long>(low & 0xffffffffffffULL));
  return text.data();
}

std::string Registry::generated_name(const std::string& base) {
  constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
  std::string name = base.substr(0, 58);
  for (int i = 0; i < 5; ++i) name.push_back(alphabet[random_.below(alphabet.size())]);
  return name;
}

}  // namespace nlc::sim

#include "sim/apiserver/registry/registry.h"

#include <array>
#include <cassert>
#include <cstdio>

#include "sim/apiserver/registry/pod_status.h"
#include "sim/apiserver/types/go_text.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/validation/admission.h"
#include "sim/apiserver/validation/validation.h"
#include "sim/apiserver/validation/warnings.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

Subject subject_of(const Resource& resource, std::string name) {
  return {std::string(resource.group), std::string(resource.kind), std::move(name)};
}

void take(const char* field, const Json& from, Json& into) {
  const auto found = from.find(field);
  if (found == from.end())
    into.erase(field);
  else
    into[field] = *found;
}

/// What only the server sets: an update gets it from the stored object, whatever it brought.
void carry_over_metadata(const Json& before, Json& after) {
  for (const char* field : {"name", "namespace", "uid", "creationTimestamp", "generation",
                            "deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"}) {
    take(field, before, after);
  }
}

/// What an update cannot change is there before anybody judges it.
void keep_identity(const Resource& resource, const Json& before, Json& after) {
  if (resource.namespaced) take("namespace", before, after);
  take("creationTimestamp", before, after);
  take("generation", before, after);
  if (before.contains("deletionTimestamp")) take("deletionTimestamp", before, after);
}

/// A status write changes the status and the metadata, any other write everything but the status.
void keep_apart(const Resource& resource, const std::string& subresource, const Json& before,
                Json& after) {
  if (!resource.rules.status_apart) return;
  const bool of_status = subresource == "status";
  take(of_status ? "spec" : "status", before, after);
  if (resource.kind == "Namespace" && subresource.empty())
    take("finalizers", before.at("spec"), after["spec"]);
  if (resource.kind != "Pod" || !of_status) return;
  for (const char* field : {"ownerReferences", "deletionTimestamp"}) {
    take(field, before.at("metadata"), after["metadata"]);
  }
  if (!after["status"].contains("qosClass")) take("qosClass", before.at("status"), after["status"]);
  keep_observed_generations(before, after);
}

/// The version that a write is for, 0 when it is for any.
Outcome<std::uint64_t> expected_version(const Json& metadata) {
  const std::string text = text_member(metadata, "resourceVersion");
  if (text.empty()) return std::uint64_t{0};
  GoNumber<std::uint64_t> version = go_uint(text);
  if (!version.fault.empty()) return internal_error(std::move(version.fault));
  return version.value;
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

}  // namespace

std::string Registry::key_of(const Resource& resource, const WriteTarget& target) {
  return resource.namespaced ? target.namespace_name + "/" + target.name : target.name;
}

std::optional<StatusError> Registry::refused_namespace(const Resource& resource,
                                                       const WriteTarget& target) const {
  if (!resource.namespaced) return std::nullopt;
  const Resource& namespaces = core_resource("namespaces");
  const ObjectRef home = storage_.find(namespaces, target.namespace_name);
  if (!home) return not_found(namespaces, target.namespace_name);
  if (parse_json(home->bytes).at("metadata").contains("deletionTimestamp")) {
    StatusError error = forbidden(resource, target.name,
                                  "unable to create new content in namespace " +
                                      target.namespace_name + " because it is being terminated");
    error.details.causes.push_back({"NamespaceTerminating",
                                    "namespace " + target.namespace_name + " is being terminated",
                                    "metadata.namespace"});
    return error;
  }
  return std::nullopt;
}

Outcome<Written> Registry::create(const Resource& resource, const WriteTarget& target,
                                  Json object) {
  Json& metadata = object["metadata"];
  if (!metadata.is_object()) metadata = Json::object();
  warn_of_owners(metadata, false);
  WriteTarget named = target;
  named.name = metadata.value("name", "");
  if (named.name.empty() && !metadata.value("generateName", "").empty()) {
    named.name = generated_name(metadata["generateName"].get<std::string>());
    metadata["name"] = named.name;
  }
  if (auto refusal = refused_namespace(resource, named)) return std::move(*refusal);
  return store_new(resource, named, std::move(object));
}

Outcome<Written> Registry::store_new(const Resource& resource, const WriteTarget& target,
                                     Json object) {
  if (admission_) admission_(nullptr, object);
  Json& metadata = object["metadata"];
  const std::string version = metadata.value("resourceVersion", "");
  for (const char* field : {"deletionTimestamp", "deletionGracePeriodSeconds", "resourceVersion"}) {
    metadata.erase(field);
  }
  if (resource.namespaced)
    metadata["namespace"] = target.namespace_name;
  else
    metadata.erase("namespace");
  metadata["uid"] = new_uid();
  metadata["creationTimestamp"] = rfc3339(clock_.wall_now());
  const ManagedFields managed = managed_at_first(resource, object);
  // A kind that does not count them keeps what it is given.
  if (resource.rules.counts_generations) metadata["generation"] = 1;
  shape(resource, object);
  apply_defaults(resource, object);
  if (auto refusal = prepare_new(resource, object,
                                 [this](std::string_view node) { return labels_of_node(node); })) {
    return std::move(*refusal);
  }
  shape(resource, object);
  if (std::vector<FieldFault> faults = faults_of_new(resource, object); !faults.empty()) {
    return invalid(subject_of(resource, target.name), faults);
  }
  warn(warnings_of(resource, nullptr, object));
  // Only the storage looks at a version, which a dry run does not ask; what is none it overlooks.
  if (go_uint(version).value != 0 && !target.dry_run)
    return internal_error("resourceVersion should not be set on objects to be created");
  if (!version.empty() && target.dry_run) object["metadata"]["resourceVersion"] = version;
  if (const ObjectRef other = storage_.find(resource, key_of(resource, target))) {
    const Json there = parse_json(other->bytes);
    StatusError error = already_exists(resource, target.name);
    if (there.at("metadata").contains("deletionTimestamp"))
      error.message = "object is being deleted: " + error.message;
    if (object["metadata"].contains("generateName")) {
      error.message += ", the server was not able to generate a unique name for the object";
      error.details.retry_after_seconds = 1;
    }
    return error;
  }
  return Written{keep(resource, target, nullptr, std::move(object), managed), true};
}

Outcome<Written> Registry::update(const Resource& resource, const WriteTarget& target,
                                  Json object) {
  const std::string key = key_of(resource, target);
  const ObjectRef stored = storage_.find(resource, key);
  if (!object["metadata"].is_object()) object["metadata"] = Json::object();
  const Json& metadata = object["metadata"];
  warn_of_owners(metadata, false);
  const std::string uid = metadata.value("uid", "");
  if (!stored) {
    if (!resource.rules.create_on_put || !target.subresource.empty())
      return not_found(resource, target.name);
    if (!uid.empty()) return conflict(resource, target.name, uid_conflict(resource, key, uid, ""));
    return create_by_update(resource, target, std::move(object));
  }
  Json before = storage_.tree(resource, stored);
  const std::string found = before.at("metadata").value("uid", "");
  if (!uid.empty() && uid != found) {
    return conflict(resource, target.name, uid_conflict(resource, key, uid, found));
  }
  return revise(resource, target, {stored, std::move(before), std::move(object)});
}

/// The version that it is for is read, and then nobody asks for it.
Outcome<Written> Registry::create_by_update(const Resource& resource, const WriteTarget& target,
                                            Json object) {
  if (auto refusal = refused_namespace(resource, target)) return std::move(*refusal);
  Json& metadata = object["metadata"];
  if (auto version = expected_version(metadata); !version) return std::move(version.error());
  metadata["name"] = target.name;
  metadata.erase("resourceVersion");
  return store_new(resource, target, std::move(object));
}

Outcome<Written> Registry::patch(const Resource& resource, const WriteTarget& target,
                                 const Patch& patch) {
  const ObjectRef stored = storage_.find(resource, key_of(resource, target));
  Json before = stored ? storage_.tree(resource, stored) : Json::object();
  if (!stored && (patch.type != PatchType::Apply || !target.subresource.empty()))
    return not_found(resource, target.name);
  Outcome<Json> after = patched_object(resource, before, patch);
  if (!after) return std::move(after.error());
  if (auto refusal = refused_address((*after)["metadata"], target.namespace_name, target.name)) {
    return std::move(*refusal);
  }
  warn_of_owners((*after)["metadata"], stored != nullptr);
  if (!stored) return create_by_update(resource, target, std::move(*after));
  return revise(resource, target, {stored, std::move(before), std::move(*after)});
}

Outcome<Written> Registry::revise(const Resource& resource, const WriteTarget& target,
                                  Revision revision) {
  Json& after = revision.after;
  // What was loaded never had its defaults; a real server reads them into what it has stored.
  apply_defaults(resource, revision.before);
  const Json& before = revision.before;
  const Outcome<std::uint64_t> version = expected_version(after["metadata"]);
  if (!version) return version.error();
  if (*version == 0 && resource.rules.needs_version) {
    // The real server names the resource here where every other 422 names the kind.
    return invalid(
        {std::string(resource.group), std::string(resource.plural), target.name},
        {invalid_value("metadata.resourceVersion", "0", "must be specified for an update")});
  }
  if (*version != 0 && *version != revision.stored->version)
    return modified_meanwhile(resource, target.name);
  const ManagedFields managed =
      managed_after(revision.stored->managed, resource, before, after, target.subresource.empty());
  strip(after);
  if (admission_ && admission_(&before, after)) shape(resource, after);
  apply_defaults(resource, after);
  keep_identity(resource, before.at("metadata"), after["metadata"]);
  keep_apart(resource, target.subresource, before, after);
  if (resource.kind == "Pod" && target.subresource.empty()) prepare_changed_pod(before, after);
  if (resource.kind == "DaemonSet") carry_template_generation(before, after);
  if (resource.kind == "Lease") drop_what_is_switched_off(before, after);
  if (std::vector<FieldFault> faults =
          faults_of_update(resource, {before, after, target.subresource});
      !faults.empty()) {
    return invalid(subject_of(resource, target.name), faults);
  }
  if (target.subresource.empty()) warn(warnings_of(resource, &before, after));
  carry_over_metadata(before.at("metadata"), after["metadata"]);
  if (resource.rules.counts_generations && member(before, "spec") != member(after, "spec")) {
    count_generation(after["metadata"]);
  }
  if (after == before && managed == revision.stored->managed) return Written{revision.stored};
  if (!may_go(resource, after))
    return Written{keep(resource, target, revision.stored, std::move(after), managed)};
  // What held it back is gone, and so is the object: this change of it is shown and not stored.
  ObjectRef last = shown(key_of(resource, target), revision.stored, after);
  if (!target.dry_run) storage_.erase(resource, revision.stored->key);
  return Written{std::move(last)};
}

Outcome<Removed> Registry::remove(const Resource& resource, const WriteTarget& target,
                                  const DeleteOptions& options) {
  if (is_immortal(resource, target.name)) {
    return forbidden(resource, target.name, "this namespace may not be deleted");
  }
  const ObjectRef stored = storage_.find(resource, key_of(resource, target));
  if (!stored) return not_found(resource, target.name);
  Json object = parse_json(stored->bytes);
  if (auto refusal = refused_precondition(resource, *stored, object.at("metadata"), options))
    return std::move(*refusal);
  if (!is_deleted_in_steps(resource, object.at("metadata"), options.propagation))
    return finish(resource, target, stored);
  const bool changed = mark_for_deletion(resource, object, options, clock_.wall_now());
  const bool goes = may_go(resource, object);
  const ObjectRef marked =
      changed ? keep(resource, target, stored, std::move(object), stored->managed) : stored;
  return goes ? finish(resource, target, marked) : Removed{marked, false};
}

Removed Registry::finish(const Resource& resource, const WriteTarget& target,
                         const ObjectRef& stored) {
  if (target.dry_run) return {stored, true};
  ObjectRef last = storage_.erase(resource, stored->key);
  assert(last);
  return {std::move(last), true};
}

ObjectRef Registry::load(const Resource& resource, Json object) {
  shape(resource, object);
  Json& metadata = object["metadata"];
  if (!metadata.contains("uid")) metadata["uid"] = new_uid();
  if (!metadata.contains("creationTimestamp"))
    metadata["creationTimestamp"] = rfc3339(clock_.wall_now());
  const WriteTarget target{metadata.value("namespace", ""), metadata.value("name", ""), "", false};
  assert(!target.name.empty() && resource.namespaced == !target.namespace_name.empty());
  return storage_.put(resource, key_of(resource, target), std::move(object));
}

/// What would have been stored, under the version that is there.
ObjectRef Registry::shown(std::string key, const ObjectRef& before, const Json& object) {
  StoredObject shown;
  shown.key = std::move(key);
  shown.version = before ? before->version : 0;
  shown.bytes = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  return std::make_shared<const StoredObject>(std::move(shown));
}

/// A dry run stores nothing.
ObjectRef Registry::keep(const Resource& resource, const WriteTarget& target,
                         const ObjectRef& before, Json object, ManagedFields managed) {
  std::string key = key_of(resource, target);
  if (target.dry_run) return shown(std::move(key), before, object);
  return storage_.put(resource, std::move(key), std::move(object), managed);
}

void Registry::warn(const std::vector<std::string>& texts) const {
  if (!warning_) return;
  for (const std::string& text : texts) warning_(text);
}

void Registry::warn_of_owners(const Json& metadata, bool of_patch) const {
  if (const std::string text = warning_of_owners(metadata, of_patch); !text.empty()) warn({text});
}

Json Registry::labels_of_node(std::string_view name) const {
  const ObjectRef node = storage_.find(core_resource("nodes"), name);
  if (!node) return nullptr;
  return parse_json(node->bytes).at("metadata").value("labels", Json::object());
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

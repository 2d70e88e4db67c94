#include "sim/apiserver/registry/deletion.h"

#include <algorithm>

#include "sim/apiserver/types/json_text.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

constexpr const char* orphan = "orphan";
constexpr const char* foreground = "foregroundDeletion";

/// The finalizers of a deleted object, by which a garbage collector sees what to do about those it
/// owns.
Json finalizers_of_deletion(const Resource& resource, const Json& metadata,
                            Propagation propagation) {
  if (resource.kind == "Event") return metadata.value("finalizers", Json::array());
  Json kept = Json::array();
  for (const Json& finalizer : metadata.value("finalizers", Json::array())) {
    const bool asks = finalizer == orphan || finalizer == foreground;
    if (!asks || propagation == Propagation::Unset) kept.push_back(finalizer);
  }
  if (propagation == Propagation::Orphan) kept.push_back(orphan);
  if (propagation == Propagation::Foreground) kept.push_back(foreground);
  return kept;
}

/// The grace of a first deletion: what was asked for, else the pod's own, else 0; always 0 for a
/// pod that has no node or has finished, because no kubelet will ever confirm it; a negative one
/// counts as 1.
long long grace_of_deletion(const Json& pod, std::optional<long long> asked) {
  const Json spec = pod.value("spec", Json::object());
  const std::string phase = pod.value("status", Json::object()).value("phase", "");
  if (spec.value("nodeName", "").empty() || phase == "Succeeded" || phase == "Failed") return 0;
  const long long grace = asked.value_or(spec.value("terminationGracePeriodSeconds", 0LL));
  return grace < 0 ? 1 : grace;
}

void begin(const Resource& resource, Json& object, const DeleteOptions& options, WallTime now) {
  Json& metadata = object["metadata"];
  const long long grace =
      resource.kind == "Pod" ? grace_of_deletion(object, options.grace_seconds) : 0;
  metadata["deletionTimestamp"] = rfc3339(now + std::chrono::seconds(grace));
  if (resource.kind == "Namespace")
    object["status"]["phase"] = "Terminating";
  else
    metadata["deletionGracePeriodSeconds"] = grace;
  count_generation(metadata);
}

/// False when the object has these finalizers, in whatever order.
bool take_finalizers_of_deletion(const Resource& resource, Json& metadata,
                                 Propagation propagation) {
  Json wanted = finalizers_of_deletion(resource, metadata, propagation);
  const Json before = metadata.value("finalizers", Json::array());
  if (std::ranges::is_permutation(wanted, before)) return false;
  if (wanted.empty())
    metadata.erase("finalizers");
  else
    metadata["finalizers"] = std::move(wanted);
  return true;
}

bool shorten(Json& metadata, const DeleteOptions& options, WallTime now) {
  const long long grace = metadata.value("deletionGracePeriodSeconds", 0LL);
  long long wanted = options.grace_seconds.value_or(grace);
  if (wanted < 0) wanted = 1;
  if (wanted >= grace) return false;
  const std::optional<WallTime> end = parse_rfc3339(metadata.value("deletionTimestamp", ""));
  const WallTime sooner = end.value_or(now) - std::chrono::seconds(grace - wanted);
  metadata["deletionTimestamp"] = rfc3339(std::max(sooner, now));
  metadata["deletionGracePeriodSeconds"] = wanted;
  return true;
}

std::optional<std::string> text_in(const Json& object, const char* field) {
  const Json& found = member(object, field);
  return found.is_string() ? std::optional(found.get<std::string>()) : std::nullopt;
}

struct Difference {
  std::string what;
  std::string wanted;
  std::string found;
  std::string happened;  ///< perhaps, to the object
};

StatusError differs(const Resource& resource, std::string_view name, const Difference& is) {
  // Namespaces alone are deleted by their storage before the general rules see it.
  if (resource.kind == "Namespace") {
    return conflict(resource, name,
                    "Precondition failed: " + is.what + " in precondition: " + is.wanted + ", " +
                        is.what + " in object meta: " + is.found);
  }
  return conflict_of_kind(resource, name,
                          "the " + is.what + " in the precondition (" + is.wanted +
                              ") does not match the " + is.what + " in record (" + is.found +
                              "). The object might have been " + is.happened);
}

}  // namespace

DeleteOptions DeleteOptions::from(const Json& body) {
  DeleteOptions options;
  if (!body.is_object()) return options;
  if (const auto grace = body.find("gracePeriodSeconds");
      grace != body.end() && grace->is_number()) {
    options.grace_seconds = grace->get<long long>();
  }
  const Json& preconditions = member(body, "preconditions");
  options.uid = text_in(preconditions, "uid");
  options.resource_version = text_in(preconditions, "resourceVersion");
  options.dry_run = !body.value("dryRun", Json::array()).empty();
  const std::string policy = body.value("propagationPolicy", "");
  if (policy == "Orphan" || (policy.empty() && body.value("orphanDependents", false)))
    options.propagation = Propagation::Orphan;
  else if (policy == "Foreground")
    options.propagation = Propagation::Foreground;
  else if (!policy.empty() || body.contains("orphanDependents"))
    options.propagation = Propagation::Background;
  return options;
}

void count_generation(Json& metadata) {
  if (metadata.contains("generation"))
    metadata["generation"] = metadata["generation"].get<long long>() + 1;
}

std::optional<StatusError> refused_precondition(const Resource& resource,
                                                const StoredObject& stored, const Json& metadata,
                                                const DeleteOptions& options) {
  if (options.uid && options.uid != metadata.value("uid", "")) {
    return differs(resource, stored.name(),
                   {"UID", *options.uid, metadata.value("uid", ""), "deleted and then recreated"});
  }
  const std::string version = std::to_string(stored.version);
  if (options.resource_version && options.resource_version != version) {
    return differs(resource, stored.name(),
                   {"ResourceVersion", *options.resource_version, version, "modified"});
  }
  return std::nullopt;
}

bool is_deleted_in_steps(const Resource& resource, const Json& metadata, Propagation propagation) {
  return resource.kind == "Pod" || resource.kind == "Namespace" ||
         metadata.contains("deletionTimestamp") ||
         !finalizers_of_deletion(resource, metadata, propagation).empty();
}

bool mark_for_deletion(const Resource& resource, Json& object, const DeleteOptions& options,
                       WallTime now) {
  Json& metadata = object["metadata"];
  if (metadata.contains("deletionTimestamp")) {
    const bool shortened = shorten(metadata, options, now);
    const bool waits = metadata.value("deletionGracePeriodSeconds", 0LL) > 0 && !shortened;
    if (waits || resource.kind == "Namespace") return shortened;
    return take_finalizers_of_deletion(resource, metadata, options.propagation) || shortened;
  }
  take_finalizers_of_deletion(resource, metadata, options.propagation);
  begin(resource, object, options, now);
  return true;
}

bool may_go(const Resource& resource, const Json& object) {
  const Json& metadata = object.at("metadata");
  if (resource.kind == "Namespace" && object.at("spec").contains("finalizers")) return false;
  return metadata.contains("deletionTimestamp") && !metadata.contains("finalizers") &&
         metadata.value("deletionGracePeriodSeconds", 0) == 0;
}

}  // namespace nlc::sim

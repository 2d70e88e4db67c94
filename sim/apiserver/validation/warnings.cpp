#include "sim/apiserver/validation/warnings.h"

#include <absl/strings/str_join.h>
#include <algorithm>

#include "sim/apiserver/types/json_text.h"
#include "sim/apiserver/validation/metadata_validation.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;
using Warnings = std::vector<std::string>;

/// Of elements of a list that have in `key` what one before them has.
void warn_of_repeated(const Json& spec, const std::string& field, const char* list, const char* key,
                      Warnings& warnings) {
  const Json& elements = member(spec, list);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    const Json& value = member(elements[i], key);
    const bool twice = std::any_of(elements.begin(), elements.begin() + static_cast<long>(i),
                                   [&](const Json& each) { return member(each, key) == value; });
    if (twice)
      warnings.push_back(element_of(field + "." + list, i) + "." + key + ": duplicate " + key +
                         " " + value.dump());
  }
}

void warn_of_pod_spec(const Json& spec, const std::string& field, Warnings& warnings) {
  const Json& constraints = member(spec, "topologySpreadConstraints");
  for (std::size_t i = 0; i < constraints.size(); ++i) {
    if (constraints[i].contains("labelSelector")) continue;
    warnings.push_back(element_of(field + ".topologySpreadConstraints", i) +
                       ".labelSelector: a null labelSelector results in matching no pod");
  }
  warn_of_repeated(spec, field, "hostAliases", "ip", warnings);
  warn_of_repeated(spec, field, "imagePullSecrets", "name", warnings);
  const Json& grace = member(spec, "terminationGracePeriodSeconds");
  if (grace.is_number() && grace < 0) {
    warnings.push_back(field +
                       ".terminationGracePeriodSeconds: must be >= 0; negative values are invalid "
                       "and will be treated as 1");
  }
}

void warn_of_pod_name(const std::string& name, Warnings& warnings) {
  const std::vector<std::string> faults = label_faults(name);
  if (faults.empty()) return;
  warnings.push_back(
      "metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; "
      "a DNS label is recommended: [" +
      absl::StrJoin(faults, " ") + "]");
}

}  // namespace

std::string_view warning_of_kind(const Resource& resource) {
  if (resource.kind != "Endpoints") return "";
  return "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice";
}

std::vector<std::string> warnings_of(const Resource& resource, const Json* before,
                                     const Json& object) {
  Warnings warnings;
  const Json& spec = member(object, "spec");
  if (resource.kind == "Node" && spec.contains("externalID"))
    warnings.emplace_back("spec.externalID: this field is deprecated, and is unused by Kubernetes");
  if (resource.kind == "Pod" && before == nullptr) {
    warn_of_pod_name(object.at("metadata").value("name", ""), warnings);
    warn_of_pod_spec(spec, "spec", warnings);
  }
  if (resource.kind == "DaemonSet") {
    const Json& planned = member(spec, "template");
    if (before == nullptr || member(member(*before, "spec"), "template") != planned)
      warn_of_pod_spec(member(planned, "spec"), "spec.template.spec", warnings);
  }
  return warnings;
}

std::string warning_of_owners(const Json& metadata, bool of_patch) {
  const Json& owners = member(metadata, "ownerReferences");
  std::vector<std::string> repeated;
  for (std::size_t i = 1; i < owners.size(); ++i) {
    const auto here = owners.begin() + static_cast<long>(i);
    if (std::find(owners.begin(), here, *here) != here) repeated.push_back(here->value("uid", ""));
  }
  if (repeated.empty()) return "";
  return std::string(".metadata.ownerReferences contains duplicate entries") +
         (of_patch ? " after mutating admission happens" : "") +
         "; API server dedups owner references in 1.20+, and may reject such requests as early as "
         "1.24; please fix your requests; duplicate UID(s) observed: " +
         absl::StrJoin(repeated, ", ");
}

}  // namespace nlc::sim

#include "sim/scenario/reading/patches.h"

#include "sim/apiserver/types/resource.h"
#include "sim/scenario/reading/object_faults.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

/// What somebody makes in the course of the day, a lease as a rule.
Json object_without_more(const Resource& resource, const ObjectName& name) {
  Json object{{"apiVersion", api_version_of(resource)},
              {"kind", resource.kind},
              {"metadata", {{"name", name.name}}}};
  if (resource.namespaced) object["metadata"]["namespace"] = name.namespace_name;
  return object;
}

Json merge_of(const std::vector<TaintName>& taints) {
  Json list = Json::array();
  for (const TaintName& taint : taints) {
    list.push_back({{"key", taint.key}, {"value", taint.value}, {"effect", taint.effect}});
  }
  return {{"spec", {{"taints", std::move(list)}}}};
}

/// Of the patches of one case.
class PatchCheck {
 public:
  PatchCheck(const KnownNames& known, Problems& problems) : known_(known), problems_(problems) {}

  void look(const Step& step) {
    if (const auto* patch = step.as<MergePatch>()) {
      look(patch->object, patch->merge, step.line);
    } else if (const auto* apply = step.as<ApplyPatch>()) {
      look(apply->object, merge_of(apply->add_taints), step.line);
    } else if (const auto* admission = step.as<Admission>()) {
      look(*admission, step.line);
    }
  }

 private:
  /// One that is not known is a problem of its own.
  void look(const ObjectName& name, const Json& merge, int line) {
    const Resource* resource = resource_of_kind(name.kind);
    const std::string key = object_key(name.namespace_name, name.name);
    if (resource == nullptr || !known_.has(name.kind, key)) return;
    const Json* known = known_.object(name.kind, key);
    look(*resource, known == nullptr ? object_without_more(*resource, name) : *known, merge, line);
  }

  void look(const Admission& admission, int line) {
    const Json& merge = admission.mutation.merge;
    if (merge.is_null()) return;
    for (const std::string& plural : admission.requests.resources) {
      const Resource* resource = resource_called(plural);
      const Json* some =
          resource == nullptr ? nullptr : known_.some_object(std::string(resource->kind));
      if (some != nullptr) look(*resource, *some, merge, line);
    }
  }

  void look(const Resource& resource, Json object, const Json& merge, int line) {
    object.merge_patch(merge);
    try {
      refuse_types(resource, object, line);
      refuse_values(resource, object, line);
    } catch (Malformed& refused) {
      problems_.add(std::move(refused));
    }
  }

  const KnownNames& known_;
  Problems& problems_;
};

}  // namespace

void check_patches(const Scenario& scenario, const KnownNames& known, Problems& problems) {
  PatchCheck check(known, problems);
  for (const Step& step : scenario.timeline) check.look(step);
}

}  // namespace nlc::sim::scenario

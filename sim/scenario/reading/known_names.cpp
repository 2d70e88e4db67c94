#include "sim/scenario/reading/known_names.h"

#include <algorithm>
#include <array>

#include "api/objects.h"
#include "program/flags.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/scenario/model/name_pattern.h"
#include "sim/scenario/reading/manifest.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

constexpr std::array region_labels{api::label::region, api::label::region_beta};
constexpr std::array zone_labels{api::label::zone, api::label::zone_beta};

constexpr std::array conditions_of_the_controller{api::condition::ready,
                                                  api::condition::memory_pressure,
                                                  api::condition::disk_pressure,
                                                  api::condition::pid_pressure,
                                                  api::condition::network_unavailable,
                                                  api::condition::disruption_target,
                                                  api::condition::pod_scheduled};
constexpr std::array labels_of_the_controller{api::label::os_beta, api::label::arch_beta};

/// Whether any of these is there. One that is taken away leaves a zone without it.
bool add_values(const Json& labels, const std::array<std::string_view, 2>& names,
                std::set<std::string>& found) {
  bool any = false;
  for (const std::string_view name : names) {
    if (!labels.is_object() || !labels.contains(name)) continue;
    found.insert(text_member(labels, name));
    any = true;
  }
  return any;
}

/// Everywhere in the case.
std::set<std::string> values_of(const Scenario& scenario, std::string_view flag,
                                std::string usual) {
  std::set<std::string> values{std::move(usual)};
  const auto add = [&](const Settings& flags) {
    for (const auto& [name, value] : flags) {
      if (name == flag) values.insert(value);
    }
  };
  add(scenario.flags);
  for (const Step& step : scenario.timeline) {
    if (const auto* start = step.as<StartController>()) add(start->flags);
  }
  return values;
}

}  // namespace

std::string object_key(const std::string& space, const std::string& name) {
  return space.empty() ? name : space + "/" + name;
}

KnownNames::KnownNames(const Scenario& scenario)
    : taint_keys_(managed_taint_keys.begin(), managed_taint_keys.end()),
      condition_types_(conditions_of_the_controller.begin(), conditions_of_the_controller.end()),
      label_keys_(labels_of_the_controller.begin(), labels_of_the_controller.end()) {
  for (const char* space : {"default", "kube-node-lease", "kube-public", "kube-system"}) {
    add("Namespace", "", space);
  }
  for (const Json& object : scenario.given) add(object);
  for (const Step& step : scenario.timeline) add(step);
  // A kubelet that says nothing in this case has a lease all the same, as far as names go.
  for (const auto& [node, object] : kinds_["Node"].keys) add("Lease", "kube-node-lease", node);
  add_locks(scenario);
}

void KnownNames::add(const std::string& kind, const std::string& space, const std::string& name,
                     const Json* object) {
  Kind& of_kind = kinds_[kind];
  of_kind.keys.emplace(object_key(space, name), object);
  of_kind.names.insert(name);
  if (!space.empty()) add("Namespace", "", space);
}

void KnownNames::add(const Json& object) {
  const Json& metadata = member(object, "metadata");
  const std::string kind = text_at(object, "kind");
  add(kind, text_at(metadata, "namespace"), text_at(metadata, "name"), &object);
  if (kind == "Node") {
    const Json& labels = member(metadata, "labels");
    if (!add_values(labels, region_labels, regions_)) regions_.insert("");
    if (!add_values(labels, zone_labels, zones_)) zones_.insert("");
  }
  add_words(object);
}

void KnownNames::add(const Step& step) {
  if (const auto* apply = step.as<Apply>()) {
    for (const Json& object : apply->objects) add(object);
  } else if (const auto* patch = step.as<MergePatch>()) {
    add_change(patch->merge);
  } else if (const auto* taints = step.as<ApplyPatch>()) {
    for (const TaintName& taint : taints->add_taints) taint_keys_.insert(taint.key);
  } else if (const auto* admission = step.as<Admission>()) {
    add_change(admission->mutation.merge);
  } else if (const auto* renewal = step.as<RenewLease>()) {
    for (const std::string& node : renewal->nodes) add("Lease", renewal->namespace_name, node);
  }
}

/// Whatever object it is of.
void KnownNames::add_change(const Json& merge) {
  const Json& labels = member(member(merge, "metadata"), "labels");
  add_values(labels, region_labels, regions_);
  add_values(labels, zone_labels, zones_);
  add_words(merge);
}

/// Of a whole object, or of what a patch says of one.
void KnownNames::add_words(const Json& object) {
  for (const auto& [key, value] : member(member(object, "metadata"), "labels").items()) {
    label_keys_.insert(key);
  }
  for (const Json& condition : member(member(object, "status"), "conditions")) {
    condition_types_.insert(text_member(condition, "type"));
  }
  add_spec(member(object, "spec"));
}

/// A node's taints, or the node of a pod.
void KnownNames::add_spec(const Json& spec) {
  const Json& taints = member(spec, "taints");
  if (taints.is_array()) {
    for (const Json& taint : taints) taint_keys_.insert(text_member(taint, "key"));
  }
  const std::string node = text_member(spec, "nodeName");
  if (!node.empty()) kinds_["Node"].names.insert(node);
}

/// What is asked for though nobody has made it: the lock of the controllers, of whatever kind it
/// is, with what they tell each other beside it, and the ConfigMap of the operator.
void KnownNames::add_locks(const Scenario& scenario) {
  const program::LeaderElectFlags usual;
  const auto names = values_of(scenario, "leader-elect-resource-name", usual.resource_name);
  const auto spaces =
      values_of(scenario, "leader-elect-resource-namespace", usual.resource_namespace);
  const controller::PolicyWatch::Place policy;
  for (const std::string& space :
       values_of(scenario, "policy-configmap-namespace", policy.namespace_)) {
    for (const std::string& name : values_of(scenario, "policy-configmap-name", policy.name)) {
      add("ConfigMap", space, name);
    }
  }
  for (const std::string& space : spaces) {
    for (const std::string& name : names) {
      for (const char* beside : {"", "-probe", "-observe"}) {
        for (const char* kind : {"Lease", "ConfigMap", "Endpoints"}) {
          add(kind, space, name + beside);
        }
      }
    }
  }
}

bool KnownNames::has(const std::string& kind, const std::string& key) const {
  const auto found = kinds_.find(kind);
  return found != kinds_.end() && found->second.keys.contains(key);
}

bool KnownNames::has_like(const std::string& kind, const std::string& pattern) const {
  const auto found = kinds_.find(kind);
  if (found == kinds_.end()) return false;
  const auto& [keys, names] = found->second;
  if (keys.contains(pattern) || names.contains(pattern)) return true;
  if (!is_pattern(pattern)) return false;
  const auto fits = [&](const std::string& name) { return matches_pattern(pattern, name); };
  return std::ranges::any_of(names, fits) ||
         std::ranges::any_of(keys, [&](const auto& each) { return fits(each.first); });
}

/// Which labels stand together changes in the course of a day.
bool KnownNames::has_zone(const std::string& key) const {
  const std::string between(":\0:", 3);
  const std::size_t at = key.find(between);
  if (key.empty()) return regions_.contains("") && zones_.contains("");
  if (at == std::string::npos) return has_zone_named(key);
  return regions_.contains(key.substr(0, at)) && zones_.contains(key.substr(at + between.size()));
}

bool KnownNames::has_zone_named(const std::string& name) const {
  const auto said = [](const std::string& part) { return part == "-" ? "" : part; };
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) {
    return regions_.contains(said(name)) || zones_.contains(said(name));
  }
  return regions_.contains(said(name.substr(0, slash))) &&
         zones_.contains(said(name.substr(slash + 1)));
}

bool KnownNames::has_taint_key(const std::string& key) const { return taint_keys_.contains(key); }

const Json* KnownNames::object(const std::string& kind, const std::string& key) const {
  const auto of_kind = kinds_.find(kind);
  if (of_kind == kinds_.end()) return nullptr;
  const auto found = of_kind->second.keys.find(key);
  return found == of_kind->second.keys.end() ? nullptr : found->second;
}

const Json* KnownNames::some_object(const std::string& kind) const {
  const auto of_kind = kinds_.find(kind);
  if (of_kind == kinds_.end()) return nullptr;
  for (const auto& [key, object] : of_kind->second.keys) {
    if (object != nullptr) return object;
  }
  return nullptr;
}

}  // namespace nlc::sim::scenario

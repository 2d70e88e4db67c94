#include <algorithm>

#include "sim/scenario/checking/look.h"
#include "sim/scenario/stage/outside_writes.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

Seen good() { return {.holds = true}; }
Seen wrong(std::string what) { return {.what = std::move(what)}; }

Json child(const Json& object, const char* key, Json otherwise = Json::object()) {
  const auto found = object.find(key);
  return found == object.end() ? otherwise : *found;
}

Json conditions_in(const Json& object) {
  return child(child(object, "status"), "conditions", Json::array());
}

const Json* condition_in(const Json& conditions, const std::string& type) {
  for (const Json& condition : conditions) {
    if (condition.value("type", "") == type) return &condition;
  }
  return nullptr;
}

std::string wrong_condition(const Json& object, const ConditionWishes& wishes,
                            const std::vector<std::string>& absent, WallTime start) {
  const Json conditions = conditions_in(object);
  for (const auto& [type, fields] : wishes) {
    const Json* condition = condition_in(conditions, type);
    if (condition == nullptr) return "there is no condition " + type;
    const std::string difference_found = difference(*condition, fields, start);
    if (!difference_found.empty()) return "condition " + type + ": " + difference_found;
  }
  for (const std::string& type : absent) {
    const Json* condition = condition_in(conditions, type);
    if (condition != nullptr) return "condition " + type + " is " + condition->value("status", "");
  }
  return {};
}

// --- taints -------------------------------------------------------------------------------------

std::string text_of(const Json& taint) {
  const std::string value = taint.value("value", "");
  return taint.value("key", "") + (value.empty() ? "" : "=" + value) + ":" +
         taint.value("effect", "");
}

std::string text_of(const TaintName& taint) {
  return taint.key + (taint.value.empty() ? "" : "=" + taint.value) + ":" + taint.effect;
}

std::string text_of_all(const Json& taints) {
  std::string text;
  for (const Json& taint : taints) text += (text.empty() ? "" : ", ") + text_of(taint);
  return "the taints are [" + text + "]";
}

bool has(const Json& taints, const TaintName& wanted) {
  return std::ranges::any_of(taints, [&](const Json& taint) { return is_named(taint, wanted); });
}

bool are_exactly(const Json& taints, const TaintGroups& groups) {
  std::size_t at = 0;
  for (const std::vector<TaintName>& group : groups) {
    if (at + group.size() > taints.size()) return false;
    std::vector<std::string> found;
    std::vector<std::string> wanted;
    for (const TaintName& taint : group) {
      wanted.push_back(text_of(taint));
      found.push_back(text_of(taints[at++]));
    }
    std::ranges::sort(found);
    std::ranges::sort(wanted);
    if (found != wanted) return false;
  }
  return at == taints.size();
}

std::set<std::string> managed_noschedule(const Json& taints) {
  std::set<std::string> found;
  for (const Json& taint : taints) {
    const std::string key = taint.value("key", "");
    if (taint.value("effect", "") == "NoSchedule" &&
        std::ranges::count(managed_taint_keys, key) > 0) {
      found.insert(text_of(taint));
    }
  }
  return found;
}

std::string wrong_detail(const Json& taints, const FieldWishes& wishes, WallTime start) {
  const auto text = [&](const char* field) {
    const auto wish = wishes.find(field);
    return wish != wishes.end() && wish->second.value.is_string()
               ? wish->second.value.get<std::string>()
               : std::string();
  };
  for (const Json& taint : taints) {
    if (is_named(taint, {.key = text("key"), .value = "", .effect = text("effect")})) {
      return difference(taint, wishes, start);
    }
  }
  return text_of_all(taints);
}

std::string wrong_taints(const Json& taints, const NodeCheck& check, WallTime start) {
  const bool as_listed = std::ranges::all_of(
      check.has_taints, [&](const TaintName& taint) { return has(taints, taint); });
  const bool lacks = std::ranges::none_of(
      check.lacks_taints, [&](const TaintName& taint) { return has(taints, taint); });
  const bool exact = !check.taints || are_exactly(taints, *check.taints);
  const bool managed =
      !check.noschedule_taints || managed_noschedule(taints) == *check.noschedule_taints;
  if (!as_listed || !lacks || !exact || !managed) return text_of_all(taints);
  return check.taint_detail.empty() ? "" : wrong_detail(taints, check.taint_detail, start);
}

// --- labels, order, the rest --------------------------------------------------------------------

std::string wrong_labels(const Json& labels, const NodeCheck& check) {
  const std::string found = "the labels are " + labels.dump();
  for (const auto& [key, value] : check.labels) {
    if (labels.value(key, Json()) != value) return found;
  }
  for (const std::string& key : check.labels_absent) {
    if (labels.contains(key)) return found;
  }
  return check.labels_exact && labels != Json(*check.labels_exact) ? found : "";
}

std::string wrong_order(const Json& node, const std::vector<std::string>& wanted) {
  std::vector<std::string> found;
  for (const Json& condition : conditions_in(node)) found.push_back(condition.value("type", ""));
  return found == wanted ? "" : "the conditions are " + Json(found).dump();
}

std::string wrong_status(const Json& status, const Json& wanted) {
  if (!wanted.is_object()) return {};
  for (const auto& [field, value] : wanted.items()) {
    const Json found = child(status, field.c_str(), nullptr);
    if (found != value) return field + " is " + found.dump();
  }
  return {};
}

}  // namespace

Seen look_at(const NodeCheck& check, const Stage& stage) {
  const Json node = object_in(stage.storage(), "Node", check.name);
  if (!node.is_object()) {
    return check.exists == false ? good() : wrong("there is no node " + check.name);
  }
  if (check.exists == false) return wrong("the node is there");
  const Json taints = child(child(node, "spec"), "taints", Json::array());
  std::string found =
      wrong_condition(node, check.conditions, check.conditions_absent, stage.start());
  if (found.empty()) found = wrong_taints(taints, check, stage.start());
  if (found.empty()) found = wrong_labels(child(node["metadata"], "labels"), check);
  if (found.empty()) found = wrong_status(child(node, "status"), check.status);
  if (found.empty() && check.condition_order) found = wrong_order(node, *check.condition_order);
  return {.holds = found.empty(), .what = found};
}

Seen look_at(const PodCheck& check, const Stage& stage) {
  const std::string key = check.namespace_name + "/" + check.name;
  const Json pod = object_in(stage.storage(), "Pod", key);
  const bool exists = pod.is_object();
  if (check.exists && *check.exists != exists) {
    return wrong(exists ? "the pod is there" : "there is no pod " + key);
  }
  if (check.deletion_requested) {
    const bool requested =
        exists ? pod["metadata"].contains("deletionTimestamp") : stage.changes().knew_pod(key);
    if (requested != *check.deletion_requested) {
      return wrong(requested ? "its deletion was requested" : "its deletion was not requested");
    }
  }
  const bool more =
      !check.conditions.empty() || !check.conditions_absent.empty() || !check.status.empty();
  if (!more) return good();
  if (!exists) {
    // A pod whose deletion was asked for may be gone.
    return check.deletion_requested == true && stage.changes().knew_pod(key)
               ? good()
               : wrong("there is no pod " + key);
  }
  std::string found =
      wrong_condition(pod, check.conditions, check.conditions_absent, stage.start());
  if (found.empty()) found = difference(child(pod, "status"), check.status, stage.start());
  return {.holds = found.empty(), .what = found};
}

Seen look_at(const LeaseCheck& check, const Stage& stage) {
  const std::string key = check.namespace_name + "/" + check.name;
  const Json lease = object_in(stage.storage(), "Lease", key);
  if (lease.is_object() != check.exists) {
    return wrong(check.exists ? "there is no lease " + key : "the lease is there");
  }
  if (!check.exists) return good();
  const Json spec = child(lease, "spec");
  if (check.renewed_within || check.within_its_duration) {
    const Duration limit =
        check.renewed_within.value_or(std::chrono::seconds(spec.value("leaseDurationSeconds", 0)));
    const auto renewed = parse_rfc3339(spec.value("renewTime", ""));
    if (!renewed) return wrong("it was never renewed");
    const Duration ago = stage.start() + stage.offset() - *renewed;
    if (ago > limit) return wrong("it was renewed " + offset_text(-ago) + " ago");
  }
  const std::string other = difference(spec, check.spec, stage.start());
  if (!other.empty()) return wrong(other);
  if (check.owner.empty()) return good();
  const Json owners = child(lease["metadata"], "ownerReferences", Json::array());
  const bool owned = std::ranges::any_of(owners, [&](const Json& owner) {
    return difference(owner, check.owner, stage.start()).empty();
  });
  return owned ? good() : wrong("its owners are " + owners.dump());
}

}  // namespace nlc::sim::scenario

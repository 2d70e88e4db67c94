#include <array>

#include "sim/scenario/reading/read_check_kinds.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

ConditionWishes conditions_of(Fields& fields) {
  ConditionWishes wishes;
  const Yaml& conditions = fields.find("conditions");
  if (!conditions.is_defined()) return wishes;
  if (!conditions.is_map() || conditions.map.empty()) refuse(conditions, "a map by type");
  for (const Yaml::Entry& condition : conditions.map) {
    if (condition.value.map.empty()) refuse(condition.value, "what " + condition.key + " says");
    Fields one(condition.value, "a condition", fields.problems());
    wishes.emplace(condition.key, one.remaining_wishes());
  }
  return wishes;
}

TaintGroups taint_groups_of(const Yaml& list, Problems& problems) {
  TaintGroups groups;
  if (!list.is_list() && !list.is_null()) refuse(list, "a list of taints");
  for (const Yaml& element : list.list) {
    if (element.is_text()) {
      groups.push_back({taint_of(element)});
      continue;
    }
    Fields group(element, "taints", problems);
    groups.push_back(group.taints("any_order"));
    group.finish();
  }
  return groups;
}

void read_taints(Fields& fields, NodeCheck& check) {
  check.has_taints = fields.taints("has_taints");
  check.lacks_taints = fields.taints("lacks_taints");
  if (const Yaml& exact = fields.find("taints"); exact.is_defined()) {
    check.taints = taint_groups_of(exact, fields.problems());
  }
  if (fields.has("noschedule_taints")) {
    const std::vector<std::string> names = fields.texts("noschedule_taints");
    check.noschedule_taints.emplace(names.begin(), names.end());
  }
  check.taint_detail = fields.wishes("taint_detail");
}

void read_labels(Fields& fields, NodeCheck& check) {
  if (const Yaml& some = fields.find("labels"); some.is_defined()) {
    check.labels = labels_of(some);
    if (check.labels.empty()) refuse(some, "a map of labels");
  }
  if (const Yaml& exact = fields.find("labels_exact"); exact.is_defined()) {
    check.labels_exact = labels_of(exact);
  }
  check.labels_absent = fields.texts("labels_absent");
}

void add_subjects(std::set<std::string>& subjects, const std::string& object,
                  const ConditionWishes& conditions, const std::vector<std::string>& absent) {
  for (const auto& [type, wishes] : conditions) subjects.insert(object + " condition " + type);
  for (const std::string& type : absent) subjects.insert(object + " condition " + type);
}

void read_node(Fields& fields, Check& check) {
  NodeCheck node;
  node.name = fields.need_text("name");
  node.exists = fields.truth("exists");
  node.conditions = conditions_of(fields);
  node.conditions_absent = fields.texts("conditions_absent");
  if (fields.has("condition_order")) node.condition_order = fields.texts("condition_order");
  read_taints(fields, node);
  read_labels(fields, node);
  for (const char* key : {"capacity", "allocatable", "addresses", "nodeInfo"}) {
    if (fields.has(key)) node.status[key] = json_of(fields.find(key));
  }
  const std::string object = "node " + node.name;
  add_subjects(check.subjects, object, node.conditions, node.conditions_absent);
  const bool taints = !node.has_taints.empty() || !node.lacks_taints.empty() || node.taints ||
                      node.noschedule_taints || !node.taint_detail.empty();
  if (taints) check.subjects.insert(object + " taints");
  if (node.condition_order) check.subjects.insert(object + " order");
  if (fields.has("labels") || fields.has("labels_exact") || fields.has("labels_absent")) {
    check.subjects.insert(object + " labels");
  }
  if (node.exists) check.subjects.insert(object);
  check.what = std::move(node);
}

void read_pod(Fields& fields, Check& check) {
  PodCheck pod;
  pod.namespace_name = fields.given_text("namespace").value_or(pod.namespace_name);
  pod.name = fields.need_text("name");
  pod.exists = fields.truth("exists");
  pod.deletion_requested =
      fields.choice<bool>("deletion", "deletion ", {{"none", false}, {"requested", true}});
  pod.conditions = conditions_of(fields);
  pod.conditions_absent = fields.texts("conditions_absent");
  for (const char* key : {"reason", "message", "phase"}) {
    if (fields.has(key)) pod.status.emplace(key, wish_of(fields.find(key)));
  }
  const std::string object = "pod " + pod.namespace_name + "/" + pod.name;
  add_subjects(check.subjects, object, pod.conditions, pod.conditions_absent);
  if (pod.deletion_requested) check.subjects.insert(object + " deletion");
  if (pod.exists) check.subjects.insert(object);
  if (!pod.status.empty()) check.subjects.insert(object + " status");
  check.what = std::move(pod);
}

void read_lease(Fields& fields, Check& check) {
  LeaseCheck lease;
  lease.namespace_name = fields.given_text("namespace").value_or(lease.namespace_name);
  lease.name = fields.need_text("name");
  lease.exists = fields.truth("exists").value_or(true);
  if (const Yaml& within = fields.find("renewed_within"); within.is_defined()) {
    lease.within_its_duration = within.text == "spec.leaseDurationSeconds";
    if (!lease.within_its_duration) lease.renewed_within = fields.span("renewed_within");
  }
  lease.owner = fields.wishes("owner");
  lease.spec = fields.wishes("spec");
  check.subjects.insert("lease " + lease.namespace_name + "/" + lease.name);
  check.what = std::move(lease);
}

constexpr std::array<CheckKind, 3> object_kinds{
    {{"node", read_node}, {"pod", read_pod}, {"lease", read_lease}}};

}  // namespace

std::span<const CheckKind> object_checks() { return object_kinds; }

std::map<std::string, std::string> labels_of(const Yaml& node) {
  std::map<std::string, std::string> labels;
  for (const Yaml::Entry& label : node.map) {
    labels.emplace(label.key, scalar_text(label.value, "a label's value"));
  }
  return labels;
}

}  // namespace nlc::sim::scenario

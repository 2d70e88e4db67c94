#include "sim/scenario/read_checks.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "sim/scenario/read_steps.h"
#include "sim/scenario/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

/// The controller's key of a zone (behaviour.md §6.1).
std::string zone_key(const std::string& region, const std::string& zone) {
  if (region.empty() && zone.empty()) return {};
  return region + ":" + std::string(1, '\0') + ":" + zone;
}

ConditionWishes conditions_of(Fields& fields) {
  ConditionWishes wishes;
  const YAML::Node conditions = fields.find("conditions");
  if (!conditions.IsDefined()) return wishes;
  if (!conditions.IsMap()) {
    throw Malformed{line_of(conditions), flow_text(conditions) + " found, a map by type expected"};
  }
  for (const auto& entry : conditions) {
    Fields one(entry.second, "a condition", fields.problems());
    wishes.emplace(entry.first.Scalar(), one.remaining_wishes());
  }
  return wishes;
}

std::map<std::string, std::string> labels_of(const YAML::Node& node) {
  std::map<std::string, std::string> labels;
  for (const auto& entry : node) {
    labels.emplace(entry.first.Scalar(), scalar_text(entry.second, "a label's value"));
  }
  return labels;
}

TaintGroups taint_groups_of(const YAML::Node& list, Problems& problems) {
  TaintGroups groups;
  for (const YAML::Node& element : list) {
    if (element.IsScalar()) {
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
  if (const YAML::Node exact = fields.find("taints"); exact.IsDefined()) {
    check.taints = taint_groups_of(exact, fields.problems());
  }
  if (fields.has("noschedule_taints")) {
    const std::vector<std::string> names = fields.texts("noschedule_taints");
    check.noschedule_taints.emplace(names.begin(), names.end());
  }
  check.taint_detail = fields.wishes("taint_detail");
}

void read_labels(Fields& fields, NodeCheck& check) {
  if (const YAML::Node some = fields.find("labels"); some.IsDefined()) {
    check.labels = labels_of(some);
  }
  if (const YAML::Node exact = fields.find("labels_exact"); exact.IsDefined()) {
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
    if (fields.has(key)) node.status[key] = value_of(fields.find(key));
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
  if (fields.has("namespace")) pod.namespace_name = fields.text("namespace");
  pod.name = fields.need_text("name");
  pod.exists = fields.truth("exists");
  if (const std::string deletion = fields.text("deletion"); !deletion.empty()) {
    if (deletion != "none" && deletion != "requested") {
      throw Malformed{fields.line(), "deletion " + deletion + " found, none or requested expected"};
    }
    pod.deletion_requested = deletion == "requested";
  }
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

void read_requests(Fields& fields, Check& check) {
  RequestCheck requests{.requests = request_filter_of(fields),
                        .count = amount_of(fields.need("count"))};
  if (fields.has("per_pass")) requests.per_pass = amount_of(fields.find("per_pass"));
  requests.after = fields.duration("after");
  requests.content_type = fields.text("content_type");
  requests.body = value_of(fields.find("body"));
  requests.body_has = fields.texts("body_has");
  requests.body_lacks = fields.texts("body_lacks");
  if (const std::string by = fields.text("by"); !by.empty() && by != "controller") {
    throw Malformed{fields.line(), "by: " + by + " found, controller expected"};
  }
  check.what = std::move(requests);
}

void read_events(Fields& fields, Check& check) {
  EventCheck events;
  events.reason = fields.has("reason") ? fields.text("reason") : "*";
  events.object = fields.has("object") ? fields.text("object") : "*";
  for (const char* key : {"type", "message"}) {
    if (fields.has(key)) events.fields.emplace(key, wish_of(fields.find(key)));
  }
  events.component = fields.text("component");
  if (fields.has("uid")) events.uid = fields.text("uid");
  events.namespace_name = fields.text("namespace");
  events.object_fields = fields.wishes("object_fields");
  for (auto& [key, wish] : events.object_fields) {
    if (wish.value.is_string()) wish.value = without_remark(wish.value.get<std::string>());
  }
  events.count = amount_of(fields.need("count"));
  check.what = std::move(events);
}

std::optional<std::string> replica_in(Fields& fields) {
  return fields.has("replica") ? std::optional(fields.text("replica")) : std::nullopt;
}

/// Two replicas may well say different things.
std::string asked_of(const std::optional<std::string>& replica) {
  return replica && !replica->empty() ? "replica " + *replica + " " : "";
}

std::string zone_of(Fields& fields) { return zone_key(fields.text("region"), fields.text("zone")); }

void read_zone(Fields& fields, Check& check) {
  ZoneCheck zone{
      .replica = replica_in(fields), .key = zone_of(fields), .state = fields.need_text("state")};
  check.subjects.insert(asked_of(zone.replica) + "zone " + zone.key);
  check.what = std::move(zone);
}

void read_evictions(Fields& fields, Check& check) {
  const std::string key = zone_of(fields);
  check.what = EvictionCheck{.key = key, .nodes = amount_of(fields.need("nodes"))};
}

void read_metric(Fields& fields, Check& check) {
  MetricCheck metric{.replica = replica_in(fields), .name = fields.need_text("name")};
  if (const YAML::Node zone = fields.find("zone"); zone.IsDefined()) {
    if (!zone.IsSequence() || zone.size() != 2) {
      throw Malformed{line_of(zone), flow_text(zone) + " found, [region, zone] expected"};
    }
    metric.labels["zone"] = zone_key(zone[0].as<std::string>(), zone[1].as<std::string>());
  }
  if (const YAML::Node labels = fields.find("labels"); labels.IsDefined()) {
    metric.labels.merge(labels_of(labels));
  }
  metric.exists = fields.truth("exists").value_or(true);
  if (metric.exists) metric.value = amount_of(fields.need("value"));
  check.subjects.insert(asked_of(metric.replica) + "metric " + metric.name + " " +
                        nlohmann::json(metric.labels).dump());
  check.what = std::move(metric);
}

void read_leaders(Fields& fields, Check& check) {
  LeadersCheck leaders{.replica = replica_in(fields),
                       .leads = fields.truth("leads").value_or(true)};
  if (fields.has("count")) leaders.count = amount_of(fields.find("count"));
  if (!leaders.replica && !leaders.count) {
    throw Malformed{fields.line(), "neither found, count or replica expected"};
  }
  check.subjects.insert("leaders");
  check.what = std::move(leaders);
}

void read_controllers(Fields& fields, Check& check) {
  check.what = ControllersCheck{.running = fields.texts("running"),
                                .not_running = fields.texts("not_running")};
}

void read_delay(Fields& fields, Check& check) {
  check.what = DelayCheck{.from = fact_of(fields.need("from")),
                          .to = fact_of(fields.need("to")),
                          .max = duration_of(fields.need("max"))};
}

void read_lease(Fields& fields, Check& check) {
  LeaseCheck lease;
  if (fields.has("namespace")) lease.namespace_name = fields.text("namespace");
  lease.name = fields.need_text("name");
  lease.exists = fields.truth("exists").value_or(true);
  if (const YAML::Node within = fields.find("renewed_within"); within.IsDefined()) {
    lease.within_its_duration = within.Scalar() == "spec.leaseDurationSeconds";
    if (!lease.within_its_duration) lease.renewed_within = duration_of(within);
  }
  lease.owner = fields.wishes("owner");
  lease.spec = fields.wishes("spec");
  check.subjects.insert("lease " + lease.namespace_name + "/" + lease.name);
  check.what = std::move(lease);
}

struct CheckKind {
  const char* key;
  void (*read)(Fields&, Check&);
};
constexpr std::array<CheckKind, 11> check_kinds{{{"node", read_node},
                                                 {"pod", read_pod},
                                                 {"requests", read_requests},
                                                 {"events", read_events},
                                                 {"zone", read_zone},
                                                 {"evictions", read_evictions},
                                                 {"metric", read_metric},
                                                 {"leaders", read_leaders},
                                                 {"controllers", read_controllers},
                                                 {"delay", read_delay},
                                                 {"lease", read_lease}}};

void read_map(const YAML::Node& node, const std::string& key, Check& check, Problems& problems,
              void (*read)(Fields&, Check&)) {
  Fields fields(node, key, problems);
  read(fields, check);
  fields.finish();
}

When when_of(const YAML::Node& node, Problems& problems) {
  struct Word {
    const char* key;
    When::Kind kind;
  };
  constexpr std::array<Word, 4> words{{{"holds", When::Kind::Holds},
                                       {"becomes", When::Kind::Becomes},
                                       {"at", When::Kind::At},
                                       {"counted_in", When::Kind::CountedIn}}};
  Fields fields(node, "a when", problems);
  for (const Word& word : words) {
    const YAML::Node span = fields.find(word.key);
    if (!span.IsDefined()) continue;
    fields.finish();
    if (word.kind == When::Kind::At) {
      const Duration at = duration_of(span);
      return {.kind = word.kind, .from = at, .until = at};
    }
    if (!span.IsSequence() || span.size() != 2) {
      throw Malformed{line_of(span), flow_text(span) + " found, [from, until] expected"};
    }
    const When when{.kind = word.kind, .from = duration_of(span[0]), .until = duration_of(span[1])};
    if (when.from > when.until) {
      throw Malformed{line_of(span), flow_text(span) + " found, from before until expected"};
    }
    return when;
  }
  throw Malformed{line_of(node),
                  flow_text(node) + " found, holds, becomes, at or counted_in expected"};
}

/// One for each kind that the map names.
std::vector<Check> checks_of(const YAML::Node& node, Problems& problems) {
  const Check blank{.what = ProcessCheck{}, .text = flow_text(node)};
  Fields fields(node, "a check", problems);
  std::vector<Check> checks;
  for (const CheckKind& kind : check_kinds) {
    const YAML::Node found = fields.find(kind.key);
    if (!found.IsDefined()) continue;
    read_map(found, kind.key, checks.emplace_back(blank), problems, kind.read);
  }
  if (fields.has("request_sequence")) {
    checks.emplace_back(blank).what = SequenceCheck{fields.texts("request_sequence")};
  }
  if (fields.has("process")) {
    checks.push_back(blank);
    if (fields.text("process") != "alive") {
      throw Malformed{fields.line(), blank.text + " found, {process: alive} expected"};
    }
  }
  fields.finish();
  if (checks.empty()) problems.add(line_of(node), blank.text + " found, a check expected");
  return checks;
}

Expectation expectation_of(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "an expectation", problems);
  Expectation expectation{.when = when_of(fields.need("when"), problems),
                          .only_for = fields.text("only_for"),
                          .line = fields.line()};
  const YAML::Node that = fields.need("that");
  for (const YAML::Node& check : each_of(that)) {
    std::ranges::move(checks_of(check, problems), std::back_inserter(expectation.that));
  }
  fields.finish();
  return expectation;
}

}  // namespace

std::vector<Expectation> expectations_of(const YAML::Node& list, Problems& problems) {
  std::vector<Expectation> expectations;
  for (const YAML::Node& node : each_of(list)) {
    expectations.push_back(expectation_of(node, problems));
  }
  return expectations;
}

}  // namespace nlc::sim::scenario

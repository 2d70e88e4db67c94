#include "sim/scenario/reading/object_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "controller/zones/zone.h"
#include "metrics/metrics.h"
#include "runtime/words.h"
#include "sim/apiserver/types/resource.h"
#include "sim/apiserver/types/typed_object.h"
#include "sim/scenario/model/name_pattern.h"

namespace nlc::sim::scenario {
namespace {

/// Of the events that the program sends, which alone are counted.
constexpr std::array<std::string_view, 11> event_reasons{
    "RegisteredNode",       "RemovingNode",           "NodeNotReady",  "DeletingAllPods",
    "TaintManagerEviction", "NodeControllerEviction", "JudgementHeld", "PolicyInForce",
    "PolicyMalformed",      "PauseMalformed",         "LeaderElection"};
constexpr std::array<std::string_view, 3> event_components{
    "node-controller", "taint-eviction-controller", "node-lifecycle-controller"};
constexpr std::array<std::string_view, 2> event_types{"Normal", "Warning"};

/// Of one line of a case.
class NamesInLine {
 public:
  NamesInLine(const KnownNames& known, int line, Problems& problems)
      : known_(known), line_(line), problems_(problems) {}

  void node(const std::string& name) { object("Node", name); }

  void object(const std::string& kind, const std::string& key) {
    if (!known_.has(kind, key)) unknown(kind, key);
  }

  void object(const ObjectName& object_name) {
    const auto& [kind, space, name, one_of] = object_name;
    for (const std::string& each : one_of) object(kind, object_key(space, each));
    if (one_of.empty()) object(kind, object_key(space, name));
  }

  void like(const std::string& kind, const std::string& pattern) {
    if (!known_.has_like(kind, pattern)) unknown(kind, pattern);
  }

  void space(const std::string& name) {
    if (!name.empty() && name != "*") object("Namespace", name);
  }

  void zone(const std::string& key) {
    if (known_.has_zone(key)) return;
    add("the zone " + controller::zone_name(key) + " found, one of a node expected");
  }

  void zone_named(const std::string& name) {
    if (!known_.has_zone_named(name)) add("the zone " + name + " found, one of a node expected");
  }

  void taint(const TaintName& name) {
    if (known_.has_taint_key(name.key)) return;
    add("the taint " + name.key + " found, one that the controller or the case sets expected");
  }

  void condition(const std::string& type) { word("condition", type, known_.condition_types()); }

  void label(const std::string& key) { word("label", key, known_.label_keys()); }

  void event(const EventCheck& check) {
    if (check.reason != "*") word("event reason", check.reason, event_reasons);
    if (!check.component.empty()) word("component", check.component, event_components);
    const auto type = check.fields.find("type");
    if (type == check.fields.end()) return;
    const nlohmann::json& said = type->second.value;
    word("event type", said.is_string() ? said.get<std::string>() : said.dump(), event_types);
  }

  /// `object` has every field that is compared: one that its kind has not may be wished for as
  /// null, and is that for ever.
  void fields(std::string_view kind, nlohmann::json object) {
    for (const std::string& complaint : read_typed(kind, object).complaints) {
      add(complaint + " found, a field of " + std::string(kind) + " expected");
    }
  }

  void fact(const Fact& fact_said) {
    const std::string& name = fact_said.object;
    const bool bare = name.find('/') == std::string::npos;
    if (!known_.has("Node", name) && !known_.has("Pod", bare ? "default/" + name : name)) {
      add("the node or pod " + name + " found, one that is given or applied expected");
    }
    using Kind = Fact::Kind;
    if (fact_said.kind == Kind::Condition) condition(fact_said.condition);
    if (fact_said.kind == Kind::HasTaint || fact_said.kind == Kind::LacksTaint) {
      taint(fact_said.taint);
    }
  }

  /// The names of events are made up by whoever writes them.
  void requests(const RequestFilter& filter) {
    space(filter.namespace_name);
    std::vector<const Resource*> meant;
    for (const std::string& plural : filter.resources) {
      if (plural != "*") meant.push_back(resource_called(plural));
    }
    if (meant.empty() || meant.size() < filter.resources.size()) {
      meant.clear();
      for (const Resource& each : resources()) {
        if (each.kind != "Event") meant.push_back(&each);
      }
    }
    for (const std::string& name : filter.names) {
      const bool known =
          name == "*" || std::ranges::any_of(meant, [&](const Resource* each) {
            return each->kind == "Event" || known_.has_like(std::string(each->kind), name);
          });
      if (!known) unknown(meant.size() == 1 ? meant.front()->kind : "", name);
    }
  }

  void add(const std::string& words) { problems_.add(line_, words); }

 private:
  template <typename Words>
  void word(const std::string& kind, const std::string& found, const Words& expected) {
    if (std::ranges::find(expected, found) != expected.end()) return;
    add("the " + kind + " " + found + " found, " + alternatives(expected) + " expected");
  }

  void unknown(std::string_view kind, const std::string& name) {
    const Resource* resource = resource_of_kind(kind);
    const std::string what = resource == nullptr ? "object" : std::string(resource->singular);
    add("the " + what + " " + name + " found, one that is given or applied expected");
  }

  const KnownNames& known_;
  const int line_;
  Problems& problems_;
};

// --- steps --------------------------------------------------------------------------------------

struct NamesInAction {
  NamesInLine& names;

  void operator()(const Heartbeat& heartbeat) const {
    for (const std::string& node : heartbeat.nodes) names.node(node);
  }
  void operator()(const RenewLease& renewal) const {
    for (const std::string& node : renewal.nodes) names.node(node);
  }
  void operator()(const HoldCache& hold) const {
    if (!hold.key.empty()) names.like(std::string(resource_called(hold.resource)->kind), hold.key);
  }
  template <typename Kind>
  void operator()(const Kind& action) const {
    if constexpr (requires { action.object.one_of_untainted; }) {
      names.object(action.object);
    } else if constexpr (requires { action.requests.names; }) {
      names.requests(action.requests);
    }
  }
};

// --- checks -------------------------------------------------------------------------------------

/// "Node/n", "Pod/p", "Pod/ns/p", "Node/*", "*".
void look_at_event_object(const std::string& object, NamesInLine& names) {
  if (object == "*") return;
  const std::size_t slash = object.find('/');
  const std::string kind = object.substr(0, slash);
  if (slash == std::string::npos || resource_of_kind(kind) == nullptr) {
    names.add(object + " found, an object such as Node/node0 or Pod/default/app expected");
    return;
  }
  const std::string name = object.substr(slash + 1);
  if (name == "*") return;
  if (is_pattern(name)) {
    names.add(object + " found, a whole name or " + kind + "/* expected");
    return;
  }
  names.like(kind, name);
}

/// "GET pods/app", "PATCH pods/app/status".
void look_at_request(const std::string& text, NamesInLine& names) {
  const std::string object = text.substr(text.find(' ') + 1);
  const std::size_t slash = object.find('/');
  const Resource* resource = resource_called(object.substr(0, slash));
  if (resource == nullptr || slash == std::string::npos) {
    names.add(text + " found, a request such as GET pods/app expected");
    return;
  }
  const std::string name = object.substr(slash + 1);
  names.like(std::string(resource->kind), name.substr(0, name.find('/')));
}

nlohmann::json compared(const FieldWishes& wishes) {
  nlohmann::json object = nlohmann::json::object();
  for (const auto& [field, wish] : wishes) object[field] = nullptr;
  return object;
}

nlohmann::json list_of_compared(const FieldWishes& wishes) {
  return nlohmann::json::array({compared(wishes)});
}

nlohmann::json compared(const ConditionWishes& wishes) {
  nlohmann::json conditions = nlohmann::json::array();
  for (const auto& [type, fields] : wishes) conditions.push_back(compared(fields));
  return {{"conditions", std::move(conditions)}};
}

struct NamesInCheck {
  NamesInLine& names;

  void operator()(const NodeCheck& check) const {
    if (check.exists != false) names.node(check.name);
    for (const TaintName& taint : check.has_taints) names.taint(taint);
    for (const TaintName& taint : check.lacks_taints) names.taint(taint);
    for (const std::string& type : check.conditions_absent) names.condition(type);
    for (const std::string& key : check.labels_absent) names.label(key);
    names.fields("Node", {{"status", compared(check.conditions)},
                          {"spec", {{"taints", list_of_compared(check.taint_detail)}}}});
  }
  void operator()(const PodCheck& check) const {
    if (check.exists != false) names.object("Pod", object_key(check.namespace_name, check.name));
    for (const std::string& type : check.conditions_absent) names.condition(type);
    names.fields("Pod", {{"status", compared(check.conditions)}});
  }
  void operator()(const LeaseCheck& check) const {
    if (check.exists) names.object("Lease", object_key(check.namespace_name, check.name));
    names.fields("Lease", {{"metadata", {{"ownerReferences", list_of_compared(check.owner)}}},
                           {"spec", compared(check.spec)}});
  }
  void operator()(const RequestCheck& check) const { names.requests(check.requests); }
  void operator()(const EventCheck& check) const {
    names.space(check.namespace_name);
    look_at_event_object(check.object, names);
    names.event(check);
    names.fields("Event", {{"involvedObject", compared(check.object_fields)}});
  }
  void operator()(const ZoneCheck& check) const { names.zone(check.key); }
  void operator()(const EvictionCheck& check) const { names.zone(check.key); }
  void operator()(const MetricCheck& check) const {
    if (!check.exists && !metrics::Metrics("").declares(check.name)) {
      names.add("the metric " + check.name + " found, one of the controller expected");
    }
    const auto zone = check.labels.find("zone");
    if (zone != check.labels.end()) names.zone(zone->second);
  }
  void operator()(const PodsEvictedCheck& check) const {
    for (const std::string& node : check.nodes) names.like("Node", node);
    for (const std::string& pod : check.names) names.like("Pod", pod);
  }
  /// That there is none is an answer, too.
  void operator()(const WhyCheck& check) const {
    using Kind = controller::why::Question::Kind;
    const std::string& name = check.question.name;
    if (check.state == "absent") return;
    if (check.question.kind == Kind::Node) names.node(name);
    if (check.question.kind == Kind::Pod) names.object("Pod", name);
    if (check.question.kind == Kind::Zone) names.zone_named(name);
  }
  void operator()(const DelayCheck& check) const {
    names.fact(check.from);
    names.fact(check.to);
  }
  void operator()(const SequenceCheck& check) const {
    for (const std::string& request : check.requests) look_at_request(request, names);
  }
  template <typename Kind>
  void operator()(const Kind&) const {}
};

}  // namespace

void check_object_names(const Scenario& scenario, const KnownNames& known, Problems& problems) {
  for (const Step& step : scenario.timeline) {
    NamesInLine names(known, step.line, problems);
    std::visit(NamesInAction{names}, step.action);
    if (step.when) names.fact(*step.when);
    if (step.before_request) names.requests(*step.before_request);
  }
  for (const Expectation& expectation : scenario.expect) {
    NamesInLine names(known, expectation.line, problems);
    for (const Check& check : expectation.that) std::visit(NamesInCheck{names}, check.what);
  }
}

}  // namespace nlc::sim::scenario

#include "sim/scenario/reading/read_steps.h"

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/go_duration.h"
#include "sim/apiserver/types/resource.h"
#include "sim/scenario/model/chance.h"
#include "sim/scenario/model/peace.h"
#include "sim/scenario/reading/manifest.h"
#include "sim/scenario/reading/read_actions.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

/// By its kind; only that of an object decides which version of it is meant.
const Resource& need_kind(const std::string& kind, const Fields& fields) {
  const Resource* found = resource_of_kind(kind);
  if (found == nullptr) fields.refuse("kind " + kind, "a kind that this server has");
  return *found;
}

Action read_apply(const Yaml& node) {
  Apply apply;
  for (const Yaml& object : some_of(node, "an object")) {
    apply.objects.push_back(manifest_of(object));
  }
  return apply;
}

/// What an object is called, and of what kind it is, no patch changes.
void check_merge(const nlohmann::json& merge, const Fields& fields) {
  const auto wrong = [&](const std::string& why) {
    throw Malformed{fields.line(), "a merge " + why};
  };
  if (!merge.is_object()) wrong("that is no map found, fields and their values expected");
  if (merge.contains("kind") || merge.contains("apiVersion")) {
    wrong("with a kind or an apiVersion found, which the patch has already");
  }
  const auto metadata = merge.find("metadata");
  if (metadata == merge.end()) return;
  if (!metadata->is_object()) wrong("with metadata that are no map found, a map expected");
  if (metadata->contains("name") || metadata->contains("namespace")) {
    wrong("that renames its object found, an object keeps its name");
  }
}

Action read_patch(Fields& fields) {
  MergePatch patch{.object = object_name_of(fields), .merge = json_of(fields.need("merge"))};
  check_merge(patch.merge, fields);
  return patch;
}

Action read_apply_patch(Fields& fields) {
  return ApplyPatch{.object = object_name_of(fields), .add_taints = fields.taints("add_taint")};
}

Action read_delete(Fields& fields) {
  return Delete{.object = object_name_of(fields),
                .grace_seconds = fields.whole("gracePeriodSeconds")};
}

Chance chance_in(Fields& fields) {
  return {.loss = fields.share("loss").value_or(0),
          .jitter = fields.span("jitter").value_or(Duration{0})};
}

void refuse_no_name(const std::string& name, const Fields& fields) {
  if (name.empty()) fields.refuse("''", "a name");
}

std::vector<std::string> node_names_in(Fields& fields) {
  some_of(fields.need("node"), "the name of a node");
  std::vector<std::string> names = fields.texts("node");
  for (const std::string& name : names) refuse_no_name(name, fields);
  return names;
}

Action read_heartbeat(Fields& fields) {
  Heartbeat heartbeat{.nodes = node_names_in(fields),
                      .clock_offset = fields.duration("clock_offset").value_or(Duration{0}),
                      .only_changes = fields.truth("only_changes").value_or(false),
                      .chance = chance_in(fields)};
  heartbeat.ready = fields.choice<const char*>(
      "ready", "ready ",
      {{"True", "True"}, {"False", "False"}, {"Unknown", "Unknown"}, {"keep", "keep"}});
  if (heartbeat.ready == "keep") heartbeat.ready.reset();
  if (heartbeat.only_changes && !heartbeat.ready) {
    fields.refuse("only_changes without ready", "a status to compare");
  }
  return heartbeat;
}

Action read_renew_lease(Fields& fields) {
  RenewLease renewal{.nodes = node_names_in(fields),
                     .clock_offset = fields.duration("clock_offset").value_or(Duration{0}),
                     .step = fields.duration("step"),
                     .chance = chance_in(fields)};
  const std::string space = fields.text("namespace");
  if (!space.empty()) renewal.namespace_name = space;
  return renewal;
}

constexpr std::array<ActionKind, 5> action_kinds{
    {{"patch", "a patch", read_patch},
     {"apply_patch", "an apply_patch", read_apply_patch},
     {"delete", "a delete", read_delete},
     {"heartbeat", "a heartbeat", read_heartbeat},
     {"renew_lease", "a renew_lease", read_renew_lease}}};

Action read_action(const ActionKind& kind, const Yaml& node, Problems& problems) {
  const bool empty = kind.may_be_null && node.is_null();
  Fields fields(empty ? Yaml::absent() : node, kind.what, problems);
  Action action = kind.read(fields);
  fields.finish();
  return action;
}

Action action_of(Fields& fields) {
  if (std::optional<Action> controllers = controller_action_of(fields)) return *controllers;
  if (fields.has("apply")) return read_apply(fields.find("apply"));
  for (const std::span<const ActionKind> kinds :
       {machine_actions(), std::span<const ActionKind>(action_kinds), server_actions()}) {
    for (const ActionKind& kind : kinds) {
      if (fields.has(kind.key)) return read_action(kind, fields.find(kind.key), fields.problems());
    }
  }
  if (fields.has("fail_internal")) return Remark{flow_text(fields.find("fail_internal"))};
  return Remark{fields.text("note")};
}

/// A key that is not known says more of what is wrong.
void check_action(const Step& step, Fields& fields, std::size_t known) {
  const auto* remark = step.as<Remark>();
  const bool silent = remark != nullptr && remark->text.empty() && !fields.has("notes");
  if (!silent || fields.problems().found.size() > known) return;
  throw Malformed{step.line, "a step without an action found, what happens expected"};
}

/// Heartbeats come by chance at a time of their own, so nothing else can say when.
void check_chance(const Step& step) {
  const Chance& chance = chance_of(step);
  if (step.every && chance.jitter > *step.every) {
    throw Malformed{step.line, "a jitter of " + go_duration(chance.jitter) +
                                   " found, not more than the step's every expected"};
  }
  if (is_by_node(step) && (step.when || step.before_request)) {
    throw Malformed{step.line,
                    "loss, jitter or only_changes beside when or before_request found, a beat "
                    "at a time of its own expected"};
  }
}

void check_span(const Step& step) {
  if (step.from < Duration{0}) {
    throw Malformed{step.line,
                    "a step at " + go_duration(step.from) + " found, none before 0s expected"};
  }
  if (step.until >= step.from) return;
  throw Malformed{step.line, "until " + go_duration(step.until) +
                                 " found, no earlier than the step's " + go_duration(step.from) +
                                 " expected"};
}

/// Nobody can be answered from a past that is still to come.
void check_past(const Step& step) {
  const PastMoment* moment = nullptr;
  if (const auto* reads = step.as<StaleReads>()) moment = &reads->as_of;
  if (const auto* replay = step.as<Replay>()) moment = &replay->as_of;
  if (moment == nullptr || !moment->at || *moment->at <= step.from) return;
  throw Malformed{
      step.line, "as_of " + go_duration(*moment->at) + " found, a moment before the step expected"};
}

/// The time at which a lasting step ends stands beside it, or, of a held cache, within it.
std::optional<Duration> end_of(Fields& fields) {
  const auto own = fields.duration("until");
  const Yaml& until = fields.find("cache")["until"];
  if (!own && until.is_defined()) return duration_of(until);
  return own;
}

/// A lasting step that ends when it begins would be taken for one without an end.
void check_lasts(const Step& step) {
  if (!lasts(step.action) || step.until > step.from) return;
  throw Malformed{step.line, "until " + go_duration(step.until) +
                                 " found, later than the step's beginning expected, or none"};
}

/// Between two passes, the first of which decided and the second of which would write: ours decides
/// and writes in one, so the change falls just before that write.
void fall_between(Step& step) {
  RequestFilter write{.resources = {"nodes"}, .writes_only = true};
  if (const auto* apply = step.as<Apply>()) {
    for (const nlohmann::json& object : apply->objects) {
      write.names.push_back(object.at("metadata").value("name", ""));
    }
  } else if (const auto* patch = step.as<MergePatch>()) {
    write.names.push_back(patch->object.name);
  }
  step.before_request = std::move(write);
  step.times = 1;
}

void expect_verb(const std::string& verb, const Fields& fields) {
  constexpr std::array<std::string_view, 8> verbs{"GET",   "LIST", "WATCH",  "PUT",
                                                  "PATCH", "POST", "DELETE", "*"};
  if (verb.empty() || std::ranges::find(verbs, verb) != verbs.end()) return;
  fields.refuse("the verb " + verb, "GET, LIST, WATCH, PUT, PATCH, POST, DELETE or '*'");
}

/// Of one of the resources that are meant.
void expect_subresource(const RequestFilter& filter, const Fields& fields) {
  const std::string& name = filter.subresource;
  const auto has_it = [&](const Resource& each) {
    const bool meant = filter.resources.empty() || std::ranges::count(filter.resources, "*") > 0 ||
                       std::ranges::count(filter.resources, each.plural) > 0;
    return meant && find_subresource(each, name) != nullptr;
  };
  if (name.empty() || name == "*" || std::ranges::any_of(resources(), has_it)) return;
  fields.refuse("the subresource " + name, "one that the resource has, or '*'");
}

}  // namespace

void expect_plural(const std::string& resource, const Fields& fields) {
  const bool known = std::ranges::any_of(
      resources(), [&](const Resource& each) { return each.plural == resource; });
  if (!known) fields.refuse("the resource " + resource, "a plural such as nodes");
}

ObjectName object_name_of(Fields& fields) {
  ObjectName object;
  object.kind = fields.need_text("kind");
  object.namespace_name = fields.text("namespace");
  const bool has_namespace = need_kind(object.kind, fields).namespaced;
  if (object.namespace_name.empty() && has_namespace) {
    object.namespace_name = object.kind == "Lease" ? "kube-node-lease" : "default";
  }
  const Yaml& name = fields.need("name");
  if (!name.is_map()) {
    object.name = scalar_text(name, "a name");
    refuse_no_name(object.name, fields);
    return object;
  }
  Fields choice(name, "a name", fields.problems());
  object.one_of_untainted = choice.texts("one_of_untainted");
  choice.finish();
  return object;
}

RequestFilter request_filter_of(Fields& fields) {
  RequestFilter filter{.verb = fields.text("verb"),
                       .resources = fields.texts("resource"),
                       .subresource = fields.text("subresource"),
                       .namespace_name = fields.text("namespace")};
  expect_verb(filter.verb, fields);
  for (const std::string& resource : filter.resources) {
    if (resource != "*") expect_plural(resource, fields);
  }
  expect_subresource(filter, fields);
  const Yaml& name = fields.find("name");
  if (name.is_defined() && name.is_map()) {
    Fields choice(name, "a name", fields.problems());
    filter.deleted_one = choice.truth("deleted_one").value_or(false);
    choice.finish();
  } else {
    filter.names = fields.texts("name");
  }
  filter.writes_only =
      fields.choice<bool>("verb_class", "the verb_class ", {{"write", true}}).value_or(false);
  filter.streams_list = fields.truth("streams_list");
  filter.continued = fields.truth("continued");
  filter.from_cache = fields.truth("from_cache");
  filter.replica = fields.given_text("replica");
  return filter;
}

Step step_of(const Yaml& node, Problems& problems) {
  Fields fields(node, "a step", problems);
  Step step;
  step.line = fields.line();
  step.text = flow_text(node);
  const Yaml& at = fields.find("at");
  step.from = duration_of(at.is_defined() && !fields.has("from") ? at : fields.need("from"));
  const std::optional<Duration> end = end_of(fields);
  step.until = end.value_or(step.from);
  check_span(step);
  step.every = fields.duration("every");
  if (step.every && *step.every <= Duration{0}) {
    fields.refuse("every " + fields.text("every"), "more than 0");
  }
  if (fields.has("when")) step.when = fact_of(fields.find("when"));
  const Yaml& before = fields.find("before_request");
  if (before.is_defined()) {
    Fields request(before, "a before_request", problems);
    step.before_request = request_filter_of(request);
    request.finish();
    step.times = fields.count("times");
  }
  step.action = action_of(fields);
  if (end) check_lasts(step);
  check_chance(step);
  check_past(step);
  if (fields.has("between")) fall_between(step);
  const std::size_t known = fields.problems().found.size();
  fields.finish();
  check_action(step, fields, known);
  return step;
}

}  // namespace nlc::sim::scenario

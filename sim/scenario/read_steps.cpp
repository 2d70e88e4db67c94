#include "sim/scenario/read_steps.h"

#include <array>

#include "runtime/go_duration.h"
#include "sim/faults.h"
#include "sim/resource.h"
#include "sim/scenario/chance.h"
#include "sim/scenario/manifest.h"
#include "sim/scenario/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

bool has_namespace(const std::string& kind) {
  for (const Resource& resource : resources()) {
    if (resource.kind == kind) return resource.namespaced;
  }
  return true;
}

ObjectName object_of(Fields& fields) {
  ObjectName object;
  object.kind = fields.need_text("kind");
  object.namespace_name = fields.text("namespace");
  if (object.namespace_name.empty() && has_namespace(object.kind)) {
    object.namespace_name = object.kind == "Lease" ? "kube-node-lease" : "default";
  }
  const YAML::Node name = fields.need("name");
  if (!name.IsMap()) {
    object.name = scalar_text(name, "a name");
    return object;
  }
  Fields choice(name, "a name", fields.problems());
  object.one_of_untainted = choice.texts("one_of_untainted");
  choice.finish();
  return object;
}

Action read_apply(const YAML::Node& node, Problems&) {
  Apply apply;
  for (const YAML::Node& object : each_of(node)) apply.objects.push_back(manifest_of(object));
  return apply;
}

Action read_patch(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a patch", problems);
  MergePatch patch{.object = object_of(fields), .merge = value_of(fields.need("merge"))};
  fields.finish();
  return patch;
}

Action read_apply_patch(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "an apply_patch", problems);
  ApplyPatch patch{.object = object_of(fields), .add_taints = fields.taints("add_taint")};
  fields.finish();
  return patch;
}

Action read_delete(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a delete", problems);
  Delete deletion{.object = object_of(fields), .grace_seconds = fields.whole("gracePeriodSeconds")};
  fields.finish();
  return deletion;
}

Chance chance_in(Fields& fields) {
  return {.loss = fields.share("loss").value_or(0),
          .jitter = fields.duration("jitter").value_or(Duration{0})};
}

Action read_heartbeat(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a heartbeat", problems);
  Heartbeat heartbeat{.nodes = fields.texts("node"),
                      .ready = fields.text("ready"),
                      .clock_offset = fields.duration("clock_offset").value_or(Duration{0}),
                      .only_changes = fields.truth("only_changes").value_or(false),
                      .chance = chance_in(fields)};
  if (heartbeat.ready->empty() || *heartbeat.ready == "keep") heartbeat.ready.reset();
  if (heartbeat.only_changes && !heartbeat.ready) {
    throw Malformed{fields.line(),
                    "only_changes without ready found, a status to compare expected"};
  }
  fields.need("node");
  fields.finish();
  return heartbeat;
}

Action read_renew_lease(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a renew_lease", problems);
  RenewLease renewal{.nodes = fields.texts("node"),
                     .namespace_name = fields.text("namespace"),
                     .clock_offset = fields.duration("clock_offset").value_or(Duration{0}),
                     .step = fields.duration("step"),
                     .chance = chance_in(fields)};
  if (renewal.namespace_name.empty()) renewal.namespace_name = "kube-node-lease";
  fields.need("node");
  fields.finish();
  return renewal;
}

client::Response response_of(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a respond", problems);
  const long long code = fields.whole("code").value_or(500);
  const std::string message = fields.text("message");
  client::Response response = status_answer(
      static_cast<int>(code), fields.text("reason"),
      message.empty() ? "made to fail by the scenario" : message, fields.duration("retry_after"));
  fields.finish();
  return response;
}

Action read_fail_api(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a fail_api", problems);
  FailApi failure{.requests = request_filter_of(fields), .times = fields.whole("times")};
  failure.applied = fields.truth("applied").value_or(false);
  const std::string scope = fields.text("scope");
  if (!scope.empty() && scope != "writes") {
    throw Malformed{fields.line(), "the scope " + scope + " found, writes expected"};
  }
  failure.requests.writes_only = failure.requests.writes_only || scope == "writes";
  if (const std::optional<Duration> delay = fields.duration("delay")) {
    failure.deed = FailApi::Deed::Delay;
    failure.delay = *delay;
  } else if (const YAML::Node respond = fields.need("respond"); respond.IsMap()) {
    failure.respond = response_of(respond, problems);
  } else if (respond.IsScalar() && (respond.Scalar() == "drop" || respond.Scalar() == "hang")) {
    failure.deed = respond.Scalar() == "drop" ? FailApi::Deed::Drop : FailApi::Deed::Hang;
  } else {
    throw Malformed{line_of(respond),
                    flow_text(respond) + " found, {code, reason}, drop or hang expected"};
  }
  fields.finish();
  return failure;
}

/// "nodes", "nodes/node0", "pods/default/p"; a pod without a namespace is in the default one.
Action read_cache(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a cache", problems);
  HoldCache hold;
  const std::string held = fields.need_text("hold");
  hold.resource = held.substr(0, held.find('/'));
  if (held.size() > hold.resource.size()) hold.key = held.substr(hold.resource.size() + 1);
  if (!hold.key.empty() && hold.key.find('/') == std::string::npos) {
    if (hold.resource == "pods") hold.key.insert(0, "default/");
    if (hold.resource == "leases") hold.key.insert(0, "kube-node-lease/");
  }
  fields.find("until");
  fields.finish();
  return hold;
}

Action read_pause(const YAML::Node&, Problems&) { return PauseApi{}; }

Action read_remark(const YAML::Node& node, Problems&) { return Remark{flow_text(node)}; }

/// "standby, lease held by somebody else until 300s", "standby, lease expires at 15s".
std::optional<Duration> held_until(Fields& fields) {
  const YAML::Node as = fields.find("as");
  if (!as.IsDefined()) return std::nullopt;
  const std::string text = scalar_text(as, "\"standby, lease … until DURATION\"");
  const std::size_t last = text.find_last_of(' ');
  if (!text.starts_with("standby") || last == std::string::npos) {
    throw Malformed{line_of(as), text + " found, \"standby, lease … until DURATION\" expected"};
  }
  return duration_of(YAML::Node(text.substr(last + 1)));
}

void expect_controller(const YAML::Node& node) {
  if (!node.IsScalar() || node.Scalar() != "controller") {
    throw Malformed{line_of(node), flow_text(node) + " found, controller expected"};
  }
}

Action read_start(Fields& fields) {
  expect_controller(fields.need("start"));
  return StartController{.held_until = held_until(fields)};
}

Action read_restart(Fields& fields) {
  expect_controller(fields.need("restart"));
  return RestartController{.down = fields.duration("down").value_or(std::chrono::seconds(1))};
}

struct ActionKind {
  const char* key;
  Action (*read)(const YAML::Node&, Problems&);
};
constexpr std::array<ActionKind, 10> action_kinds{{{"apply", read_apply},
                                                   {"patch", read_patch},
                                                   {"apply_patch", read_apply_patch},
                                                   {"delete", read_delete},
                                                   {"heartbeat", read_heartbeat},
                                                   {"renew_lease", read_renew_lease},
                                                   {"fail_api", read_fail_api},
                                                   {"cache", read_cache},
                                                   {"pause_api", read_pause},
                                                   {"fail_internal", read_remark}}};

Action action_of(Fields& fields) {
  if (fields.has("start")) return read_start(fields);
  if (fields.has("restart")) return read_restart(fields);
  for (const auto& [key, read] : action_kinds) {
    if (fields.has(key)) return read(fields.find(key), fields.problems());
  }
  return Remark{fields.text("note")};
}

/// Beats come by chance at a time of their own, so nothing else can say when.
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

/// The time at which a lasting step ends stands beside it, or, of a held cache, within it.
Duration end_of(Fields& fields, Duration from) {
  const auto own = fields.duration("until");
  if (own) return *own;
  const YAML::Node cache = fields.find("cache");
  if (cache.IsDefined() && cache.IsMap() && cache["until"]) return duration_of(cache["until"]);
  return from;
}

/// Between two passes, the first of which decided and the second of which would write: ours decides
/// and writes in one, so the change falls just before that write.
void fall_between(Step& step) {
  RequestFilter write{.resources = {"nodes"}, .writes_only = true};
  if (const auto* apply = std::get_if<Apply>(&step.action)) {
    for (const nlohmann::json& object : apply->objects) {
      write.names.push_back(object.at("metadata").value("name", ""));
    }
  } else if (const auto* patch = std::get_if<MergePatch>(&step.action)) {
    write.names.push_back(patch->object.name);
  }
  step.before_request = std::move(write);
  step.times = 1;
}

}  // namespace

RequestFilter request_filter_of(Fields& fields) {
  RequestFilter filter{.verb = fields.text("verb"),
                       .resources = fields.texts("resource"),
                       .subresource = fields.text("subresource"),
                       .namespace_name = fields.text("namespace")};
  const YAML::Node name = fields.find("name");
  if (name.IsDefined() && name.IsMap()) {
    Fields choice(name, "a name", fields.problems());
    filter.deleted_one = choice.truth("deleted_one").value_or(false);
    choice.finish();
  } else {
    filter.names = fields.texts("name");
  }
  const std::string verb_class = fields.text("verb_class");
  if (!verb_class.empty() && verb_class != "write") {
    throw Malformed{fields.line(), "the verb_class " + verb_class + " found, write expected"};
  }
  filter.writes_only = verb_class == "write";
  return filter;
}

Step step_of(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a step", problems);
  Step step;
  step.line = fields.line();
  step.text = flow_text(node);
  const YAML::Node at = fields.find("at");
  step.from = duration_of(at.IsDefined() ? at : fields.need("from"));
  if (fields.has("from")) step.from = *fields.duration("from");
  step.until = end_of(fields, step.from);
  step.every = fields.duration("every");
  if (step.every && *step.every <= Duration{0}) {
    throw Malformed{step.line, "every " + fields.text("every") + " found, more than 0 expected"};
  }
  if (fields.has("when")) step.when = fact_of(fields.find("when"));
  const YAML::Node before = fields.find("before_request");
  if (before.IsDefined()) {
    Fields request(before, "a before_request", problems);
    step.before_request = request_filter_of(request);
    request.finish();
    step.times = fields.whole("times");
  }
  step.action = action_of(fields);
  check_chance(step);
  if (fields.has("between")) fall_between(step);
  fields.finish();
  return step;
}

}  // namespace nlc::sim::scenario

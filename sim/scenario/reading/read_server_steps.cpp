#include <algorithm>
#include <array>

#include "sim/apiserver/faults.h"
#include "sim/apiserver/types/resource.h"
#include "sim/scenario/reading/read_actions.h"
#include "sim/scenario/reading/read_steps.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

struct Refusal {
  long long code;
  const char* reason;
  const char* message;
};

/// `{code, reason, message, retry_after}`; `body` is sent instead of a Status, empty or not.
client::Response response_of(const YAML::Node& node, Problems& problems, const Refusal& usual) {
  Fields fields(node, "a respond", problems);
  const long long code = fields.whole("code").value_or(usual.code);
  if (code < 100 || code > 599) {
    throw Malformed{fields.line(),
                    "code " + std::to_string(code) + " found, from 100 to 599 expected"};
  }
  const bool own = fields.has("code") || fields.has("reason");
  const std::string reason = own ? fields.text("reason") : usual.reason;
  const std::string message = fields.has("message") ? fields.text("message") : usual.message;
  client::Response response =
      status_answer(static_cast<int>(code), reason, message, fields.span("retry_after"));
  if (fields.has("body")) response.body = fields.text("body");
  fields.finish();
  return response;
}

constexpr Refusal made_to_fail{500, "", "made to fail by the scenario"};
constexpr Refusal not_admitted{403, "Forbidden", "denied by the scenario's admission webhook"};
/// What kube-apiserver answers when etcd has reached its quota.
constexpr Refusal no_space{500, "InternalError", "etcdserver: mvcc: database space exceeded"};

Action read_fail_api(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a fail_api", problems);
  FailApi failure{.requests = request_filter_of(fields), .times = fields.count("times")};
  failure.applied = fields.truth("applied").value_or(false);
  const std::string scope = fields.text("scope");
  if (!scope.empty() && scope != "writes") {
    throw Malformed{fields.line(), "the scope " + scope + " found, writes expected"};
  }
  failure.requests.writes_only = failure.requests.writes_only || scope == "writes";
  if (const std::optional<Duration> delay = fields.span("delay")) {
    failure.action = FailApi::Action::Delay;
    failure.delay = *delay;
  } else if (const YAML::Node respond = fields.need("respond"); respond.IsMap()) {
    failure.respond = response_of(respond, problems, made_to_fail);
  } else if (respond.IsScalar() && (respond.Scalar() == "drop" || respond.Scalar() == "hang")) {
    failure.action = respond.Scalar() == "drop" ? FailApi::Action::Drop : FailApi::Action::Hang;
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
  expect_plural(hold.resource, fields);
  if (held.size() > hold.resource.size()) hold.key = held.substr(hold.resource.size() + 1);
  if (!hold.key.empty() && hold.key.find('/') == std::string::npos) {
    if (hold.resource == "pods") hold.key.insert(0, "default/");
    if (hold.resource == "leases") hold.key.insert(0, "kube-node-lease/");
  }
  fields.find("until");
  fields.finish();
  return hold;
}

/// Of a step that has nothing to say: `{}`.
template <typename Kind>
Action read_plain(const YAML::Node& node, Problems& problems) {
  if (!node.IsNull()) Fields(node, "such a step", problems).finish();
  return Kind{};
}

Action read_restore(const YAML::Node& node, Problems& problems) {
  if (node.IsNull()) return Restore{};
  Fields fields(node, "a restore", problems);
  const Restore restore{.bump_revision = fields.truth("bump_revision").value_or(false),
                        .down = fields.span("down").value_or(Duration{0})};
  fields.finish();
  return restore;
}

Action read_read_only(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a read_only", problems);
  Admission admission{.requests = {.writes_only = true}, .of_anybody = true};
  const YAML::Node respond = fields.find("respond");
  admission.refusal =
      response_of(respond.IsDefined() ? respond : YAML::Load("{}"), problems, no_space);
  fields.finish();
  return admission;
}

Mutation mutation_of(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a mutate", problems);
  const Mutation mutation{.merge = value_of(fields.find("merge")),
                          .remove_taints = fields.taints("remove_taint"),
                          .remove_labels = fields.texts("remove_label"),
                          .keep = fields.texts("keep")};
  fields.finish();
  if (node.size() == 0) {
    throw Malformed{line_of(node), "{} found, merge, remove_taint, remove_label or keep expected"};
  }
  return mutation;
}

/// Exactly one of mutate, refuse, hang and delay.
void read_deed(Fields& fields, Admission& admission) {
  using Action = Admission::Action;
  int actions = 0;
  if (const YAML::Node mutate = fields.find("mutate"); mutate.IsDefined()) {
    ++actions;
    admission.action = Action::Mutate;
    admission.mutation = mutation_of(mutate, fields.problems());
  }
  if (const YAML::Node refuse = fields.find("refuse"); refuse.IsDefined()) {
    ++actions;
    admission.action = Action::Refuse;
    admission.refusal = response_of(refuse, fields.problems(), not_admitted);
  }
  if (const YAML::Node hang = fields.find("hang"); hang.IsDefined()) {
    ++actions;
    admission.action = Action::Hang;
    if (!hang.IsNull() && fields.truth("hang") != true) --actions;
  }
  if (const std::optional<Duration> delay = fields.span("delay")) {
    ++actions;
    admission.action = Action::Delay;
    admission.delay = *delay;
  }
  if (actions == 1) return;
  throw Malformed{fields.line(), flow_text(fields.node()) +
                                     " found, exactly one of mutate, refuse, hang: true and delay "
                                     "expected"};
}

/// A webhook is about a resource itself or about a named subresource, never about both by chance.
Action read_admission(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "an admission", problems);
  fields.need("resource");
  Admission admission{.requests = request_filter_of(fields), .times = fields.count("times")};
  admission.requests.writes_only = true;
  admission.requests.resource_itself = admission.requests.subresource.empty();
  const std::string by = fields.text("by");
  if (!by.empty() && by != "controller" && by != "anybody") {
    throw Malformed{fields.line(), "by: " + by + " found, controller or anybody expected"};
  }
  admission.of_anybody = by == "anybody";
  read_deed(fields, admission);
  if (admission.requests.replica &&
      (admission.of_anybody || admission.action == Admission::Action::Mutate)) {
    throw Malformed{fields.line(),
                    "replica beside mutate or by: anybody found, no replica expected"};
  }
  fields.finish();
  return admission;
}

/// "backup", or an offset.
PastMoment past_in(Fields& fields) {
  const YAML::Node as_of = fields.need("as_of");
  if (as_of.IsScalar() && as_of.Scalar() == "backup") return {};
  return {.at = duration_of(as_of)};
}

Action read_stale_reads(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a stale_reads", problems);
  fields.need("resource");
  StaleReads reads{.requests = request_filter_of(fields),
                   .as_of = past_in(fields),
                   .alternating = fields.truth("alternating").value_or(false),
                   .times = fields.count("times")};
  fields.finish();
  return reads;
}

Action read_server_clock(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a server_clock", problems);
  const ServerClockOff off{.offset = duration_of(fields.need("offset"))};
  fields.finish();
  return off;
}

Action read_end_watches(const YAML::Node& node, Problems& problems) {
  using How = EndWatches::How;
  struct Word {
    const char* name;
    How how;
  };
  constexpr std::array<Word, 3> words{
      {{"closed", How::Closed}, {"cut", How::Cut}, {"expired", How::Expired}}};
  Fields fields(node, "an end_watches", problems);
  EndWatches end{.resource = fields.text("resource")};
  if (!end.resource.empty()) expect_plural(end.resource, fields);
  const std::string how = fields.has("how") ? fields.text("how") : "closed";
  const auto* word = std::ranges::find(words, how, &Word::name);
  if (word == words.end()) {
    throw Malformed{fields.line(), "how: " + how + " found, closed, cut or expired expected"};
  }
  end.how = word->how;
  fields.finish();
  return end;
}

Action read_replay(const YAML::Node& node, Problems& problems) {
  Fields fields(node, "a replay", problems);
  Replay replay{.object = object_name_of(fields), .as_of = past_in(fields)};
  fields.finish();
  return replay;
}

constexpr std::array<ActionKind, 11> server_kinds{{{"fail_api", read_fail_api},
                                                   {"cache", read_cache},
                                                   {"pause_api", read_plain<PauseApi>},
                                                   {"backup", read_plain<Backup>},
                                                   {"restore", read_restore},
                                                   {"read_only", read_read_only},
                                                   {"admission", read_admission},
                                                   {"stale_reads", read_stale_reads},
                                                   {"server_clock", read_server_clock},
                                                   {"end_watches", read_end_watches},
                                                   {"replay", read_replay}}};

}  // namespace

std::span<const ActionKind> server_actions() { return server_kinds; }

}  // namespace nlc::sim::scenario

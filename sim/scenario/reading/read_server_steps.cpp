#include <array>

#include "sim/apiserver/faults.h"
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
client::Response response_of(const Yaml& node, Problems& problems, const Refusal& usual) {
  Fields fields(node, "a respond", problems);
  const long long code = fields.whole("code").value_or(usual.code);
  if (code < 100 || code > 599) {
    fields.refuse("code " + std::to_string(code), "from 100 to 599");
  }
  const bool own = fields.has("code") || fields.has("reason");
  const std::string reason = own ? fields.text("reason") : usual.reason;
  const std::string message = fields.given_text("message").value_or(usual.message);
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

/// What becomes of an answer that does not come, or not whole.
std::optional<FailApi::Action> lost_by(const Yaml& respond) {
  if (!respond.is_text()) return std::nullopt;
  if (respond.text == "drop") return FailApi::Action::Drop;
  if (respond.text == "hang") return FailApi::Action::Hang;
  if (respond.text == "torn") return FailApi::Action::Tear;
  return std::nullopt;
}

Action read_fail_api(Fields& fields) {
  FailApi failure{.requests = request_filter_of(fields), .times = fields.count("times")};
  failure.applied = fields.truth("applied").value_or(false);
  failure.share = fields.share("share").value_or(1);
  if (fields.choice<bool>("scope", "the scope ", {{"writes", true}})) {
    failure.requests.writes_only = true;
  }
  if (const std::optional<Duration> delay = fields.span("delay")) {
    failure.action = FailApi::Action::Delay;
    failure.delay = *delay;
  } else if (const Yaml& respond = fields.need("respond"); respond.is_map()) {
    failure.respond = response_of(respond, fields.problems(), made_to_fail);
  } else if (const std::optional<FailApi::Action> lost = lost_by(respond)) {
    failure.action = *lost;
  } else {
    refuse(respond, "{code, reason}, drop, hang or torn");
  }
  return failure;
}

/// "nodes", "nodes/node0", "pods/default/p"; a pod without a namespace is in the default one.
Action read_cache(Fields& fields) {
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
  return hold;
}

/// Of a step that has nothing to say: `{}`.
template <typename Kind>
Action read_plain(Fields&) {
  return Kind{};
}

Action read_restore(Fields& fields) {
  return Restore{.bump_revision = fields.truth("bump_revision").value_or(false),
                 .down = fields.span("down").value_or(Duration{0})};
}

Action read_read_only(Fields& fields) {
  Admission admission{.requests = {.writes_only = true}, .of_anybody = true};
  admission.refusal = response_of(fields.find("respond"), fields.problems(), no_space);
  return admission;
}

Mutation mutation_of(const Yaml& node, Problems& problems) {
  Fields fields(node, "a mutate", problems);
  const Mutation mutation{.merge = json_of(fields.find("merge")),
                          .remove_taints = fields.taints("remove_taint"),
                          .remove_labels = fields.texts("remove_label"),
                          .keep = fields.texts("keep")};
  fields.finish();
  if (node.map.empty()) refuse(node, "merge, remove_taint, remove_label or keep");
  return mutation;
}

/// Exactly one of mutate, refuse, hang and delay.
void read_admission_action(Fields& fields, Admission& admission) {
  using Action = Admission::Action;
  int actions = 0;
  if (const Yaml& mutate = fields.find("mutate"); mutate.is_defined()) {
    ++actions;
    admission.action = Action::Mutate;
    admission.mutation = mutation_of(mutate, fields.problems());
  }
  if (const Yaml& refuse = fields.find("refuse"); refuse.is_defined()) {
    ++actions;
    admission.action = Action::Refuse;
    admission.refusal = response_of(refuse, fields.problems(), not_admitted);
  }
  if (const Yaml& hang = fields.find("hang"); hang.is_defined()) {
    ++actions;
    admission.action = Action::Hang;
    if (!hang.is_null() && fields.truth("hang") != true) --actions;
  }
  if (const std::optional<Duration> delay = fields.span("delay")) {
    ++actions;
    admission.action = Action::Delay;
    admission.delay = *delay;
  }
  if (actions != 1) {
    refuse(fields.node(), "exactly one of mutate, refuse, hang: true and delay");
  }
}

/// A webhook is about a resource itself or about a named subresource, never about both by chance.
Action read_admission(Fields& fields) {
  fields.need("resource");
  Admission admission{.requests = request_filter_of(fields), .times = fields.count("times")};
  admission.requests.writes_only = true;
  admission.requests.resource_itself = admission.requests.subresource.empty();
  const auto of_anybody =
      fields.choice<bool>("by", "by: ", {{"controller", false}, {"anybody", true}});
  admission.of_anybody = of_anybody.value_or(false);
  read_admission_action(fields, admission);
  if (admission.requests.replica &&
      (admission.of_anybody || admission.action == Admission::Action::Mutate)) {
    fields.refuse("replica beside mutate or by: anybody", "no replica");
  }
  return admission;
}

/// "backup", or an offset.
PastMoment past_in(Fields& fields) {
  const Yaml& as_of = fields.need("as_of");
  if (as_of.is_text() && as_of.text == "backup") return {};
  return {.at = duration_of(as_of)};
}

Action read_stale_reads(Fields& fields) {
  fields.need("resource");
  return StaleReads{.requests = request_filter_of(fields),
                    .as_of = past_in(fields),
                    .alternating = fields.truth("alternating").value_or(false),
                    .times = fields.count("times")};
}

Action read_server_clock(Fields& fields) {
  return ServerClockOff{.offset = duration_of(fields.need("offset"))};
}

Action read_end_watches(Fields& fields) {
  using How = EndWatches::How;
  EndWatches end{.resource = fields.text("resource")};
  if (!end.resource.empty()) expect_plural(end.resource, fields);
  const auto how = fields.choice<How>(
      "how", "how: ", {{"closed", How::Closed}, {"cut", How::Cut}, {"expired", How::Expired}});
  end.how = how.value_or(How::Closed);
  return end;
}

std::size_t needed_count(Fields& fields, const std::string& key) {
  fields.need(key);
  return static_cast<std::size_t>(fields.count(key).value_or(1));
}

Action read_short_history(Fields& fields) {
  return ShortHistory{.events = needed_count(fields, "events")};
}

Action read_small_pages(Fields& fields) {
  return SmallPages{.objects = needed_count(fields, "objects")};
}

Action read_replay(Fields& fields) {
  return Replay{.object = object_name_of(fields),
                .as_of = past_in(fields),
                .as_new = fields.truth("as_new").value_or(false)};
}

constexpr std::array<ActionKind, 14> server_kinds{
    {{"fail_api", "a fail_api", read_fail_api},
     {"cache", "a cache", read_cache},
     {"pause_api", "such a step", read_plain<PauseApi>, true},
     {"backup", "such a step", read_plain<Backup>, true},
     {"restore", "a restore", read_restore, true},
     {"read_only", "a read_only", read_read_only},
     {"admission", "an admission", read_admission},
     {"stale_reads", "a stale_reads", read_stale_reads},
     {"server_clock", "a server_clock", read_server_clock},
     {"end_watches", "an end_watches", read_end_watches},
     {"short_history", "a short_history", read_short_history},
     {"small_pages", "a small_pages", read_small_pages},
     {"speak_protobuf", "such a step", read_plain<SpeakProtobuf>, true},
     {"replay", "a replay", read_replay}}};

}  // namespace

std::span<const ActionKind> server_actions() { return server_kinds; }

}  // namespace nlc::sim::scenario

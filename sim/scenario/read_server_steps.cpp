#include <array>

#include "sim/faults.h"
#include "sim/scenario/read_actions.h"
#include "sim/scenario/read_steps.h"
#include "sim/scenario/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

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

constexpr std::array<ActionKind, 3> kinds{
    {{"fail_api", read_fail_api}, {"cache", read_cache}, {"pause_api", read_pause}}};

}  // namespace

std::span<const ActionKind> server_actions() { return kinds; }

}  // namespace nlc::sim::scenario

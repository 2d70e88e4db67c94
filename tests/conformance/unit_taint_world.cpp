#include "tests/conformance/unit_taint_world.h"

#include <nlohmann/json.hpp>

#include "api/decode.h"
#include "runtime/log.h"
#include "sim/apiserver/api_server.h"
#include "sim/scenario/stage/process.h"
#include "sim/virtual_time.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

using namespace sim;
using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr const char* long_ago = "2019-01-01T00:00:00Z";

Json json_of(const api::NodeCondition& condition) {
  return {{"type", condition.type},
          {"status", std::string(api::name_of(condition.status))},
          {"reason", condition.reason},
          {"lastHeartbeatTime", long_ago},
          {"lastTransitionTime", long_ago}};
}

Json json_of(const api::Taint& taint) {
  Json json{{"key", taint.key}, {"effect", taint.effect}};
  if (!taint.value.empty()) json["value"] = taint.value;
  return json;
}

Json json_of(const api::Node& node) {
  Json json{{"apiVersion", "v1"},
            {"kind", "Node"},
            {"metadata", {{"name", node.name}, {"creationTimestamp", long_ago}}},
            {"spec", Json::object()},
            {"status", {{"conditions", Json::array()}}}};
  for (const auto& condition : node.conditions) {
    json["status"]["conditions"].push_back(json_of(condition));
  }
  for (const api::Taint& taint : node.taints) json["spec"]["taints"].push_back(json_of(taint));
  return json;
}

api::Node healthy_node() {
  return {.name = "healthy",
          .conditions = {
              {.type = std::string(api::condition::ready), .status = api::ConditionStatus::True}}};
}

RequestPattern patch_of(const std::string& node) {
  return {.verb = "patch", .resource = "nodes", .name = node};
}

client::Response refusal(int code) {
  return status_answer(code, code == 409 ? "Conflict" : "InternalError", "as the case says");
}

}  // namespace

TaintWrites let_repair(const api::Node& node, const std::vector<int>& answers) {
  TaintWrites writes;
  VirtualTime time(unit_wall_start);
  ApiServer server(time, time, {.observe = [&](const ServedRequest& request) {
                     const RequestInfo& info = request.info;
                     if (info.resource != "nodes" || info.name != node.name) return;
                     if (info.verb == "get") writes.requests.emplace_back("GET");
                     if (info.verb == "patch") writes.requests.emplace_back("PATCH");
                   }});
  server.load(json_of(healthy_node()));
  const ObjectRef stored = server.load(json_of(node));
  for (const int code : answers) {
    server.faults().add(FaultRule::answering(patch_of(node.name), refusal(code)).at_most(1));
  }
  program::Flags flags;
  flags.leader_elect.enabled = false;
  flags.loop.policy.monitor_grace = 1h;  // nobody renews leases here
  SilentLog log;
  {
    const scenario::Process process(
        {.clock = time, .executor = time, .endpoint = server, .log = log, .identity = {}}, flags,
        1);
    time.run_for(1min);
  }
  const ObjectRef left = server.storage().find(core_resource("nodes"), node.name);
  if (const Result<api::Node> end = api::Decoder<api::Node>().object(left->bytes)) {
    writes.taints = end->taints;
  }
  return writes;
}

}  // namespace nlc::conformance

#include "controller/nodes/heartbeat.h"
#include "controller/rules/conditions.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;
using namespace std::chrono_literals;

constexpr controller::AvailableTime now{24h * 365 * 2};
constexpr WallTime wall{std::chrono::sys_days{std::chrono::year{2020} / 1 / 1}};

api::ConditionStatus status_of(const std::string& text) {
  for (const auto status :
       {api::ConditionStatus::True, api::ConditionStatus::False, api::ConditionStatus::Unknown}) {
    if (api::name_of(status) == text) return status;
  }
  throw Unanswerable{"no such status of a condition: " + text};
}

Duration age_of(const std::string& text) {
  if (text == "fresh") return 0s;
  if (text == "one year old") return 24h * 365;
  return duration_in(text);
}

Json ready_of(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (ready == nullptr) return nullptr;
  return std::string(api::name_of(ready->status));
}

void write(api::Node& node, const std::vector<api::NodeCondition>& conditions) {
  for (const api::NodeCondition& written : conditions) {
    std::erase_if(node.conditions,
                  [&](const api::NodeCondition& had) { return had.type == written.type; });
    node.conditions.push_back(written);
  }
}

controller::HeartbeatMemory memory_of(const controller::Heartbeats& seen, Duration age) {
  if (!seen.has_ready) return controller::first_memory(seen, now, age);
  return {.last = seen, .last_moved = now - age};
}

}  // namespace

/// What is remembered of a node's Ready is the node as the server acknowledged it.
Json health_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const std::string ready = input.text("ready");
  const Duration age = age_of(input.text("creation_heartbeat_and_probe"));
  controller::Policy policy;
  if (input.has("grace")) policy.monitor_grace = duration_in(input.text("grace"));
  if (input.has("startup_grace")) policy.startup_grace = duration_in(input.text("startup_grace"));
  input.finish();

  const WallTime then = wall - std::chrono::floor<WallTime::duration>(age);
  api::Node node{.name = "node", .created = then};
  if (!ready.empty()) {
    node.conditions.push_back({.type = std::string(api::condition::ready),
                               .status = status_of(ready),
                               .last_heartbeat = then,
                               .last_transition = then});
  }
  const auto memory = memory_of(controller::heartbeats_of(node, nullptr), age);
  if (now > controller::grace_end(memory, policy)) {
    write(node, controller::silent_conditions(node, wall));
  }
  return {{"returned_ready", ready_of(node)}, {"remembered_ready", ready_of(node)}};
}

}  // namespace nlc::conformance

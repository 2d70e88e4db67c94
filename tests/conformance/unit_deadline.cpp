#include "controller/pods/taint_eviction.h"
#include "controller/rules/tolerations.h"
#include "informer/index.h"
#include "informer/store.h"
#include "runtime/go_duration.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_words.h"
#include "tests/controller/stores.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;

controller::SeenTaint seen(std::string key, std::string_view effect = api::effect::no_execute) {
  return {.taint = {.key = std::move(key), .effect = std::string(effect)}, .since = unit_start};
}

api::Toleration toleration_of(const Json& value) {
  UnitInput fields(value);
  api::Toleration toleration{.key = fields.text("key"),
                             .operator_ = fields.text("operator"),
                             .value = fields.text("value"),
                             .effect = fields.text("effect")};
  if (fields.has("tolerationSeconds")) {
    toleration.seconds = static_cast<std::int64_t>(fields.number("tolerationSeconds"));
  }
  fields.finish();
  return toleration;
}

std::string deadline_text(std::optional<Instant> deadline) {
  if (!deadline) return "infinite";
  return *deadline <= unit_start ? "0" : go_duration(*deadline - unit_start);
}

/// One taint for each used toleration, which tolerates that one only; no toleration leaves a taint
/// that nobody tolerates.
Json deadline_with(const Json& seconds) {
  std::vector<api::Toleration> tolerations;
  std::vector<controller::SeenTaint> taints;
  for (const Json& each : seconds) {
    taints.push_back(seen("taint-" + std::to_string(taints.size())));
    api::Toleration toleration{.key = taints.back().taint.key, .operator_ = "Exists"};
    if (!each.is_null()) toleration.seconds = static_cast<std::int64_t>(number_in(text_of(each)));
    tolerations.push_back(std::move(toleration));
  }
  if (taints.empty()) taints.push_back(seen("taint"));
  return deadline_text(controller::eviction_deadline(tolerations, taints, Instant::min()));
}

/// Whether a pod that tolerates nothing has to leave a node with this taint.
bool evicts(const api::Taint& taint) {
  controller::testing::Stores stores;
  stores.pods.apply({.namespace_ = "default", .name = "pod", .uid = "uid", .node_name = "node"});
  stores.pods_by_node.add("node", *stores.pods.slot_of("default/pod"));
  controller::TaintEviction eviction(stores.view(), 1);
  eviction.node_stored({.name = "node", .uid = "uid", .taints = {taint}}, nullptr,
                       {.now = unit_start});
  client::Room room = client::Room::unlimited();
  const auto agree = [](const std::string&) { return true; };
  return !eviction.due(unit_start, room, agree).empty();
}

Json those_that_evict(const std::vector<std::string>& taints) {
  Json names = Json::array();
  for (const std::string& text : taints) {
    if (evicts(taint_named(text))) names.push_back(text);
  }
  return names;
}

}  // namespace

/// How long tolerations last, or which of a list of taints evict.
Json deadline_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  if (input.has("taints")) {
    const std::vector<std::string> taints = input.texts("taints");
    input.finish();
    return those_that_evict(taints);
  }
  const Json seconds = input.find("tolerationSeconds");
  input.finish();
  if (!seconds.is_array()) throw Unanswerable{"tolerationSeconds is no list: " + seconds.dump()};
  return deadline_with(seconds);
}

Json toleration_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const api::Toleration toleration = toleration_of(input.find("toleration"));
  const api::Taint taint = taint_named(input.text("taint"));
  input.finish();
  return controller::tolerates(toleration, taint);
}

}  // namespace nlc::conformance

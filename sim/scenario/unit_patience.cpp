#include "controller/tolerations.h"
#include "runtime/go_duration.h"
#include "sim/scenario/unit_answers.h"
#include "sim/scenario/unit_words.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

constexpr Instant start{std::chrono::hours(1)};

controller::SeenTaint seen(std::string key, std::string_view effect = api::effect::no_execute) {
  return {.taint = {.key = std::move(key), .effect = std::string(effect)}, .since = start};
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

std::string patience_text(std::optional<Instant> deadline) {
  if (!deadline) return "infinite";
  return *deadline <= start ? "0" : go_duration(*deadline - start);
}

/// One taint for each used toleration, which tolerates that one only; no toleration leaves a taint
/// that nobody tolerates.
Json patience_with(const Json& seconds) {
  std::vector<api::Toleration> tolerations;
  std::vector<controller::SeenTaint> taints;
  for (const Json& each : seconds) {
    taints.push_back(seen("taint-" + std::to_string(taints.size())));
    api::Toleration toleration{.key = taints.back().taint.key, .operator_ = "Exists"};
    if (!each.is_null()) toleration.seconds = static_cast<std::int64_t>(number_in(text_of(each)));
    tolerations.push_back(std::move(toleration));
  }
  if (taints.empty()) taints.push_back(seen("taint"));
  return patience_text(controller::eviction_deadline(tolerations, taints, Instant::min()));
}

}  // namespace

Json patience_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const Json seconds = input.find("tolerationSeconds");
  input.finish();
  if (!seconds.is_array()) throw Unanswerable{"tolerationSeconds is no list: " + seconds.dump()};
  return patience_with(seconds);
}

Json toleration_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const api::Toleration toleration = toleration_of(input.find("toleration"));
  const api::Taint taint = taint_named(input.text("taint"));
  input.finish();
  return controller::tolerates(toleration, taint);
}

}  // namespace nlc::sim::scenario

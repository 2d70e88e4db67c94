#include "controller/zones/zone.h"
#include "controller/zones/zones.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

using Json = nlohmann::json;

void add_labels(api::Node& node, const Json& labels) {
  if (labels.is_null()) return;
  for (const auto& [key, value] : labels.items()) node.labels.emplace_back(key, text_of(value));
}

std::string short_name(controller::ZoneState state) {
  switch (state) {
    case controller::ZoneState::Initial:
      return "Initial";
    case controller::ZoneState::Normal:
      return "Normal";
    case controller::ZoneState::PartialDisruption:
      return "Partial";
    case controller::ZoneState::FullDisruption:
      return "Full";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

/// Counts with which a zone of that size is in that state.
controller::ZoneCount count_for(const std::string& state, int size) {
  if (state == "Normal" || state == "Initial") return {.ready = size, .not_ready = 0};
  if (state == "Full") return {.ready = 0, .not_ready = size};
  if (state == "Partial") return {.ready = 1, .not_ready = size - 1};
  throw Unanswerable{"no such state of a zone: " + state};
}

void count_in(controller::Zones& zones, controller::Zone& zone, controller::ZoneCount count) {
  for (int i = 0; i < count.ready; ++i) zones.join(zone, {.ready = true});
  for (int i = 0; i < count.not_ready; ++i) zones.join(zone, {.ready = false});
}

}  // namespace

Json zone_key_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  api::Node node;
  add_labels(node, input.find("labels"));
  input.finish();
  std::string key;
  for (const char letter : controller::zone_key(node)) {
    key += letter == '\0' ? std::string("\\0") : std::string(1, letter);
  }
  return key;
}

Json exclusion_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  api::Node node{.name = input.text("name")};
  if (input.truth("exclude_label")) {
    node.labels.emplace_back(api::label::exclude_disruption, "");
  }
  add_labels(node, input.find("labels"));
  // Gates of releases before 1.22. The rule here is that of the later ones, whatever they say.
  input.has("NodeDisruptionExclusion");
  input.has("LegacyNodeRoleBehavior");
  input.finish();
  return {{"excluded", controller::excluded_from_disruption(node)}};
}

Json zone_state_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  controller::Policy policy;
  policy.unhealthy_zone_threshold = input.number("threshold", policy.unhealthy_zone_threshold);
  const controller::ZoneCount count{.ready = input.count("ready"),
                                    .not_ready = input.count("not_ready") + input.count("absent")};
  input.finish();
  return {{"state", short_name(controller::zone_state(count, policy))},
          {"unhealthy", count.not_ready}};
}

/// A second zone, healthy, stands beside the one that is asked about, unless all are to be Full.
Json zone_rate_answer(const UnitCase& unit) {
  UnitInput input(unit.input);
  const std::string state = input.text("state");
  const bool all_full = input.truth("all_zones_full");
  const controller::ZoneCount count = count_for(state, input.count("zone_size"));
  input.finish();

  const controller::Policy policy;
  controller::Zones zones(policy);
  controller::Zone& zone = zones.of("zone", Instant{});
  controller::Zone& other = zones.of("other", Instant{});
  count_in(zones, zone, count);
  if (!all_full) zones.join(other, {.ready = true});
  std::vector<controller::Zones::Change> changes;
  zones.settle(Instant{}, changes);
  const bool as_asked = state == "Initial" || short_name(zone.state) == state;
  if (!as_asked || zones.all_disrupted() != all_full) {
    throw Unanswerable{"a zone of that size cannot be so: " + unit.input.dump()};
  }
  return {{"rate", zone.evictions.rate()}};
}

}  // namespace nlc::conformance

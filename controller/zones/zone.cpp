#include "controller/zones/zone.h"

#include <cstdlib>

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

std::string first_label(const api::Node& node, std::string_view first, std::string_view second) {
  if (const std::string* value = node.label(first)) return *value;
  if (const std::string* value = node.label(second)) return *value;
  return {};
}

}  // namespace

std::string zone_key(const api::Node& node) {
  const std::string zone = first_label(node, api::label::zone_beta, api::label::zone);
  const std::string region = first_label(node, api::label::region_beta, api::label::region);
  if (zone.empty() && region.empty()) return {};
  return region + ":" + std::string(1, '\0') + ":" + zone;
}

std::string zone_name(const std::string& key) {
  const std::string separator{':', '\0', ':'};
  const std::size_t at = key.find(separator);
  return spelled_zone(
      at == std::string::npos ? key : std::string(key).replace(at, separator.size(), "/"));
}

std::string spelled_zone(const std::string& name) {
  const auto half = [](std::string text) { return text.empty() ? "-" : text; };
  const std::size_t slash = name.find('/');
  if (slash == std::string::npos) return half(name);
  std::string zone = half(name.substr(0, slash)) + "/" + half(name.substr(slash + 1));
  return zone == "-/-" ? "-" : zone;
}

bool excluded_from_disruption(const api::Node& node) {
  return node.label(api::label::exclude_disruption) != nullptr;
}

std::string_view name_of(ZoneState state) {
  switch (state) {
    case ZoneState::Initial:
      return "Initial";
    case ZoneState::Normal:
      return "Normal";
    case ZoneState::PartialDisruption:
      return "PartialDisruption";
    case ZoneState::FullDisruption:
      return "FullDisruption";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

ZoneState zone_state(const ZoneCount& count, const Policy& policy) {
  if (count.ready == 0 && count.not_ready > 0) return ZoneState::FullDisruption;
  const float share = count.size() == 0
                          ? 0.0F
                          : static_cast<float>(count.not_ready) / static_cast<float>(count.size());
  const bool partial =
      count.not_ready > 2 && share >= static_cast<float>(policy.unhealthy_zone_threshold);
  return partial ? ZoneState::PartialDisruption : ZoneState::Normal;
}

double zone_rate(ZoneState state, const ZoneCount& count, const Policy& policy) {
  if (planted("full-rate-in-partial-disruption")) return policy.eviction_rate;
  if (state != ZoneState::PartialDisruption) return policy.eviction_rate;
  return count.size() > policy.large_zone ? policy.secondary_eviction_rate : 0;
}

}  // namespace nlc::controller

#include "sim/rules/operator_policy.h"

#include <algorithm>
#include <cstdlib>
#include <sstream>

#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

bool is_pause(const std::string& word) { return word == "evictions" || word == "all"; }

/// Of "REGION/ZONE": days have no regions.
std::string zone_half(const api::Node& node) {
  const std::string zone = zone_of(node);
  return zone.substr(zone.rfind('/') + 1);
}

}  // namespace

void OperatorPolicy::read(const api::ConfigMap& config) {
  OperatorPolicy next;
  for (const auto& [name, value] : config.data) {
    if (name == "pause") next.pauses_ = read_pauses(value).value_or(pauses_);
    if (name == "pod-evictions-per-second") {
      char* end = nullptr;
      const double pace = std::strtod(value.c_str(), &end);
      next.pods_per_second_ = *end == '\0' && pace > 0 ? pace : pods_per_second_;
    }
  }
  *this = next;
}

/// The forms that days have: WORD, WORD zone ZONE, WORD nodes KEY=VALUE.
std::optional<OperatorPolicy::Pauses> OperatorPolicy::read_pauses(const std::string& text) {
  Pauses pauses;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    std::string of;
    std::string what;
    words >> word >> of >> what;
    if (word == "none" || word.empty()) continue;
    if (!is_pause(word)) return std::nullopt;
    if (of.empty()) pauses.everything = true;
    if (of == "zone") pauses.zones.push_back(what);
    const std::size_t equal = what.find('=');
    if (of == "nodes") pauses.labels.emplace_back(what.substr(0, equal), what.substr(equal + 1));
  }
  return pauses;
}

bool OperatorPolicy::pauses(const api::Node& node) const {
  const auto has = [&node](const auto& label) {
    const std::string* value = node.label(label.first);
    return value != nullptr && *value == label.second;
  };
  return pauses_.everything || is_pause(node.pause) ||
         std::ranges::find(pauses_.zones, zone_half(node)) != pauses_.zones.end() ||
         std::ranges::any_of(pauses_.labels, has);
}

}  // namespace nlc::sim::rules

#include "sim/rules/operator_policy.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "runtime/parse_number.h"
#include "runtime/words.h"

namespace nlc::sim::rules {
namespace {

constexpr std::string_view pause_key = "pause";
constexpr std::string_view pace_key = "pod-evictions-per-second";
constexpr std::string_view zone_pace_key = "pod-evictions-per-second-and-zone";
constexpr std::string_view hold_key = "hold-evictions-in-disruption";
constexpr std::array policy_keys{pause_key, pace_key, zone_pace_key, hold_key};

std::optional<double> read_pace(std::string_view text) {
  constexpr double slowest = 0.001;
  const auto pace = parse_number<double>(trimmed(text));
  return pace && std::isfinite(*pace) && *pace >= slowest ? pace : std::nullopt;
}

std::optional<bool> read_truth(std::string_view text) {
  const std::string_view word = trimmed(text);
  if (word != "true" && word != "false") return std::nullopt;
  return word == "true";
}

}  // namespace

void OperatorPolicy::read(const api::ConfigMap& config) {
  const bool all_known = std::ranges::all_of(config.data, [](const auto& entry) {
    return std::ranges::find(policy_keys, entry.first) != policy_keys.end();
  });
  OperatorPolicy next = all_known ? OperatorPolicy() : *this;
  for (const auto& [name, value] : config.data) {
    if (name == pause_key) next.pauses_ = read_pauses(value).value_or(pauses_);
    if (name == pace_key) {
      next.pods_per_second_ = read_pace(value).value_or(pods_per_second_);
    }
    if (name == zone_pace_key) {
      next.pods_per_second_and_zone_ = read_pace(value).value_or(pods_per_second_and_zone_);
    }
    if (name == hold_key) {
      next.holds_in_disruption_ = read_truth(value).value_or(holds_in_disruption_);
    }
  }
  *this = next;
}

std::optional<OperatorPolicy::Pauses> OperatorPolicy::read_pauses(std::string_view text) {
  Pauses pauses;
  for (const std::string_view part : parts_of(text, '\n')) {
    const std::string_view line = trimmed(part);
    if (!line.empty() && !read_line(line, pauses)) return std::nullopt;
  }
  return pauses;
}

/// WORD, WORD zone REGION/ZONE or WORD nodes SELECTOR; false where it is none of them.
bool OperatorPolicy::read_line(std::string_view line, Pauses& pauses) {
  const std::vector<std::string_view> words = words_of(line);
  const bool is_none = words[0] == "none";
  if (!is_none && words[0] != "evictions" && words[0] != "all") return false;
  if (words.size() == 1) {
    pauses.everything = pauses.everything || !is_none;
    return true;
  }
  const std::string_view which =
      trimmed(line.substr(static_cast<std::size_t>(words[1].end() - line.begin())));
  std::optional<NodeSelector> nodes;
  if (words[1] == "zone") nodes = zone_named(which);
  if (words[1] == "nodes") nodes = labels_named(which);
  if (nodes && !is_none) pauses.nodes.push_back(*nodes);
  return nodes.has_value();
}

/// Whatever an annotation says that cannot be read pauses evictions at least.
bool OperatorPolicy::pauses(const api::Node& node) const {
  const bool by_annotation = !node.pause.empty() && node.pause != "none";
  return pauses_.everything || by_annotation ||
         std::ranges::any_of(pauses_.nodes,
                             [&node](const NodeSelector& named) { return named(node); });
}

}  // namespace nlc::sim::rules

#include "controller/pause/operator_policy.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "runtime/parse_number.h"
#include "runtime/utf8.h"
#include "runtime/words.h"

namespace nlc::controller {
namespace {

constexpr std::string_view pause_key = "pause";
constexpr std::string_view pace_key = "pod-evictions-per-second";
constexpr std::string_view zone_pace_key = "pod-evictions-per-second-and-zone";
constexpr std::string_view hold_key = "hold-evictions-in-disruption";
constexpr std::array known_keys{pause_key, pace_key, zone_pace_key, hold_key};

// Of a text that is hostile, or another file than was meant, some is enough to find the mistake.
constexpr std::size_t shown_max = 200;
constexpr std::size_t mistakes_max = 3;

Error wrong(std::string_view key, std::string_view value, std::string_view right) {
  return bad_input(std::string(key) + ": \"" + shortened(value, shown_max) + "\" " +
                   std::string(right));
}

/// "" where a node has no such label, for which people write "-".
std::string_view label_of(std::string_view half) { return half == "-" ? std::string_view() : half; }

/// REGION/ZONE or one of them, each a value that a label may have, or "-".
bool is_zone(std::string_view text) {
  const std::vector<std::string_view> halves = parts_of(text, '/');
  return halves.size() <= 2 && std::ranges::all_of(halves, [](std::string_view half) {
           return half == "-" || (!half.empty() && is_label_value(half));
         });
}

Result<std::string> read_zone(std::string_view line, std::string_view zone) {
  if (is_zone(zone)) return std::string(zone);
  return wrong(
      pause_key, line,
      "has a zone that is not REGION/ZONE, nor one of the two, each of letters, digits, -, "
      "_ and . as the labels of nodes, nor - for nodes without these labels");
}

Result<LabelSelector> read_selector(std::string_view line, std::string_view text) {
  Result<LabelSelector> selector = LabelSelector::read(text);
  if (selector) return selector;
  return wrong(pause_key, line, "has a selector that cannot be read: " + selector.error().path);
}

Result<PauseOrder> read_order(std::string_view line) {
  const std::vector<std::string_view> words = words_of(line);
  const std::optional<Pause> pause = pause_named(words.front());
  if (!pause) {
    return wrong(pause_key, line,
                 "begins with no word that is known; each line must be WORD, WORD zone REGION/ZONE "
                 "or WORD nodes SELECTOR, and WORD evictions, all or none");
  }
  PauseOrder order{.pause = *pause, .text = std::string(line)};
  if (words.size() == 1) return order;
  const std::string_view rest =
      trimmed(line.substr(static_cast<std::size_t>(words[1].end() - line.begin())));
  if (words[1] == "zone" && words.size() == 3) {
    Result<std::string> zone = read_zone(line, rest);
    if (!zone) return std::move(zone.error());
    order.of = PauseOrder::Of::Zone;
    order.zone = *std::move(zone);
    return order;
  }
  if (words[1] != "nodes" || rest.empty()) {
    return wrong(pause_key, line,
                 "must go on with zone REGION/ZONE, or with nodes SELECTOR, or end after " +
                     std::string(words[0]));
  }
  Result<LabelSelector> selector = read_selector(line, rest);
  if (!selector) return std::move(selector.error());
  order.of = PauseOrder::Of::Nodes;
  order.nodes = *std::move(selector);
  return order;
}

std::optional<Error> read_pauses(std::string_view, std::string_view text,
                                 std::vector<PauseOrder>& pauses) {
  std::vector<PauseOrder> read;
  for (const std::string_view part : parts_of(text, '\n')) {
    const std::string_view line = trimmed(part);
    if (line.empty()) continue;
    Result<PauseOrder> order = read_order(line);
    if (!order) return std::move(order.error());
    if (order->pause != Pause::None) read.push_back(*std::move(order));
  }
  pauses = std::move(read);
  return std::nullopt;
}

/// In pods a second. What nobody lives to see means a pause, and is not written as one.
constexpr double slowest_pace = 0.001;

std::optional<Error> read_pace(std::string_view key, std::string_view text, double& pace) {
  const auto read = parse_number<double>(trimmed(text));
  if (read && std::isfinite(*read) && *read >= slowest_pace) {
    pace = *read;
    return std::nullopt;
  }
  return wrong(key, text,
               "must be a number from 0.001 on, such as 0.5 or 10; leave the key out for no limit, "
               "and to stop evictions write pause: evictions");
}

std::optional<Error> read_truth(std::string_view key, std::string_view text, bool& truth) {
  const std::string_view word = trimmed(text);
  if (word != "true" && word != "false") return wrong(key, text, "must be true or false");
  truth = word == "true";
  return std::nullopt;
}

std::optional<Error> read_entry(std::string_view key, std::string_view value,
                                const OperatorPolicy& before, OperatorPolicy& policy) {
  const auto read = [&](auto field, auto reader) {
    policy.*field = before.*field;
    return reader(key, value, policy.*field);
  };
  if (key == pause_key) return read(&OperatorPolicy::pauses, read_pauses);
  if (key == pace_key) return read(&OperatorPolicy::pods_per_second, read_pace);
  if (key == zone_pace_key) return read(&OperatorPolicy::pods_per_second_and_zone, read_pace);
  if (key == hold_key) return read(&OperatorPolicy::hold_in_disruption, read_truth);
  return bad_input("key \"" + std::string(key) + "\" is not known; there are " +
                   std::string(pause_key) + ", " + std::string(pace_key) + ", " +
                   std::string(zone_pace_key) + " and " + std::string(hold_key));
}

bool is_known(std::string_view key) {
  return std::ranges::find(known_keys, key) != known_keys.end();
}

}  // namespace

std::string_view name_of(Pause pause) {
  switch (pause) {
    case Pause::None:
      return "none";
    case Pause::Evictions:
      return "evictions";
    case Pause::All:
      return "all";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::optional<Pause> pause_named(std::string_view word) {
  for (const Pause pause : {Pause::None, Pause::Evictions, Pause::All}) {
    if (word == name_of(pause)) return pause;
  }
  return std::nullopt;
}

bool PauseOrder::is_about(std::string_view node_zone, const api::Labels& labels) const {
  if (of == Of::Everything) return true;
  if (of == Of::Nodes) return nodes.matches(labels);
  const std::vector<std::string_view> has = parts_of(node_zone, '/');
  const std::string_view region = label_of(has.front());
  const std::string_view in_region = has.size() == 2 ? label_of(has.back()) : std::string_view();
  const std::vector<std::string_view> asked = parts_of(zone, '/');
  if (asked.size() == 2) return label_of(asked[0]) == region && label_of(asked[1]) == in_region;
  if (zone == "-") return region.empty() && in_region.empty();
  return zone == region || zone == in_region;
}

ReadPolicy read_operator_policy(const api::Labels& data, const OperatorPolicy& before) {
  ReadPolicy read;
  // One that is not known may be one of those that are missing, mistyped.
  const bool mistyped =
      std::ranges::any_of(data, [](const auto& entry) { return !is_known(entry.first); });
  if (mistyped) read.policy = before;
  std::size_t mistakes = 0;
  for (const auto& [key, value] : data) {
    const std::optional<Error> error = read_entry(key, value, before, read.policy);
    if (!error || ++mistakes > mistakes_max) continue;
    read.trouble += (read.trouble.empty() ? "" : "; ") + error->path;
  }
  if (mistakes > mistakes_max) {
    read.trouble += "; and " + std::to_string(mistakes - mistakes_max) + " keys more";
  }
  return read;
}

}  // namespace nlc::controller

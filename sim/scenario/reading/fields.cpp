#include "sim/scenario/reading/fields.h"

#include <limits>
#include <sstream>
#include <utility>

#include "runtime/go_duration.h"
#include "runtime/parse_number.h"

namespace nlc::sim::scenario {
namespace {

constexpr double boundless = std::numeric_limits<double>::infinity();

/// As of a flag: sums of several still fit the clock.
constexpr Duration longest_duration = std::chrono::hours(87'600);

bool is_note(std::string_view key) { return key == "note" || key == "notes"; }

bool is_taint_effect(std::string_view text) {
  return text == "NoSchedule" || text == "PreferNoSchedule" || text == "NoExecute";
}

TaintName taint_named(const std::string& text, const Yaml& node) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || !is_taint_effect(text.substr(colon + 1))) {
    refuse(node,
           "a taint such as key:NoExecute or key=value:NoExecute, with NoSchedule, "
           "PreferNoSchedule or NoExecute,");
  }
  TaintName taint{.key = text.substr(0, colon), .value = "", .effect = text.substr(colon + 1)};
  const std::size_t equals = taint.key.find('=');
  if (equals != std::string::npos) {
    taint.value = taint.key.substr(equals + 1);
    taint.key.resize(equals);
  }
  return taint;
}

double number_of(const Yaml& node) {
  const nlohmann::json value = json_of(node);
  if (!value.is_number()) refuse(node, "a number");
  const auto number = value.get<double>();
  if (number < 0) refuse(node, "a number of 0 or more");
  return number;
}

}  // namespace

std::string without_remark(std::string text) {
  const std::size_t remark = text.find('(');
  if (remark != std::string::npos) text.resize(remark);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

Duration duration_of(const Yaml& node) {
  std::optional<Duration> parsed;
  if (node.is_text()) parsed = parse_go_duration(without_remark(node.text));
  if (!parsed) refuse(node, "a duration such as 40s, 1m30s or 500ms");
  if (*parsed > longest_duration || *parsed < -longest_duration) {
    refuse(node, "a duration of at most 87600h (ten years)");
  }
  return *parsed;
}

TaintName taint_of(const Yaml& node) {
  return taint_named(scalar_text(node, "a taint such as key:NoExecute"), node);
}

Fact fact_of(const Yaml& node) {
  Fact fact;
  fact.text = scalar_text(node, "a fact such as \"node0 Ready is Unknown\"");
  std::istringstream words(fact.text);
  std::string second;
  std::string third;
  words >> fact.object >> second;
  while (words >> third && third == "is") continue;
  if (second == "has" || second == "lacks") {
    fact.kind = second == "has" ? Fact::Kind::HasTaint : Fact::Kind::LacksTaint;
    fact.taint = taint_named(third, node);
  } else if (second == "deletion" && third == "requested") {
    fact.kind = Fact::Kind::DeletionRequested;
  } else if (second == "exists") {
    fact.kind = Fact::Kind::Exists;
  } else if (!second.empty() && (third == "True" || third == "False" || third == "Unknown")) {
    fact.kind = Fact::Kind::Condition;
    fact.condition = second;
    fact.status = third;
  } else {
    refuse(node,
           "\"NODE CONDITION is STATUS\", \"NODE has TAINT\", \"NODE lacks TAINT\", "
           "\"POD deletion requested\" or \"OBJECT exists\"");
  }
  return fact;
}

Amount amount_of(const Yaml& node) {
  if (node.is_text()) {
    const double exactly = number_of(node);
    return {.min = exactly, .max = exactly};
  }
  if (!node.is_map() || node.map.empty()) refuse(node, "a number or {min, max}");
  Amount amount{.min = -boundless, .max = boundless};
  for (const auto& [key, line, value] : node.map) {
    if (key != "min" && key != "max") refuse(node, "a number or {min, max}");
    (key == "min" ? amount.min : amount.max) = number_of(value);
  }
  if (amount.min > amount.max) refuse(node, "{min, max} with a min that is no greater than max");
  return amount;
}

FieldWish wish_of(const Yaml& node) {
  const Yaml& between = node["between"];
  if (!between.is_defined()) return {.value = json_of(node), .between = std::nullopt};
  const auto [from, until] = pair_in(between, "two offsets");
  return {.value = nullptr, .between = {{duration_of(from), duration_of(until)}}};
}

Settings settings_of(const Yaml& node) {
  Settings settings;
  if (!node.is_defined()) return settings;
  if (!node.is_map()) refuse(node, "a map");
  for (const auto& [name, line, said] : node.map) {
    if (is_note(name)) continue;
    const nlohmann::json value = json_of(said);
    settings.emplace_back(name, value.is_boolean()
                                    ? value.dump()
                                    : without_remark(scalar_text(said, "a flag's value")));
  }
  return settings;
}

void Problems::add(int line, const std::string& words) { add(Malformed{line, words}); }

void Problems::add(Malformed problem) {
  found.push_back(
      {.expectation = file + ":" + std::to_string(problem.line), .seen = std::move(problem.words)});
}

Fields::Fields(const Yaml& map, std::string what, Problems& problems)
    : map_(map), what_(std::move(what)), problems_(problems) {
  if (map_.is_defined() && !map_.is_map()) scenario::refuse(map_, what_ + " as a map");
  for (const Yaml::Entry& entry : map_.map) asked_.push_back(is_note(entry.key));
}

bool Fields::has(std::string_view key) { return find(key).is_defined(); }

const Yaml& Fields::find(std::string_view key) {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (map_.map[i].key != key) continue;
    asked_[i] = true;
    return map_.map[i].value;
  }
  return Yaml::absent();
}

const Yaml& Fields::need(const std::string& key) {
  const Yaml& found = find(key);
  if (!found.is_defined()) refuse(what_ + " without \"" + key + "\"", key);
  return found;
}

std::string Fields::text(const std::string& key) {
  const Yaml& found = find(key);
  return found.is_defined() ? scalar_text(found, "a text for " + key) : "";
}

std::optional<std::string> Fields::given_text(const std::string& key) {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

std::string Fields::need_text(const std::string& key) {
  return scalar_text(need(key), "a text for " + key);
}

std::vector<std::string> Fields::texts(const std::string& key) {
  std::vector<std::string> result;
  const Yaml& found = find(key);
  if (!found.is_defined()) return result;
  for (const Yaml& element : each_of(found)) {
    result.push_back(scalar_text(element, "a text or a list of texts for " + key));
  }
  return result;
}

std::optional<Duration> Fields::duration(const std::string& key) {
  const Yaml& found = find(key);
  if (!found.is_defined()) return std::nullopt;
  return duration_of(found);
}

std::optional<Duration> Fields::span(const std::string& key) {
  const std::optional<Duration> span = duration(key);
  if (span && *span < Duration{0}) scenario::refuse(find(key), key + " of 0s or more");
  return span;
}

Duration Fields::need_span(const std::string& key) {
  need(key);
  return *span(key);
}

std::optional<bool> Fields::truth(const std::string& key) {
  const Yaml& found = find(key);
  if (!found.is_defined()) return std::nullopt;
  const nlohmann::json value = json_of(found);
  if (!value.is_boolean()) scenario::refuse(found, "true or false for " + key);
  return value.get<bool>();
}

std::optional<long long> Fields::whole(const std::string& key) {
  const Yaml& found = find(key);
  if (!found.is_defined()) return std::nullopt;
  const nlohmann::json value = json_of(found);
  const bool fits =
      !value.is_number_unsigned() || std::in_range<long long>(value.get<std::uint64_t>());
  if (!value.is_number_integer() || !fits) scenario::refuse(found, "a whole number for " + key);
  return value.get<long long>();
}

std::optional<long long> Fields::count(const std::string& key) {
  const std::optional<long long> count = whole(key);
  if (count && *count < 1) scenario::refuse(find(key), key + " of 1 or more");
  return count;
}

std::optional<double> Fields::share(const std::string& key) {
  const Yaml& found = find(key);
  if (!found.is_defined()) return std::nullopt;
  const std::string text = without_remark(scalar_text(found, "a share such as 5%"));
  std::optional<double> percent;
  if (text.ends_with('%')) {
    percent = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
  }
  // Of nan nothing is true.
  const bool is_share = percent && *percent >= 0 && *percent <= 100;
  if (!is_share) scenario::refuse(found, "a share from 0% to 100%, such as 5%,");
  return *percent / 100;
}

std::optional<Amount> Fields::amount(const std::string& key) {
  return has(key) ? std::optional(amount_of(find(key))) : std::nullopt;
}

std::vector<TaintName> Fields::taints(const std::string& key) {
  std::vector<TaintName> result;
  const Yaml& found = find(key);
  if (!found.is_defined()) return result;
  for (const Yaml& element : each_of(found)) result.push_back(taint_of(element));
  return result;
}

FieldWishes Fields::wishes(const std::string& key) {
  const Yaml& found = find(key);
  if (!found.is_defined()) return {};
  return Fields(found, key, problems_).remaining_wishes();
}

FieldWishes Fields::remaining_wishes() {
  FieldWishes wishes;
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i]) continue;
    asked_[i] = true;
    wishes.emplace(map_.map[i].key, wish_of(map_.map[i].value));
  }
  return wishes;
}

void Fields::finish() {
  for (std::size_t i = 0; i < asked_.size(); ++i) {
    if (asked_[i]) continue;
    const Yaml::Entry& entry = map_.map[i];
    problems_.add(entry.line,
                  "the key \"" + entry.key + "\" in " + what_ + " found, which is not known");
  }
}

int Fields::line() const { return map_.line; }

void Fields::refuse(const std::string& found, const std::string& expected) const {
  throw Malformed{line(), found + " found, " + expected + " expected"};
}

}  // namespace nlc::sim::scenario

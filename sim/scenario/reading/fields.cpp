#include "sim/scenario/reading/fields.h"

#include <algorithm>
#include <limits>
#include <sstream>
#include <utility>

#include "runtime/go_duration.h"
#include "runtime/parse_number.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

constexpr double boundless = std::numeric_limits<double>::infinity();

TaintName taint_named(const std::string& text, const YAML::Node& node) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || colon == 0 || colon + 1 == text.size()) {
    refuse(node, "a taint such as key:NoExecute or key=value:NoExecute");
  }
  TaintName taint{.key = text.substr(0, colon), .value = "", .effect = text.substr(colon + 1)};
  const std::size_t equals = taint.key.find('=');
  if (equals != std::string::npos) {
    taint.value = taint.key.substr(equals + 1);
    taint.key.resize(equals);
  }
  return taint;
}

double number_of(const YAML::Node& node) {
  const nlohmann::json value = value_of(node);
  if (!value.is_number()) refuse(node, "a number");
  return value.get<double>();
}

}  // namespace

std::string without_remark(std::string text) {
  const std::size_t remark = text.find('(');
  if (remark != std::string::npos) text.resize(remark);
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

Duration duration_of(const YAML::Node& node) {
  if (node.IsScalar()) {
    const auto parsed = parse_go_duration(without_remark(node.Scalar()));
    if (parsed) return *parsed;
  }
  refuse(node, "a duration such as 40s, 1m30s or 500ms");
}

TaintName taint_of(const YAML::Node& node) {
  return taint_named(scalar_text(node, "a taint such as key:NoExecute"), node);
}

Fact fact_of(const YAML::Node& node) {
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

Amount amount_of(const YAML::Node& node) {
  if (node.IsScalar()) {
    const double exactly = number_of(node);
    return {.min = exactly, .max = exactly};
  }
  if (!node.IsMap()) refuse(node, "a number or {min, max}");
  Amount amount{.min = -boundless, .max = boundless};
  for (const auto& entry : node) {
    const std::string& key = entry.first.Scalar();
    if (key != "min" && key != "max") refuse(node, "a number or {min, max}");
    (key == "min" ? amount.min : amount.max) = number_of(entry.second);
  }
  return amount;
}

FieldWish wish_of(const YAML::Node& node) {
  if (!node.IsMap() || !node["between"]) return {.value = value_of(node), .between = std::nullopt};
  const YAML::Node between = node["between"];
  if (!between.IsSequence() || between.size() != 2) refuse(between, "two offsets");
  return {.value = nullptr, .between = {{duration_of(between[0]), duration_of(between[1])}}};
}

Settings settings_of(const YAML::Node& node) {
  Settings settings;
  if (!node.IsDefined()) return settings;
  if (!node.IsMap()) refuse(node, "a map");
  for (const auto& entry : node) {
    const std::string& name = entry.first.Scalar();
    if (name == "note" || name == "notes") continue;
    const nlohmann::json value = value_of(entry.second);
    settings.emplace_back(name, value.is_boolean()
                                    ? value.dump()
                                    : without_remark(scalar_text(entry.second, "a flag's value")));
  }
  return settings;
}

void Problems::add(int line, const std::string& words) {
  found.push_back({.expectation = file + ":" + std::to_string(line), .seen = words});
}

Fields::Fields(YAML::Node map, std::string what, Problems& problems)
    : map_(std::move(map)), what_(std::move(what)), problems_(problems) {
  if (!map_.IsMap()) scenario::refuse(map_, what_ + " as a map");
  for (const auto& entry : map_) {
    const std::string& key = entry.first.Scalar();
    entries_.push_back(
        {.key = entry.first, .value = entry.second, .asked = key == "note" || key == "notes"});
  }
}

bool Fields::has(const std::string& key) {
  const auto found = std::ranges::find(entries_, key, &Entry::name);
  if (found != entries_.end()) found->asked = true;
  return found != entries_.end();
}

/// Of a key that is not there yaml-cpp would first write down its name.
YAML::Node Fields::find(const std::string& key) {
  if (!has(key)) return YAML::Node(YAML::NodeType::Undefined);
  return std::ranges::find(entries_, key, &Entry::name)->value;
}

YAML::Node Fields::need(const std::string& key) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) refuse(what_ + " without \"" + key + "\"", key);
  return found;
}

std::string Fields::text(const std::string& key) {
  const YAML::Node found = find(key);
  return found.IsDefined() ? scalar_text(found, "a text for " + key) : "";
}

std::optional<std::string> Fields::given_text(const std::string& key) {
  return has(key) ? std::optional(text(key)) : std::nullopt;
}

std::string Fields::need_text(const std::string& key) {
  return scalar_text(need(key), "a text for " + key);
}

std::vector<std::string> Fields::texts(const std::string& key) {
  std::vector<std::string> result;
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return result;
  for (const YAML::Node& element : each_of(found)) {
    result.push_back(scalar_text(element, "a text or a list of texts for " + key));
  }
  return result;
}

std::optional<Duration> Fields::duration(const std::string& key) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return std::nullopt;
  return duration_of(found);
}

std::optional<Duration> Fields::span(const std::string& key) {
  const std::optional<Duration> span = duration(key);
  if (span && *span < Duration{0}) scenario::refuse(find(key), key + " of 0s or more");
  return span;
}

std::optional<bool> Fields::truth(const std::string& key) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return std::nullopt;
  const nlohmann::json value = value_of(found);
  if (!value.is_boolean()) scenario::refuse(found, "true or false for " + key);
  return value.get<bool>();
}

std::optional<long long> Fields::whole(const std::string& key) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return std::nullopt;
  const nlohmann::json value = value_of(found);
  if (!value.is_number_integer()) scenario::refuse(found, "a whole number for " + key);
  return value.get<long long>();
}

std::optional<long long> Fields::count(const std::string& key) {
  const std::optional<long long> count = whole(key);
  if (count && *count < 1) scenario::refuse(find(key), key + " of 1 or more");
  return count;
}

std::optional<double> Fields::share(const std::string& key) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return std::nullopt;
  const std::string text = without_remark(scalar_text(found, "a share such as 5%"));
  std::optional<double> percent;
  if (text.ends_with('%')) {
    percent = parse_number<double>(std::string_view(text).substr(0, text.size() - 1));
  }
  if (!percent || *percent < 0 || *percent > 100)
    scenario::refuse(found, "a share from 0% to 100%, such as 5%,");
  return *percent / 100;
}

std::optional<Amount> Fields::amount(const std::string& key) {
  return has(key) ? std::optional(amount_of(find(key))) : std::nullopt;
}

std::vector<TaintName> Fields::taints(const std::string& key) {
  std::vector<TaintName> result;
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return result;
  for (const YAML::Node& element : each_of(found)) result.push_back(taint_of(element));
  return result;
}

FieldWishes Fields::wishes(const std::string& key) {
  const YAML::Node found = find(key);
  if (!found.IsDefined()) return {};
  return Fields(found, key, problems_).remaining_wishes();
}

FieldWishes Fields::remaining_wishes() {
  FieldWishes wishes;
  for (Entry& entry : entries_) {
    if (!std::exchange(entry.asked, true)) wishes.emplace(entry.name(), wish_of(entry.value));
  }
  return wishes;
}

void Fields::finish() {
  for (const Entry& entry : entries_) {
    if (entry.asked) continue;
    problems_.add(line_of(entry.key),
                  "the key \"" + entry.name() + "\" in " + what_ + " found, which is not known");
  }
}

int Fields::line() const { return line_of(map_); }

void Fields::refuse(const std::string& found, const std::string& expected) const {
  throw Malformed{line(), found + " found, " + expected + " expected"};
}

}  // namespace nlc::sim::scenario

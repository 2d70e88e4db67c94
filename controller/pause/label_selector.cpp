#include "controller/pause/label_selector.h"

#include <algorithm>
#include <utility>

#include "runtime/dns_name.h"
#include "runtime/words.h"

namespace nlc::controller {
namespace {

Error wrong(std::string_view what, std::string_view why) {
  return bad_input("\"" + std::string(what) + "\" " + std::string(why));
}

constexpr std::size_t value_bytes_max = 63;
constexpr std::size_t prefix_bytes_max = 253;

bool is_alphanumeric(char c) { return is_lower_alphanumeric(c) || (c >= 'A' && c <= 'Z'); }

bool is_name(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return is_alphanumeric(c) || c == '-' || c == '_' || c == '.'; });
}

/// "name", or "prefix/name", as labels may have them. One that none can have pauses nobody.
bool is_key(std::string_view text) {
  const std::size_t slash = text.find('/');
  const bool has_prefix = slash != std::string_view::npos;
  const std::string_view name = has_prefix ? text.substr(slash + 1) : text;
  if (name.empty() || !is_label_value(name)) return false;
  if (!has_prefix) return true;
  return slash <= prefix_bytes_max && is_dns_subdomain(text.substr(0, slash));
}

/// At commas, save those inside of brackets.
std::vector<std::string_view> requirements_in(std::string_view text) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    depth += text[i] == '(' ? 1 : text[i] == ')' ? -1 : 0;
    if (text[i] != ',' || depth > 0) continue;
    parts.push_back(text.substr(begin, i - begin));
    begin = i + 1;
  }
  parts.push_back(text.substr(begin));
  return parts;
}

}  // namespace

bool is_label_value(std::string_view text) {
  if (text.empty()) return true;
  return text.size() <= value_bytes_max && is_name(text) && is_alphanumeric(text.front()) &&
         is_alphanumeric(text.back());
}

Result<LabelSelector> LabelSelector::read(std::string_view text) {
  LabelSelector selector;
  for (const std::string_view part : requirements_in(text)) {
    Result<Requirement> requirement = read_requirement(trimmed(part));
    if (!requirement) return std::move(requirement.error());
    selector.requirements_.push_back(*std::move(requirement));
  }
  return selector;
}

Result<LabelSelector::Requirement> LabelSelector::read_requirement(std::string_view text) {
  using Kind = Requirement::Kind;
  if (const std::size_t sign = text.find('='); sign != std::string_view::npos) {
    const bool differs = sign > 0 && text[sign - 1] == '!';
    const std::size_t value = text.substr(sign).starts_with("==") ? sign + 2 : sign + 1;
    return requirement(differs ? Kind::NotIn : Kind::In, text.substr(0, differs ? sign - 1 : sign),
                       {text.substr(value)});
  }
  if (text.starts_with('!')) return requirement(Kind::Absent, text.substr(1), {});
  if (const std::size_t bracket = text.find('('); bracket != std::string_view::npos) {
    if (!text.ends_with(')')) return wrong(text, "has no closing bracket");
    const std::vector<std::string_view> words = words_of(text.substr(0, bracket));
    const bool is_in = words.size() == 2 && (words[1] == "in" || words[1] == "notin");
    if (!is_in) return wrong(text, "must be KEY in (…) or KEY notin (…)");
    const std::string_view values = text.substr(bracket + 1, text.size() - bracket - 2);
    return requirement(words[1] == "in" ? Kind::In : Kind::NotIn, words[0], parts_of(values, ','));
  }
  return requirement(Kind::Exists, text, {});
}

Result<LabelSelector::Requirement> LabelSelector::requirement(
    Requirement::Kind kind, std::string_view key, const std::vector<std::string_view>& values) {
  Requirement made{.kind = kind, .key = std::string(trimmed(key)), .values = {}};
  if (!is_key(made.key)) return wrong(made.key, "is no key of a label");
  for (const std::string_view value : values) {
    made.values.emplace_back(trimmed(value));
    if (!is_label_value(made.values.back())) return wrong(value, "is no value of a label");
  }
  return made;
}

bool LabelSelector::holds(const Requirement& requirement, const api::Labels& labels) {
  using Kind = Requirement::Kind;
  const auto label = std::ranges::find(labels, requirement.key, &api::Labels::value_type::first);
  const bool there = label != labels.end();
  if (requirement.kind == Kind::Exists) return there;
  if (requirement.kind == Kind::Absent) return !there;
  const bool listed =
      there && std::ranges::find(requirement.values, label->second) != requirement.values.end();
  return listed == (requirement.kind == Kind::In);
}

bool LabelSelector::matches(const api::Labels& labels) const {
  return std::ranges::all_of(requirements_, [&labels](const Requirement& requirement) {
    return holds(requirement, labels);
  });
}

}  // namespace nlc::controller

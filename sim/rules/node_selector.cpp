#include "sim/rules/node_selector.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "runtime/dns_name.h"
#include "runtime/words.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

constexpr std::string_view letters_and_digits =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

/// Of a label; the name in its key is of the same letters.
bool is_value(std::string_view text) {
  constexpr std::size_t longest = 63;
  const std::string inside = std::string(letters_and_digits) + "-_.";
  return text.empty() || (text.size() <= longest && text.find_first_not_of(inside) == text.npos &&
                          letters_and_digits.find(text.front()) != text.npos &&
                          letters_and_digits.find(text.back()) != text.npos);
}

/// NAME or PREFIX/NAME.
bool is_key(std::string_view text) {
  constexpr std::size_t longest_prefix = 253;
  const std::size_t slash = text.find('/');
  if (slash == text.npos) return !text.empty() && is_value(text);
  const std::string_view name = text.substr(slash + 1);
  return slash <= longest_prefix && is_dns_subdomain(text.substr(0, slash)) && !name.empty() &&
         is_value(name);
}

std::optional<NodeSelector> with_label(std::string_view key) {
  if (!is_key(key)) return std::nullopt;
  return [key = std::string(key)](const api::Node& node) { return node.label(key) != nullptr; };
}

std::optional<NodeSelector> with_label_of(std::string_view key,
                                          const std::vector<std::string_view>& values) {
  std::set<std::string> named;
  for (const std::string_view value : values) named.emplace(trimmed(value));
  if (!is_key(key) || !std::ranges::all_of(named, is_value)) return std::nullopt;
  return [key = std::string(key), named = std::move(named)](const api::Node& node) {
    const std::string* value = node.label(key);
    return value != nullptr && named.contains(*value);
  };
}

/// Those without the label, too.
std::optional<NodeSelector> all_but(std::optional<NodeSelector> named) {
  if (!named) return std::nullopt;
  return [named = *std::move(named)](const api::Node& node) { return !named(node); };
}

std::optional<NodeSelector> with_value(std::string_view text, std::size_t sign) {
  const bool differs = sign > 0 && text[sign - 1] == '!';
  const bool is_double = !differs && text.substr(sign).starts_with("==");
  const std::string_view key = trimmed(text.substr(0, differs ? sign - 1 : sign));
  const auto equal = with_label_of(key, {text.substr(sign + (is_double ? 2 : 1))});
  return differs ? all_but(equal) : equal;
}

std::optional<NodeSelector> with_one_of(std::string_view text, std::size_t bracket) {
  const std::vector<std::string_view> words = words_of(text.substr(0, bracket));
  if (words.size() != 2 || !text.ends_with(')')) return std::nullopt;
  const std::string_view values = text.substr(bracket + 1, text.size() - bracket - 2);
  const auto listed = with_label_of(words[0], parts_of(values, ','));
  if (words[1] == "in") return listed;
  return words[1] == "notin" ? all_but(listed) : std::nullopt;
}

std::optional<NodeSelector> with_requirement(std::string_view text) {
  if (text.starts_with('!')) return all_but(with_label(trimmed(text.substr(1))));
  if (const std::size_t sign = text.find('='); sign != text.npos) return with_value(text, sign);
  if (const std::size_t bracket = text.find('('); bracket != text.npos) {
    return with_one_of(text, bracket);
  }
  return with_label(text);
}

/// Up to the comma behind it, which is none in brackets.
std::string_view first_requirement(std::string_view text) {
  std::size_t end = text.find_first_of(",(");
  if (end != text.npos && text[end] == '(') end = text.find(',', text.find(')', end));
  return text.substr(0, end);
}

}  // namespace

std::optional<NodeSelector> zone_named(std::string_view text) {
  if (text == "-") return zone_named("-/-");
  std::vector<std::string> halves;
  for (const std::string_view half : parts_of(text, '/')) {
    if (half.empty() || (half != "-" && !is_value(half))) return std::nullopt;
    halves.emplace_back(half == "-" ? std::string_view() : half);
  }
  if (halves.size() > 2) return std::nullopt;
  if (halves.size() == 2) {
    return [zone = halves[0] + "/" + halves[1]](const api::Node& node) {
      return zone_of(node) == zone;
    };
  }
  return [half = halves[0]](const api::Node& node) {
    const std::string zone = zone_of(node);
    return zone.starts_with(half + "/") || zone.ends_with("/" + half);
  };
}

std::optional<NodeSelector> labels_named(std::string_view text) {
  std::vector<NodeSelector> all;
  for (bool ends = false; !ends;) {
    const std::string_view first = first_requirement(text);
    std::optional<NodeSelector> one = with_requirement(trimmed(first));
    if (!one) return std::nullopt;
    all.push_back(*std::move(one));
    ends = first.size() == text.size();
    text.remove_prefix(ends ? text.size() : first.size() + 1);
  }
  return [all = std::move(all)](const api::Node& node) {
    return std::ranges::all_of(all, [&node](const NodeSelector& one) { return one(node); });
  };
}

}  // namespace nlc::sim::rules

#include <array>
#include <charconv>
#include <cmath>

#include "runtime/time.h"
#include "sim/scenario/checking/look.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

/// Timestamps are stored in whole seconds.
constexpr Duration tolerance = std::chrono::seconds(1);

std::optional<WallTime> time_in(const Json& value) {
  return value.is_string() ? parse_rfc3339(value.get_ref<const std::string&>()) : std::nullopt;
}

bool is_nothing(const Json& value) { return value.is_null() || value == ""; }

bool equal(const Json& found, const Json& wanted) {
  if (wanted.is_null()) return is_nothing(found);
  const auto left = time_in(found);
  const auto right = time_in(wanted);
  if (left && right) return std::chrono::abs(*left - *right) <= tolerance;
  return found == wanted || (is_nothing(found) && is_nothing(wanted));
}

}  // namespace

std::string difference(const Json& found, const FieldWish& wish, WallTime start) {
  if (!wish.between) {
    if (equal(found, wish.value)) return {};
    return "is " + found.dump() + ", not " + wish.value.dump();
  }
  const auto time = time_in(found);
  const auto [from, until] = *wish.between;
  const std::string interval = "between " + offset_text(from) + " and " + offset_text(until);
  if (!time) return "is " + found.dump() + ", not a time " + interval;
  const Duration offset = *time - start;
  if (from - tolerance <= offset && offset <= until + tolerance) return {};
  return "is " + found.dump() + " (" + offset_text(offset) + "), not " + interval;
}

std::string difference(const Json& found, const FieldWishes& wishes, WallTime start) {
  for (const auto& [field, wish] : wishes) {
    const auto at = found.find(field);
    const std::string wrong = difference(at == found.end() ? Json() : *at, wish, start);
    if (!wrong.empty()) return field + " " + wrong;
  }
  return {};
}

std::string number_text(double number) {
  std::array<char, 32> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  (void)error;  // 32 characters hold the shortest form of any double
  return {text.data(), end};
}

std::string amount_text(const Amount& amount) {
  if (amount.min == amount.max) return number_text(amount.min);
  if (std::isinf(amount.max)) return "at least " + number_text(amount.min);
  if (std::isinf(amount.min)) return "at most " + number_text(amount.max);
  return number_text(amount.min) + " to " + number_text(amount.max);
}

}  // namespace nlc::sim::scenario

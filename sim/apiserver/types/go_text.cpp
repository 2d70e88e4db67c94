#include "sim/apiserver/types/go_text.h"

#include <absl/strings/escaping.h>
#include <algorithm>
#include <array>

#include "runtime/go_duration.h"
#include "runtime/parse_number.h"
#include "sim/apiserver/types/json_text.h"

namespace nlc::sim {
namespace {

template <typename Number>
GoNumber<Number> number_of(std::string_view function, std::string_view text,
                           std::string_view digits) {
  if (const auto number = parse_number<Number>(digits)) return {*number, ""};
  if (digits.starts_with('-')) digits.remove_prefix(1);
  const bool is_number =
      !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
  return {0, "strconv." + std::string(function) + ": parsing " + json_text(text) + ": " +
                 (is_number ? "value out of range" : "invalid syntax")};
}

/// The time package quotes byte by byte.
std::string quoted(std::string_view text) {
  std::string result = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\')
      result.append({'\\', letter});
    else if (letter >= ' ' && letter <= '~')
      result += letter;
    else
      result += "\\x" + absl::BytesToHexString({&letter, 1});
  }
  return result + "\"";
}

std::size_t digits_in(std::string_view text) {
  return std::min(text.find_first_not_of("0123456789"), text.size());
}

bool is_unit(std::string_view text) {
  constexpr std::array<std::string_view, 8> units{"ns", "us", "\u00b5s", "\u03bcs",
                                                  "ms", "s",  "m",       "h"};
  return std::ranges::find(units, text) != units.end();
}

}  // namespace

GoNumber<std::int64_t> go_int(std::string_view text) {
  const std::string_view digits = text.substr(text.starts_with('+') ? 1 : 0);
  const bool twice = digits.size() < text.size() && digits.starts_with('-');
  return number_of<std::int64_t>("ParseInt", text, twice ? text : digits);
}

GoNumber<std::uint64_t> go_uint(std::string_view text) {
  const std::string_view unsigned_only = text.starts_with('-') ? "" : text;
  return number_of<std::uint64_t>("ParseUint", text, unsigned_only);
}

std::string go_duration_fault(std::string_view text) {
  if (parse_go_duration(text)) return "";
  std::string_view rest = text;
  if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
  while (!rest.empty()) {
    std::size_t digits = digits_in(rest);
    rest.remove_prefix(digits);
    if (rest.starts_with('.')) {
      const std::size_t fraction = digits_in(rest.substr(1));
      digits += fraction;
      rest.remove_prefix(fraction + 1);
    }
    if (digits == 0) break;
    const std::string_view unit = rest.substr(0, rest.find_first_of(".0123456789"));
    if (unit.empty()) return "time: missing unit in duration " + quoted(text);
    if (!is_unit(unit))
      return "time: unknown unit " + quoted(unit) + " in duration " + quoted(text);
    rest.remove_prefix(unit.size());
  }
  return "time: invalid duration " + quoted(text);
}

}  // namespace nlc::sim

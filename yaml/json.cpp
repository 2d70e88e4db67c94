#include "yaml/json.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <system_error>

#include "runtime/parse_number.h"

namespace nlc::yaml {
namespace {

using Json = nlohmann::json;

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, text) != words.end();
}

/// 0x1f, 0b11, 0o17, and 017, which is octal as well.
template <typename Number>
std::optional<Number> whole_number(std::string_view sign, std::string_view digits) {
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0') {
    const int mark = std::tolower(static_cast<unsigned char>(digits[1]));
    base = mark == 'x' ? 16 : mark == 'b' ? 2 : mark == 'o' || std::isdigit(mark) != 0 ? 8 : 10;
    if (base != 10) digits.remove_prefix(std::isdigit(mark) != 0 ? 1 : 2);
  }
  if (digits.empty() || digits[0] == '-') return std::nullopt;
  const std::string text = std::string(sign == "-" ? sign : "").append(digits);
  Number number{};
  const char* const whole = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), whole, number, base);
  if (error != std::errc{} || end != whole) return std::nullopt;
  return number;
}

/// Nothing of what only a float of C++ is: inf, nan.
std::optional<double> real_number(std::string_view sign, std::string_view digits) {
  if (digits.find_first_not_of("0123456789.eE+-") != digits.npos) return std::nullopt;
  const std::optional<double> number = parse_number<double>(digits);
  return number && sign == "-" ? -*number : number;
}

Json plain_value(const std::string& text) {
  if (is_one_of(text, {"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
    return true;
  }
  if (is_one_of(text, {"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
    return false;
  }
  std::string number = text;
  std::erase(number, '_');
  const std::size_t signs = number.starts_with('-') || number.starts_with('+') ? 1 : 0;
  const std::string_view sign = std::string_view(number).substr(0, signs);
  const std::string_view digits = std::string_view(number).substr(signs);
  if (digits.empty() || digits.find_first_of("0123456789.") != 0) return text;
  if (const auto whole = whole_number<std::int64_t>(sign, digits)) return *whole;
  if (const auto whole = whole_number<std::uint64_t>(sign, digits)) return *whole;
  if (const auto real = real_number(sign, digits)) return *real;
  return text;
}

}  // namespace

Json json_of(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Absent:
    case Value::Kind::Null:
      return nullptr;
    case Value::Kind::Text:
      return value.quoted ? Json(value.text) : plain_value(value.text);
    case Value::Kind::List: {
      Json list = Json::array();
      for (const Value& element : value.list) list.push_back(json_of(element));
      return list;
    }
    case Value::Kind::Map: {
      Json object = Json::object();
      for (const Value::Entry& entry : value.map) object[entry.key] = json_of(entry.value);
      return object;
    }
  }
  std::abort();  // unreachable: the switch is exhaustive
}

}  // namespace nlc::yaml

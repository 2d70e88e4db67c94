#include "sim/apiserver/types/quantity.h"

#include <array>
#include <cctype>
#include <cstdint>

#include "runtime/parse_number.h"

namespace nlc::sim {
namespace {

enum class Scale { Decimal, Binary, Exponent };

struct Suffix {
  std::string_view text;
  Scale scale;
  int power;  ///< of ten, or of 1024
};

constexpr std::array<Suffix, 16> suffixes{{{"n", Scale::Decimal, -9},
                                           {"u", Scale::Decimal, -6},
                                           {"m", Scale::Decimal, -3},
                                           {"", Scale::Decimal, 0},
                                           {"k", Scale::Decimal, 3},
                                           {"M", Scale::Decimal, 6},
                                           {"G", Scale::Decimal, 9},
                                           {"T", Scale::Decimal, 12},
                                           {"P", Scale::Decimal, 15},
                                           {"E", Scale::Decimal, 18},
                                           {"Ki", Scale::Binary, 1},
                                           {"Mi", Scale::Binary, 2},
                                           {"Gi", Scale::Binary, 3},
                                           {"Ti", Scale::Binary, 4},
                                           {"Pi", Scale::Binary, 5},
                                           {"Ei", Scale::Binary, 6}}};

struct Number {
  std::int64_t digits = 0;
  int power = 0;  ///< of ten
};

std::optional<Suffix> suffix_of(std::string_view text) {
  for (const Suffix& suffix : suffixes) {
    if (suffix.text == text) return suffix;
  }
  if (text.size() < 2 || (text[0] != 'e' && text[0] != 'E')) return std::nullopt;
  text.remove_prefix(text[1] == '+' ? 2 : 1);
  const auto power = parse_number<int>(text);
  if (!power) return std::nullopt;
  return Suffix{text, Scale::Exponent, *power};
}

/// Without the zeros at its end.
Number reduced(Number number) {
  if (number.digits == 0) return {};
  for (; number.digits % 10 == 0; ++number.power) number.digits /= 10;
  return number;
}

std::string written(Number number, Scale scale) {
  number = reduced(number);
  for (; number.power % 3 != 0; --number.power) number.digits *= 10;
  // Nothing smaller than a billionth is kept.
  const std::string digits = std::to_string(number.digits);
  if (scale == Scale::Exponent)
    return number.power == 0 ? digits : digits + "e" + std::to_string(number.power);
  for (const Suffix& suffix : suffixes) {
    if (suffix.scale == Scale::Decimal && suffix.power == number.power)
      return digits + std::string(suffix.text);
  }
  return digits;
}

/// Of a whole number of 1024 or more.
std::string written_in_binary(std::int64_t whole) {
  int power = 0;
  for (; whole % 1024 == 0 && power < 6; ++power) whole /= 1024;
  for (const Suffix& suffix : suffixes) {
    if (suffix.scale == Scale::Binary && suffix.power == power)
      return std::to_string(whole) + std::string(suffix.text);
  }
  return std::to_string(whole);
}

}  // namespace

std::optional<std::string> canonical_quantity(std::string_view text) {
  const std::string_view all = text;
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  std::string digits;
  int power = 0;
  bool fraction = false;
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (text[at] == '.' && !fraction) {
      fraction = true;
    } else if (std::isdigit(static_cast<unsigned char>(text[at])) != 0) {
      digits.push_back(text[at]);
      power -= fraction ? 1 : 0;
    } else {
      break;
    }
  }
  const std::optional<Suffix> suffix = suffix_of(text.substr(at));
  if (digits.empty() || !suffix) return std::nullopt;
  if (digits.size() > 15) return std::string(all);
  Number number{std::stoll(digits) * (negative ? -1 : 1), power};
  if (suffix->scale != Scale::Binary) {
    number.power += suffix->power;
    return written(number, suffix->scale);
  }
  number = reduced(number);
  std::int64_t whole = number.digits;
  for (int i = 0; i < suffix->power; ++i) {
    if (__builtin_mul_overflow(whole, std::int64_t{1024}, &whole)) return std::string(all);
  }
  for (; number.power > 0; --number.power) {
    if (__builtin_mul_overflow(whole, std::int64_t{10}, &whole)) return std::string(all);
  }
  for (; number.power < 0 && whole % 10 == 0; ++number.power) whole /= 10;
  const bool small = number.power < 0 || (whole > -1024 && whole < 1024);
  return small ? written({whole, number.power}, Scale::Decimal) : written_in_binary(whole);
}

}  // namespace nlc::sim

#pragma once

#include <algorithm>
#include <string_view>

/// Names of objects as Kubernetes allows them (RFC 1123), their length aside.
namespace nlc {

constexpr bool is_lower_alphanumeric(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9');
}

/// Of a namespace: letters, digits and "-" between.
constexpr bool is_dns_label(std::string_view text) {
  return !text.empty() && is_lower_alphanumeric(text.front()) &&
         is_lower_alphanumeric(text.back()) && std::ranges::all_of(text, [](char letter) {
           return is_lower_alphanumeric(letter) || letter == '-';
         });
}

/// Of most other objects: labels with "." between.
constexpr bool is_dns_subdomain(std::string_view text) {
  while (true) {
    const std::size_t dot = std::min(text.find('.'), text.size());
    if (!is_dns_label(text.substr(0, dot))) return false;
    if (dot == text.size()) return true;
    text.remove_prefix(dot + 1);
  }
}

}  // namespace nlc

#include "net/http/server_address.h"

#include <absl/strings/ascii.h>
#include <absl/strings/match.h>
#include <algorithm>
#include <arpa/inet.h>

#include "runtime/parse_number.h"

namespace nlc::net {
namespace {

bool is_host(std::string_view text) {
  return !text.empty() && std::ranges::all_of(text, [](unsigned char letter) {
    return absl::ascii_isalnum(letter) || letter == '-' || letter == '.' || letter == '_';
  });
}

/// A zone may stand behind it: "fe80::1%2".
bool is_ipv6(std::string_view text) {
  if (text.find_first_not_of("0123456789abcdefABCDEF:.%") != std::string_view::npos) return false;
  if (text.ends_with('%')) return false;
  const std::string address(text.substr(0, text.find('%')));
  in6_addr parsed{};
  return inet_pton(AF_INET6, address.c_str(), &parsed) == 1;
}

/// Takes `head` off the front of `text`, where it may stand in capitals.
bool take(std::string_view& text, std::string_view head) {
  if (!absl::StartsWithIgnoreCase({text.data(), text.size()}, {head.data(), head.size()})) {
    return false;
  }
  text.remove_prefix(head.size());
  return true;
}

/// "host", "host:port", "[v6]", "[v6]:port".
bool read_authority(std::string_view text, ServerAddress& address) {
  std::string_view host;
  if (take(text, "[")) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return false;
    host = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!is_ipv6(host)) return false;
  } else {
    host = text.substr(0, text.find(':'));
    text.remove_prefix(host.size());
    if (!is_host(host)) return false;
  }
  address.host = std::string(host);
  if (text.empty()) return true;
  if (!take(text, ":")) return false;
  address.port = parse_number<std::uint16_t>(text).value_or(0);
  return address.port != 0;
}

}  // namespace

std::optional<ServerAddress> parse_server_address(std::string_view url) {
  ServerAddress address;
  if (take(url, "http://")) {
    address.tls = false;
    address.port = 80;
  } else if (!take(url, "https://")) {
    return std::nullopt;
  }
  if (url.find_first_of("@?# \t\r\n") != std::string_view::npos) return std::nullopt;
  const std::size_t slash = std::min(url.find('/'), url.size());
  if (!read_authority(url.substr(0, slash), address)) return std::nullopt;
  address.path_prefix = std::string(url.substr(slash));
  while (address.path_prefix.ends_with('/')) address.path_prefix.pop_back();
  return address;
}

}  // namespace nlc::net

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace nlc::net {

/// The parts of an API server's URL.
struct ServerAddress {
  bool tls = true;
  std::string host;  ///< IPv6 without brackets
  std::uint16_t port = 443;
  std::string path_prefix;  ///< without a slash at the end

  bool operator==(const ServerAddress&) const = default;
};

/// Reads "https://10.0.0.1:6443", "http://[::1]:8080/prefix/", "HTTPS://api.example". Nothing when
/// the text is no such URL, or has user, query or fragment.
std::optional<ServerAddress> parse_server_address(std::string_view url);

}  // namespace nlc::net

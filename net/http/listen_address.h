#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace nlc::net {

/// Where to listen. An empty host is every address of the machine, IPv4 and IPv6; port 0 is any
/// free port.
struct ListenAddress {
  std::string host;
  std::uint16_t port = 0;

  bool operator==(const ListenAddress&) const = default;
};

/// Reads ":10290", "127.0.0.1:0", "[::1]:8080". The host must be an IP address, so that no name has
/// to be looked up before a program listens; "localhost" is taken as 127.0.0.1.
Result<ListenAddress> parse_listen_address(std::string_view text);

/// The same of a host alone. An empty one, 0.0.0.0 and :: are every address of both families.
Result<ListenAddress> listen_address_of(std::string_view host, std::uint16_t port);

/// "127.0.0.1:8080", "[::1]:8080", ":8080": as it would be written in a flag or a URL.
std::string address_text(std::string_view host, std::uint16_t port);

}  // namespace nlc::net

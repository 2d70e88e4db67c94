#include "net/http/listen_address.h"

#include <arpa/inet.h>

#include "runtime/parse_number.h"

namespace nlc::net {
namespace {

Error refusal(std::string_view text, std::string_view why) {
  return Error{.fault = Fault::Invalid,
               .path = "\"" + std::string(text) + "\" is no address to listen on: " +
                       std::string(why) + "; write it like :10290, 127.0.0.1:0 or [::1]:8080"};
}

bool is_ip(int family, const std::string& host) {
  in6_addr address{};  // large enough for both families
  return inet_pton(family, host.c_str(), &address) == 1;
}

}  // namespace

Result<ListenAddress> parse_listen_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos) return refusal(text, "the port is missing");
  const auto port = parse_number<std::uint16_t>(text.substr(colon + 1));
  if (!port) return refusal(text, "the port must be a number from 0 to 65535");

  const std::string_view before = text.substr(0, colon);
  if (before.empty()) return ListenAddress{.host = "", .port = *port};
  if (before == "localhost") return ListenAddress{.host = "127.0.0.1", .port = *port};
  if (before.front() == '[' && before.back() == ']') {
    const std::string host(before.substr(1, before.size() - 2));
    if (!is_ip(AF_INET6, host)) return refusal(text, "what stands in brackets is no IPv6 address");
    return ListenAddress{.host = host, .port = *port};
  }
  if (before.find(':') != std::string_view::npos) {
    return refusal(text, "an IPv6 address needs brackets");
  }
  const std::string host(before);
  if (!is_ip(AF_INET, host)) return refusal(text, "the host must be an IP address");
  return ListenAddress{.host = host, .port = *port};
}

Result<ListenAddress> listen_address_of(std::string_view host, std::uint16_t port) {
  if (host.empty() || host == "0.0.0.0" || host == "::")
    return ListenAddress{.host = "", .port = port};
  const std::string ip(host);
  if (is_ip(AF_INET, ip) || is_ip(AF_INET6, ip)) return ListenAddress{.host = ip, .port = port};
  return bad_input("must be an IP address, such as 0.0.0.0, 127.0.0.1 or ::1");
}

std::string address_text(std::string_view host, std::uint16_t port) {
  const bool bare_ipv6 = host.find(':') != std::string_view::npos;
  const std::string name = bare_ipv6 ? "[" + std::string(host) + "]" : std::string(host);
  return name + ":" + std::to_string(port);
}

}  // namespace nlc::net

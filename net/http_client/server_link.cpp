#include "net/http_client/server_link.h"

#include <cassert>
#include <string_view>

#include "net/http/listen_address.h"

namespace nlc::net {
namespace {

void append_field(std::string& head, std::string_view name, std::string_view value) {
  if (value.empty()) return;
  assert(value.find_first_of("\r\n") == std::string_view::npos);  // It would begin another header.
  head.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

bool asks_for_a_page(const client::Request& request) {
  return request.target.find("limit=") != std::string::npos;
}

std::string request_bytes(const ServerLink& link, const client::Request& request,
                          const std::string& authorization) {
  assert(request.target.find_first_of(" \r\n") == std::string::npos);
  std::string bytes =
      request.method + " " + link.server.path_prefix + request.target + " HTTP/1.1\r\n";
  append_field(bytes, "Host", address_text(link.server.host, link.server.port));
  append_field(bytes, "User-Agent", link.user_agent);
  append_field(bytes, "Accept", request.accept);
  append_field(bytes, "Authorization", authorization);
  append_field(bytes, "Content-Type", request.content_type);
  const bool bodiless =
      request.body.empty() && (request.method == "GET" || request.method == "DELETE");
  if (!bodiless) append_field(bytes, "Content-Length", std::to_string(request.body.size()));
  bytes += "\r\n";
  bytes += request.body;
  return bytes;
}

std::string user_agent(std::string_view program) {
#if defined(__aarch64__)
  constexpr std::string_view machine = "arm64";
#elif defined(__x86_64__)
  constexpr std::string_view machine = "amd64";
#else
  constexpr std::string_view machine = "unknown";
#endif
  return std::string(program) + "/" NLC_VERSION " (linux/" + std::string(machine) + ")";
}

}  // namespace nlc::net

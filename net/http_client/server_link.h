#pragma once

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>

#include "client/limits/gate.h"
#include "client/transport.h"
#include "net/config/cluster_config.h"
#include "net/credentials/credentials.h"
#include "net/http_client/stream_pace.h"
#include "net/loop/asio_loop.h"

namespace nlc::net {

class TlsContext;

/// What all connections of one transport share, on its I/O thread.
struct ServerLink {
  AsioLoop& loop;
  const ClusterConfig& server;
  const client::Gate& gate;
  Credentials& credentials;
  TlsContext& tls;
  std::string user_agent;
  StreamPace pace{std::chrono::seconds(1)};
};

/// The request as it goes over the wire, head and body.
std::string request_bytes(const ServerLink& link, const client::Request& request,
                          const std::string& authorization);

/// Whether the answer is a page of a list, which is as long as its objects are.
bool asks_for_a_page(const client::Request& request);

/// The longest body that is taken of any other answer, in bytes, whoever reads it: an object in
/// etcd has 1.5 MiB at most, and is longer in JSON.
inline constexpr std::size_t single_body_limit = 8 * 1024 * 1024;

/// Said of every answer that is longer than it may be.
inline constexpr const char* answer_too_long = "the answer is too long";

/// Said of every request that was given up. The time it had is no part of it: that of a renewal
/// differs each time, and what differs each time is told each time.
inline constexpr const char* no_answer_in_time = "no answer in time";

/// "node-lifecycle-controller/0.1.0 (linux/amd64)"
std::string user_agent(std::string_view program);

}  // namespace nlc::net

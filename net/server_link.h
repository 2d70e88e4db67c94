#pragma once

#include <string>

#include "client/gate.h"
#include "client/transport.h"
#include "net/asio_loop.h"
#include "net/cluster_config.h"
#include "net/credentials.h"
#include "net/stream_pace.h"

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
  StreamPace pace = {};
};

/// The request as it goes over the wire, head and body.
std::string request_bytes(const ServerLink& link, const client::Request& request,
                          const std::string& authorization);

/// Said of every request that was given up. The time it had is no part of it: that of a renewal
/// differs each time, and what differs each time is told each time.
inline constexpr const char* no_answer_in_time = "no answer in time";

/// "node-lifecycle-controller/0.1.0 (linux/amd64)"
std::string user_agent(const std::string& program);

}  // namespace nlc::net

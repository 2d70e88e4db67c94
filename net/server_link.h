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

/// "node-lifecycle-controller/0.1.0 (linux/amd64)"
std::string user_agent(const std::string& program);

}  // namespace nlc::net

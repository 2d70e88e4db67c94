#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "client/limits/gate.h"
#include "client/transport.h"
#include "net/config/cluster_config.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

namespace nlc::net {

class AsioLoop;
class Credentials;

/// What a transport stands on; everything outlives it.
struct Surroundings {
  const Clock& clock;
  Executor& executor;  ///< answers and watches are heard here
  const client::Gate& gate;
  Log& log;
  /// The executor, where sockets are to live on its thread: handing what was read to another one
  /// would cost more than reading it. Without it they have an I/O thread of their own.
  AsioLoop* loop = nullptr;
};

struct SocketTransportOptions {
  std::string user_agent;
  /// For gated writes, and again for the other priorities; the election has its own. More than the
  /// limits before us let out (64, and eight times as many that hang, each of which holds one).
  std::size_t connections_max = 640;
};

/// The seam over real sockets, on Boost.Beast: watches, gated writes, and every other priority as
/// well, so that it is complete by itself. Sockets, TLS and the decoding of watches live on an I/O
/// thread of its own, or on the executor's.
///
/// Build, use and destroy it on the executor's thread. What was not answered when it is destroyed
/// stays unanswered; subscriptions of watches may outlive it. A host name is looked up by the C
/// library: while that hangs, destruction waits.
class SocketTransport final : public client::Transport {
 public:
  /// To the credentials' server; they outlive it.
  SocketTransport(Credentials& credentials, const Surroundings& surroundings,
                  SocketTransportOptions options);
  /// With credentials of its own.
  SocketTransport(ClusterConfig server, const Surroundings& surroundings,
                  SocketTransportOptions options);
  ~SocketTransport() override;
  SocketTransport(const SocketTransport&) = delete;
  SocketTransport& operator=(const SocketTransport&) = delete;

  void send(client::Request request, client::Answer answer) override;
  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override;

 private:
  struct Io;
  std::unique_ptr<Io> io_;
  CallbackScope callbacks_;  // of subscriptions
};

}  // namespace nlc::net

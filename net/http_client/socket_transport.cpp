#include "net/http_client/socket_transport.h"

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "net/credentials/credentials.h"
#include "net/credentials/tls_context.h"
#include "net/http_client/server_link.h"
#include "net/http_client/unary_pool.h"
#include "net/http_client/watch_stream.h"
#include "net/loop/asio_loop.h"

namespace nlc::net {
namespace {

// One for the renewal and one for a read beside it; no other priority uses them.
constexpr std::size_t election_connections = 2;

AsioLoop loop_for(const Surroundings& around) {
  if (around.loop == nullptr) return AsioLoop(around.clock);
  return AsioLoop(around.clock, around.loop->context());
}

}  // namespace

struct SocketTransport::Io {
  Io(Credentials& credentials, const Surroundings& around, SocketTransportOptions how)
      : executor(around.executor),
        loop(loop_for(around)),
        tls(credentials),
        link{loop, credentials.server(), around.gate, credentials, tls, std::move(how.user_agent)},
        election(link, election_connections),
        writes(link, how.connections_max),
        rest(link, how.connections_max) {
    if (around.loop == nullptr) thread.emplace(loop);
  }

  UnaryPool& pool_for(client::RequestPriority priority) {
    if (priority == client::RequestPriority::Election) return election;
    return client::is_gated(priority) ? writes : rest;
  }

  void open_watch(std::uint64_t number, std::shared_ptr<SharedReader> shared,
                  client::Request request) {
    auto stream =
        std::make_unique<WatchStream>(link, executor, std::move(shared), std::move(request));
    WatchStream& opened = *watches.emplace(number, std::move(stream)).first->second;
    opened.start([this, number] { loop.post([this, number] { watches.erase(number); }); });
  }

  Executor& executor;
  std::unique_ptr<Credentials> own_credentials;  // where nobody else has them
  std::uint64_t next_watch = 0;                  // executor's thread

  // From here on everything belongs to the I/O thread. If it is one of our own, it ends before the
  // rest does; on the executor's, what was posted and not run is dropped with the loop.
  AsioLoop loop;
  TlsContext tls;
  ServerLink link;
  UnaryPool election;
  UnaryPool writes;
  UnaryPool rest;
  std::map<std::uint64_t, std::unique_ptr<WatchStream>> watches;
  std::optional<LoopThread> thread;
};

SocketTransport::SocketTransport(Credentials& credentials, const Surroundings& surroundings,
                                 SocketTransportOptions options)
    : io_(std::make_unique<Io>(credentials, surroundings, std::move(options))) {}

SocketTransport::SocketTransport(ClusterConfig server, const Surroundings& surroundings,
                                 SocketTransportOptions options) {
  auto own = std::make_unique<Credentials>(std::move(server), surroundings.clock, surroundings.log);
  io_ = std::make_unique<Io>(*own, surroundings, std::move(options));
  io_->own_credentials = std::move(own);
}

SocketTransport::~SocketTransport() = default;

void SocketTransport::send(client::Request request, client::Answer answer) {
  Io& io = *io_;
  const Instant deadline = io.loop.clock().now() + request.timeout;
  client::Answer posted = [&executor = io.executor,
                           answer = std::move(answer)](Result<client::Response> result) {
    executor.post([answer, result = std::move(result)]() mutable { answer(std::move(result)); });
  };
  io.loop.post([&io, deadline, request = std::move(request), posted = std::move(posted)]() mutable {
    UnaryPool& pool = io.pool_for(request.priority);
    pool.submit(std::move(request), deadline, std::move(posted));
  });
}

Subscription SocketTransport::watch(client::Request request,
                                    std::unique_ptr<client::StreamReader> reader) {
  Io& io = *io_;
  const std::uint64_t number = io.next_watch++;
  auto shared = std::make_shared<SharedReader>();
  shared->reader = std::move(reader);
  io.loop.post([&io, number, shared, request = std::move(request)] {
    io.open_watch(number, shared, request);
  });
  auto close = callbacks_.guard(
      [&io, number] { io.loop.post([&io, number] { io.watches.erase(number); }); });
  return Subscription([shared, close = std::move(close)]() mutable {
    shared->ended = true;
    close();
  });
}

}  // namespace nlc::net

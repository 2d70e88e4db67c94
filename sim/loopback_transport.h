#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "client/endpoint.h"
#include "client/limits/gate.h"
#include "client/transport.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"

namespace nlc::sim {

/// How the network between one client and the server behaves.
enum class Link : std::uint8_t {
  Up,
  Refused,  ///< connections fail at once; open streams break
  Silent    ///< packets vanish: requests hang until their timeout, streams say nothing
};

struct LoopbackOptions {
  Duration latency{std::chrono::milliseconds(1)};  ///< one way
  std::string user_agent = "loopback";
};

/// A transport that calls an endpoint in the same process, in virtual time: the other side of the
/// seam for simulations. Keeps every promise of `client::Transport`: answers come exactly once, on
/// the executor, never inline; gated priorities look at the gate at the moment of sending and may
/// not outlast it; ended streams are silent.
///
/// Requests that were sent before the link broke reach the server; what does not come back is the
/// answer, as in a real network. Bytes of a silent stream arrive when the link is up again.
class LoopbackTransport final : public client::Transport {
 public:
  struct Env {
    Executor& executor;
    const Clock& clock;
    client::Endpoint& endpoint;
    const client::Gate& gate;
    /// Carries what was sent while the client's own thread may stand still; null: `executor`.
    Executor* wire = nullptr;
  };

  LoopbackTransport(Env env, LoopbackOptions options);
  ~LoopbackTransport() override;

  void send(client::Request request, client::Answer answer) override;
  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override;

  void set_link(Link link);
  Link link() const { return link_; }

 private:
  struct Exchange;
  struct Stream;
  class ExchangeReply;
  class StreamReply;

  /// Something the server did with a stream, on its way to the reader.
  using Arrival = std::function<void(LoopbackTransport&, Stream&)>;

  Executor& wire() const { return env_.wire != nullptr ? *env_.wire : env_.executor; }
  client::IncomingRequest incoming(client::Request request) const;
  void reach_server(std::uint64_t id);
  void answer_with(std::uint64_t id, Result<client::Response> result);
  void came_back(std::uint64_t id, Result<client::Response> result, Instant when);
  void complete(std::uint64_t id, Result<client::Response> result);
  void depart(std::uint64_t id);
  void arrive(std::uint64_t id, Arrival what);
  void schedule_arrival(std::uint64_t id);
  void deliver(std::uint64_t id);
  void end_stream(std::uint64_t id, const client::StreamEnd& end);
  void drop_stream(std::uint64_t id);
  Stream* retire(std::unique_ptr<Stream> stream);

  const Env env_;
  const LoopbackOptions options_;
  Link link_ = Link::Up;
  std::uint64_t last_id_ = 0;
  std::map<std::uint64_t, std::unique_ptr<Exchange>> exchanges_;
  std::map<std::uint64_t, std::unique_ptr<Stream>> streams_;
  CallbackScope callbacks_;  ///< what the server still says, and subscriptions, may come later
};

}  // namespace nlc::sim

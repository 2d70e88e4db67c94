#include "sim/loopback_transport.h"

#include <algorithm>
#include <cassert>
#include <deque>
#include <utility>
#include <vector>

namespace nlc::sim {

using client::Answer;
using client::IncomingRequest;
using client::Request;
using client::Response;
using client::StreamEnd;
using client::StreamReader;

namespace {

Error unavailable(std::string why) { return {.fault = Fault::Unavailable, .path = std::move(why)}; }

}  // namespace

/// A request of which the answer has not been given yet.
struct LoopbackTransport::Exchange {
  Request request;
  Answer answer;
  Timer departure;
  Timer timeout;
  Timer returning;
  Subscription serving;  ///< last: ended first
};

struct LoopbackTransport::Stream {
  struct Due {
    Instant when;
    Arrival what;
  };

  Request request;
  std::unique_ptr<StreamReader> reader;
  Timer departure;
  bool departed = false;
  /// What the server sent, in order; held back while the link is silent.
  std::deque<Due> arriving;
  Timer next_arrival;
  Subscription serving;
};

/// The server's way back to one request. It may outlive the request and the transport.
class LoopbackTransport::ExchangeReply final : public client::Reply {
 public:
  explicit ExchangeReply(client::Answer answer) : answer_(std::move(answer)) {}
  ~ExchangeReply() override {
    if (!done_) give(unavailable("the connection broke before an answer came"));
  }

  void send(Response response, std::string_view) override { give(std::move(response)); }
  void open(std::string_view, std::optional<WallTime>) override { assert(false); }
  void write(std::shared_ptr<const std::string>) override { assert(false); }
  void close() override { assert(false); }

 private:
  void give(Result<Response> result) {
    done_ = true;
    answer_(std::move(result));
  }

  const client::Answer answer_;
  bool done_ = false;
};

class LoopbackTransport::StreamReply final : public client::Reply {
 public:
  using Carry = std::function<void(Arrival)>;

  StreamReply(Carry arrive, std::uint64_t id) : arrive_(std::move(arrive)), id_(id) {}
  ~StreamReply() override {
    if (!done_) end({.refused = {}, .broken = unavailable("the connection broke")});
  }

  void send(Response response, std::string_view) override {
    end({.refused = std::move(response), .broken = {}});
  }
  void open(std::string_view content_type, std::optional<WallTime> date) override {
    arrive_([type = std::string(content_type), date](LoopbackTransport&, Stream& stream) {
      stream.reader->on_head(type);
      stream.reader->on_open(date);
    });
  }
  void write(std::shared_ptr<const std::string> bytes) override {
    arrive_([bytes = std::move(bytes)](LoopbackTransport&, Stream& stream) {
      stream.reader->on_bytes(*bytes);
      if (const std::function<void()> taken = stream.reader->take({})) taken();
    });
  }
  void close() override { end({}); }

 private:
  void end(StreamEnd end) {
    done_ = true;
    arrive_([id = id_, end = std::move(end)](LoopbackTransport& transport, Stream&) {
      transport.end_stream(id, end);
    });
  }

  const Carry arrive_;
  const std::uint64_t id_;
  bool done_ = false;
};

LoopbackTransport::LoopbackTransport(Env env, LoopbackOptions options)
    : env_(env), options_(std::move(options)) {}

LoopbackTransport::~LoopbackTransport() = default;

IncomingRequest LoopbackTransport::incoming(Request request) const {
  return {.method = std::move(request.method),
          .target = std::move(request.target),
          .accept = std::move(request.accept),
          .content_type = std::move(request.content_type),
          .user_agent = options_.user_agent,
          .body = std::move(request.body)};
}

void LoopbackTransport::send(Request request, Answer answer) {
  const std::uint64_t id = ++last_id_;
  auto exchange = std::make_unique<Exchange>();
  Exchange& fresh = *exchange;
  fresh.request = std::move(request);
  fresh.answer = std::move(answer);
  exchanges_.emplace(id, std::move(exchange));

  const Instant now = env_.clock.now();
  Instant deadline = now + fresh.request.timeout;
  if (client::is_gated(fresh.request.priority)) {
    if (!env_.gate.is_open(now)) {
      return came_back(
          id, Error{.fault = Fault::NotLeading, .path = "the gate of leadership is closed"}, now);
    }
    deadline = std::min(deadline, env_.gate.end());
  }
  if (link_ == Link::Refused)
    return came_back(id, unavailable("connection refused"), now + options_.latency);
  fresh.timeout = env_.executor.run_at(deadline, [this, id] {
    complete(id, Error{.fault = Fault::Timeout, .path = "no answer in time"});
  });
  if (link_ == Link::Silent) return;
  fresh.departure = wire().run_at(now + options_.latency, [this, id] { reach_server(id); });
}

void LoopbackTransport::reach_server(std::uint64_t id) {
  const auto found = exchanges_.find(id);
  assert(found != exchanges_.end());
  auto reply = std::make_unique<ExchangeReply>(callbacks_.guard(
      [this, id](Result<Response> result) { answer_with(id, std::move(result)); }));
  Subscription serving =
      env_.endpoint.serve(incoming(std::move(found->second->request)), std::move(reply));
  // Answers come later, so the exchange is still there; but the endpoint may have sent requests of
  // its own.
  exchanges_.at(id)->serving = std::move(serving);
}

void LoopbackTransport::answer_with(std::uint64_t id, Result<Response> result) {
  if (link_ == Link::Silent || !exchanges_.contains(id))
    return;  // lost on the way; the timeout will tell
  came_back(id, std::move(result), env_.clock.now() + options_.latency);
}

void LoopbackTransport::came_back(std::uint64_t id, Result<Response> result, Instant when) {
  exchanges_.at(id)->returning = env_.executor.run_at(
      when, [this, id, result = std::move(result)]() mutable { complete(id, std::move(result)); });
}

void LoopbackTransport::complete(std::uint64_t id, Result<Response> result) {
  auto entry = exchanges_.extract(id);
  if (entry.empty()) return;
  const std::unique_ptr<Exchange> exchange = std::move(entry.mapped());
  exchange->answer(std::move(result));
}

Subscription LoopbackTransport::watch(Request request, std::unique_ptr<StreamReader> reader) {
  const std::uint64_t id = ++last_id_;
  auto stream = std::make_unique<Stream>();
  Stream& fresh = *stream;
  fresh.request = std::move(request);
  fresh.reader = std::move(reader);
  streams_.emplace(id, std::move(stream));
  if (link_ == Link::Refused) {
    arrive(id, [id](LoopbackTransport& transport, Stream&) {
      transport.end_stream(id, {.refused = {}, .broken = unavailable("connection refused")});
    });
  } else {
    depart(id);
  }
  return Subscription(callbacks_.guard([this, id] { drop_stream(id); }));
}

/// A stream asked for over a silent link reaches the server when the link is up again.
void LoopbackTransport::depart(std::uint64_t id) {
  Stream& stream = *streams_.at(id);
  if (link_ == Link::Silent) return;
  stream.departure = wire().run_at(env_.clock.now() + options_.latency, [this, id] {
    Stream& due = *streams_.at(id);
    due.departed = true;
    auto reply = std::make_unique<StreamReply>(
        callbacks_.guard([this, id](Arrival what) { arrive(id, std::move(what)); }), id);
    Subscription serving = env_.endpoint.serve(incoming(std::move(due.request)), std::move(reply));
    const auto found = streams_.find(id);
    if (found != streams_.end()) found->second->serving = std::move(serving);
  });
}

void LoopbackTransport::arrive(std::uint64_t id, Arrival what) {
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  Stream& stream = *found->second;
  stream.arriving.push_back({env_.clock.now() + options_.latency, std::move(what)});
  if (stream.arriving.size() == 1) schedule_arrival(id);
}

void LoopbackTransport::schedule_arrival(std::uint64_t id) {
  Stream& stream = *streams_.at(id);
  if (stream.arriving.empty() || link_ == Link::Silent) return;
  stream.next_arrival =
      env_.executor.run_at(stream.arriving.front().when, [this, id] { deliver(id); });
}

/// One thing at a time: the reader may end its own stream in any of these calls.
void LoopbackTransport::deliver(std::uint64_t id) {
  Stream& stream = *streams_.at(id);
  const Arrival what = std::move(stream.arriving.front().what);
  what(*this, stream);
  const auto found = streams_.find(id);
  if (found == streams_.end()) return;
  found->second->arriving.pop_front();
  schedule_arrival(id);
}

void LoopbackTransport::end_stream(std::uint64_t id, const StreamEnd& end) {
  auto entry = streams_.extract(id);
  assert(!entry.empty());
  retire(std::move(entry.mapped()))->reader->on_end(end);
}

void LoopbackTransport::drop_stream(std::uint64_t id) {
  auto entry = streams_.extract(id);
  if (!entry.empty()) retire(std::move(entry.mapped()));
}

/// A reader may be dropped inside one of its own calls, so it dies a little later.
LoopbackTransport::Stream* LoopbackTransport::retire(std::unique_ptr<Stream> stream) {
  stream->departure.end();
  stream->next_arrival.end();
  stream->serving.end();
  const std::shared_ptr<Stream> kept = std::move(stream);
  env_.executor.post([kept] {});
  return kept.get();
}

void LoopbackTransport::set_link(Link link) {
  const Link before = std::exchange(link_, link);
  if (before == link) return;
  std::vector<std::uint64_t> ids;
  for (const auto& [id, stream] : streams_) ids.push_back(id);
  for (const std::uint64_t id : ids) {
    const auto found = streams_.find(id);
    if (found == streams_.end()) continue;
    Stream& stream = *found->second;
    stream.next_arrival.end();
    if (link == Link::Refused) {
      stream.serving.end();
      stream.departure.end();
      stream.arriving.clear();
      arrive(id, [id](LoopbackTransport& transport, Stream&) {
        transport.end_stream(id, {.refused = {}, .broken = unavailable("the connection broke")});
      });
    } else if (link == Link::Up) {
      if (!stream.departed && !stream.arriving.empty())
        schedule_arrival(id);
      else if (!stream.departed)
        depart(id);
      else
        schedule_arrival(id);
    } else if (!stream.departed) {
      stream.departure.end();
    }
  }
}

}  // namespace nlc::sim

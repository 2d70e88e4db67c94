#include "net/http_client/watch_stream.h"

#include <algorithm>
#include <utility>

namespace nlc::net {
namespace {

constexpr std::size_t refusal_limit = 64 * 1024;
// How much is read and decoded before it is handed over and other work of the loop gets its turn.
// More at once would fragment the heap as well.
constexpr std::size_t bytes_per_turn = 256 * 1024;
// More than comes in most pauses where 2,000 kubelets renew their leases, which they do in swarms.
constexpr std::size_t whole_read = bytes_per_turn;
// What can gather while a stream is left alone takes two turns to read: a whole read (SO_RCVLOWAT),
// and what comes while we wake up. A stream that needs more is behind, and is read on at once.
constexpr std::size_t turns_of_a_pause = 2;
// A server that queues the watch for fairness answers within 15 s.
constexpr Duration opening_time = std::chrono::seconds(60);

}  // namespace

WatchStream::WatchStream(ServerLink& link, Executor& executor, std::shared_ptr<SharedReader> shared,
                         client::Request request)
    : link_(link), executor_(executor), shared_(std::move(shared)), request_(std::move(request)) {}

void WatchStream::start(std::function<void()> finished) {
  finished_ = std::move(finished);
  open();
}

void WatchStream::open() {
  awaiting_ = false;
  opening_limit_ = link_.loop.run_at(link_.loop.clock().now() + opening_time, [this] {
    break_off(server_error(link_.server, Fault::Timeout, "the watch was not answered within 1m"));
  });
  refusal_.clear();
  connection_.emplace(link_.loop, link_.server, link_.tls);
  connection_->open([this](std::optional<Error> error) {
    if (error) return break_off(*std::move(error));
    write_request();
  });
}

void WatchStream::write_request() {
  authorization_ = link_.credentials.authorization();
  response_.emplace([this](std::string_view piece) { take_body(piece); });
  connection_->write(request_bytes(link_, request_, authorization_),
                     [this](std::optional<Error> error) {
                       if (error) return break_off(*std::move(error));
                       await_bytes();
                     });
}

void WatchStream::await_bytes() {
  if (awaiting_) return;
  awaiting_ = true;
  connection_->when_readable([this] {
    awaiting_ = false;
    drain();
  });
}

void WatchStream::drain() {
  events_ = 0;
  turns_ = 0;
  go_on();
}

/// Reads and decodes up to `bytes_per_turn` and hands the events over; then rests when the socket
/// is empty, or else reads on in the loop's next iteration.
void WatchStream::go_on() {
  Went went = Went::On;
  turn_ = 0;
  ++turns_;
  while (turn_ < bytes_per_turn && went == Went::On) went = take_piece();
  if (went == Went::Over) return;
  // Events of the first turn came at some time since the stream was left alone; those of later
  // turns have just come.
  hand_over(turns_ == 1 ? rested_ : std::nullopt);
  if (went == Went::Dry) return rest();
  next_look_ = link_.loop.run_at(link_.loop.clock().now(), [this] { go_on(); });
}

void WatchStream::rest() {
  const Instant now = link_.loop.clock().now();
  std::optional<Instant> look;
  // What takes more turns is no pace but a list, or what gathered while we were stopped.
  const bool is_abreast = turns_ <= turns_of_a_pause;
  if (is_abreast) link_.pace.brought(events_, now);
  const bool may_wait = announced_ && is_abreast && request_.batching > Duration{0};
  if (may_wait) look = link_.pace.next_look(now);
  if (look) look = std::min(*look, now + request_.batching);
  rested_ = look ? std::optional(now) : std::nullopt;
  const bool gathers = connection_->gather(look ? whole_read : 1);
  if (look) {
    next_look_ = link_.loop.run_at(*look, [this] { drain(); });
  } else {
    next_look_.end();
  }
  // Where SO_RCVLOWAT is refused, waiting for the socket would wake us for each event: then the
  // timer alone ends the rest.
  if (gathers || !look) await_bytes();
}

WatchStream::Went WatchStream::take_piece() {
  Connection::Read read = connection_->read(*response_);
  if (read.kind == Connection::Read::Kind::NothingYet) return Went::Dry;
  turn_ += read.size;
  if (read.error) {
    break_off(*std::move(read.error));
    return Went::Over;
  }
  if (!response_->is_complete()) return read.more ? Went::On : Went::Dry;
  response_over();
  return Went::Over;
}

bool WatchStream::is_accepted() const {
  return response_->has_head() && response_->head().status == 200;
}

void WatchStream::take_body(std::string_view piece) {
  if (!headed_ && is_accepted()) {
    headed_ = true;
    shared_->reader->on_head(response_->head().content_type);
  }
  if (!headed_) {
    refusal_.append(piece.substr(0, refusal_limit - refusal_.size()));
  } else if (!shared_->ended) {
    shared_->reader->on_bytes(piece);
  }
}

/// Posts to the executor that the watch was accepted, if that is new, and the events decoded since
/// the last call.
void WatchStream::hand_over(std::optional<Instant> since) {
  if (!announced_) {
    if (!is_accepted()) return;
    announced_ = true;
    opening_limit_.end();
    post([shared = shared_, date = response_->head().date] { shared->reader->on_open(date); });
  }
  if (shared_->ended) return;
  events_ += shared_->reader->events();
  if (std::function<void()> decoded = shared_->reader->take(since)) post(std::move(decoded));
}

void WatchStream::response_over() {
  hand_over(std::nullopt);
  if (announced_) return end({});
  const bool heals = response_->head().status == 401 && !repeated_ &&
                     link_.credentials.authorization_after(authorization_) != authorization_;
  if (heals) {
    repeated_ = true;
    return open();
  }
  client::Response refused = response_->head();
  refused.body = std::move(refusal_);
  end({.refused = std::move(refused)});
}

void WatchStream::break_off(Error error) {
  if (response_) hand_over(std::nullopt);  // Events that were complete before the break count.
  end({.broken = std::move(error)});
}

void WatchStream::end(client::StreamEnd end) {
  opening_limit_.end();
  next_look_.end();
  connection_.reset();
  post([shared = shared_, end = std::move(end)] { shared->reader->on_end(end); });
  const std::function<void()> finished = std::move(finished_);
  finished();
}

void WatchStream::post(std::function<void()> work) {
  executor_.post([shared = shared_, work = std::move(work)] {
    if (!shared->ended) work();
  });
}

}  // namespace nlc::net

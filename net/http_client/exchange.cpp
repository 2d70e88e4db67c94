#include "net/http_client/exchange.h"

#include <algorithm>
#include <cassert>

namespace nlc::net {
namespace {

/// Three collections are listed at once, within the memory that the Deployment allows. A page of
/// 500 pods is a tenth of that where they are large.
constexpr std::size_t page_limit = 64 * 1024 * 1024;
constexpr int reads_per_turn = 32;  // 2 MiB, then others get theirs

}  // namespace

void Exchange::perform(client::Request request, Instant deadline, Done done) {
  assert(!done_);
  request_ = std::move(request);
  deadline_ = deadline;
  done_ = std::move(done);
  repeated_ = false;
  give_up_at(deadline_);
  if (is_gated() && gate_is_shut()) return;  // No connection for what may not be said.
  was_kept_ = connection_ && connection_->is_quiet();
  if (was_kept_) return write_request();
  open_fresh();
}

void Exchange::open_fresh() {
  was_kept_ = false;
  connection_.emplace(link_.loop, link_.server, link_.tls);
  connection_->open([this](std::optional<Error> error) {
    if (error) return fail(std::move(*error));
    write_request();
  });
}

void Exchange::write_request() {
  authorization_ = link_.credentials.authorization();
  body_.clear();
  reader_.emplace([this](std::string_view piece) { body_ += piece; });
  if (is_gated() && gate_is_shut()) return;
  connection_->write(request_bytes(link_, request_, authorization_),
                     [this](std::optional<Error> error) {
                       if (error) return lost(std::move(*error));
                       await_answer();
                     });
}

/// The last check before the socket: a process that was suspended beyond the end of its lease must
/// not write.
bool Exchange::gate_is_shut() {
  give_up_at(std::min(deadline_, link_.gate.end()));
  if (link_.gate.is_open(link_.loop.clock().now())) return false;
  finish(
      Error{.fault = Fault::NotLeading, .path = "the right to write has ended, nothing was sent"});
  return true;
}

void Exchange::give_up_at(Instant moment) {
  timer_ = link_.loop.run_at(moment, [this, moment] {
    const std::string what =
        moment < deadline_ ? "no answer before the right to write ended" : no_answer_in_time;
    fail(server_error(link_.server, Fault::Timeout, what));
  });
}

void Exchange::await_answer() {
  connection_->when_readable([this] { drain(); });
}

void Exchange::drain() {
  for (int reads = 0; reads < reads_per_turn; ++reads) {
    if (!take_piece()) return;
  }
  // TLS may hold decrypted bytes that the socket does not show: only an empty read may end in a
  // wait.
  more_ = link_.loop.run_at(link_.loop.clock().now(), [this] { drain(); });
}

/// Answers whether another read may follow.
bool Exchange::take_piece() {
  Connection::Read read = connection_->read(*reader_);
  if (read.kind == Connection::Read::Kind::NothingYet) {
    await_answer();
    return false;
  }
  const std::size_t limit = asks_for_a_page(request_) ? page_limit : single_body_limit;
  if (!read.error && body_.size() > limit) {
    read.error = server_error(link_.server, Fault::Malformed, answer_too_long);
  }
  if (read.error) {
    lost(*std::move(read.error));
    return false;
  }
  if (!reader_->is_complete()) return true;
  answered();
  return false;
}

void Exchange::answered() {
  client::Response response = reader_->head();
  if (!reader_->is_reusable()) connection_.reset();
  if (response.status == 401 && !repeated_ && may_heal()) {
    repeated_ = true;
    return connection_ ? write_request() : open_fresh();
  }
  response.body = std::move(body_);
  finish(std::move(response));
}

/// By a token that has been read again, or by a client certificate that took the place of the one
/// with which a kept connection was opened.
bool Exchange::may_heal() {
  if (link_.credentials.authorization_after(authorization_) != authorization_) return true;
  if (!was_kept_ || link_.server.client_certificate.empty()) return false;
  connection_.reset();
  return true;
}

/// The connection broke after the first byte of the request may have left.
void Exchange::lost(Error error) {
  const bool harmless = request_.method == "GET" && !is_gated();
  if (was_kept_ && harmless && !reader_->has_begun()) return open_fresh();
  fail(std::move(error));
}

void Exchange::fail(Error error) {
  connection_.reset();
  finish(std::move(error));
}

void Exchange::finish(Result<client::Response> result) {
  timer_.end();
  more_.end();
  reader_.reset();  // a kept connection that is idle needs no buffer
  const Done done = std::exchange(done_, nullptr);
  done(std::move(result));
}

}  // namespace nlc::net

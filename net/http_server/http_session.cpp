#include "net/http_server/http_session.h"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/status.hpp>
#include <cassert>

#include "client/text_response.h"
#include "net/http/http_date.h"

namespace nlc::net {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using boost::system::error_code;

namespace {

/// Of a caller that sends while it is being answered.
constexpr std::size_t read_ahead_limit = 64 * 1024;

/// The endpoint's reply to one request; does nothing once the connection is gone.
class SessionReply final : public client::Reply {
 public:
  SessionReply(std::weak_ptr<HttpSession> session, std::uint64_t request)
      : session_(std::move(session)), request_(request) {}

  ~SessionReply() override {
    if (const auto session = session_.lock()) session->reply_dropped(request_);
  }

  void send(client::Response response, std::string_view warning) override {
    if (const auto session = session_.lock()) session->send(request_, std::move(response), warning);
  }
  void open(std::string_view content_type, std::optional<WallTime> date) override {
    if (const auto session = session_.lock()) session->open(request_, content_type, date);
  }
  void write(std::shared_ptr<const std::string> bytes) override {
    if (const auto session = session_.lock()) session->write(request_, std::move(bytes));
  }
  void close() override {
    if (const auto session = session_.lock()) session->close_stream(request_);
  }

 private:
  std::weak_ptr<HttpSession> session_;
  const std::uint64_t request_;
};

template <typename Name>
std::string field(const http::fields& fields, Name name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::string() : std::string(found->value());
}

client::IncomingRequest incoming(http::request<http::string_body>& request) {
  return client::IncomingRequest{.method = std::string(request.method_string()),
                                 .target = std::string(request.target()),
                                 .accept = field(request, http::field::accept),
                                 .content_type = field(request, http::field::content_type),
                                 .authorization = field(request, http::field::authorization),
                                 .user_agent = field(request, http::field::user_agent),
                                 .host = field(request, http::field::host),
                                 .last_event_id = field(request, "Last-Event-ID"),
                                 .body = std::move(request.body())};
}

void append_response_field(std::string& head, std::string_view name, std::string_view value) {
  head.append(name).append(": ").append(value).append("\r\n");
}

int status_of(const error_code& error) {
  if (error == http::error::body_limit) return 413;
  if (error == http::error::header_limit) return 431;
  return 400;
}

bool has_body(int status) { return status >= 200 && status != 204 && status != 304; }

}  // namespace

HttpSession::HttpSession(AsioLoop& loop, client::Endpoint& endpoint,
                         const HttpServerOptions& options, asio::ip::tcp::socket socket,
                         asio::ssl::context* tls)
    : loop_(loop), endpoint_(endpoint), options_(options), stream_(std::move(socket), tls) {}

void HttpSession::start(Left left) {
  left_ = std::move(left);
  stream_.is_secured() ? greet() : await_request();
}

void HttpSession::greet() {
  leave_after(options_.handshake_timeout);
  stream_.shake_hands([self = shared_from_this()](const error_code& error) {
    if (self->phase_ == Phase::Closed) return;
    if (error) return self->leave();
    self->await_request();
  });
}

void HttpSession::abandon() {
  left_ = nullptr;
  leave();
  serving_.end();
}

void HttpSession::await_request() {
  parser_.emplace();
  parser_->header_limit(options_.header_limit);
  parser_->body_limit(options_.body_limit);
  parser_->eager(true);
  phase_ = Phase::Receiving;
  begun_ = false;
  invited_ = false;
  leave_after(options_.idle_timeout);
  read();
}

void HttpSession::read() {
  if (reading_ || phase_ == Phase::Closed ||
      buffer_.size() >= read_ahead_limit + options_.header_limit) {
    return;
  }
  reading_ = true;
  stream_.read_some(asio::buffer(arriving_),
                    [self = shared_from_this()](const error_code& error, std::size_t size) {
                      self->on_read(error, size);
                    });
}

void HttpSession::on_read(const error_code& error, std::size_t size) {
  reading_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) return leave();  // Its end of writing counts as leaving too, as with the real server.
  if (phase_ != Phase::Lingering) keep(size);
  if (phase_ == Phase::Receiving) parse();
  read();
}

void HttpSession::keep(std::size_t size) {
  buffer_.commit(asio::buffer_copy(buffer_.prepare(size), asio::buffer(arriving_, size)));
}

void HttpSession::parse() {
  if (buffer_.size() > 0 && !begun_) {
    begun_ = true;
    leave_after(options_.request_timeout);
  }
  error_code error;
  std::size_t taken = 1;
  while (buffer_.size() > 0 && !parser_->is_done() && !error && taken > 0) {
    taken = parser_->put(buffer_.data(), error);
    buffer_.consume(taken);
  }
  if (error && error != http::error::need_more) {
    return refuse(status_of(error), error.message());
  }
  if (parser_->is_done()) return serve();
  if (parser_->is_header_done()) invite_body();
}

/// curl waits for this before it sends a long body.
void HttpSession::invite_body() {
  if (invited_ || parser_->get()[http::field::expect] != "100-continue") return;
  invited_ = true;
  stream_.write(asio::buffer(std::string_view("HTTP/1.1 100 Continue\r\n\r\n")),
                [self = shared_from_this()](const error_code&, std::size_t) {});
}

void HttpSession::refuse(int status, std::string_view why) {
  begin_answer();
  keep_alive_ = false;
  send(request_, client::line_response(status, why));
}

void HttpSession::begin_answer() {
  phase_ = Phase::Serving;
  deadline_.end();  // Thinking takes the endpoint as long as it likes.
  progress_ = Progress::Unanswered;
  outgoing_ = Outgoing();
  ++request_;
}

void HttpSession::serve() {
  begin_answer();
  keep_alive_ = parser_->get().keep_alive();
  http_1_0_ = parser_->get().version() < 11;
  auto reply = std::make_unique<SessionReply>(weak_from_this(), request_);
  // The endpoint may answer inside this call. That takes effect in a later iteration of the loop,
  // so no request ends or begins meanwhile.
  serving_ = endpoint_.serve(incoming(parser_->get()), std::move(reply));
}

bool HttpSession::is_current(std::uint64_t request) const {
  return phase_ == Phase::Serving && request == request_;
}

std::string HttpSession::head(const client::Response& response, std::string_view framing) {
  std::string text = http_1_0_ ? "HTTP/1.0 " : "HTTP/1.1 ";
  text += std::to_string(response.status);
  text += ' ';
  text += http::obsolete_reason(http::int_to_status(static_cast<unsigned>(response.status)))
              .to_string();
  text += "\r\n";
  append_response_field(text, "Date", http_date(response.date.value_or(loop_.clock().wall_now())));
  if (!response.content_type.empty())
    append_response_field(text, "Content-Type", response.content_type);
  if (response.retry_after) {
    append_response_field(
        text, "Retry-After",
        std::to_string(std::chrono::ceil<std::chrono::seconds>(*response.retry_after).count()));
  }
  text += options_.fields;
  if (!keep_alive_) append_response_field(text, "Connection", "close");
  if (keep_alive_ && http_1_0_) append_response_field(text, "Connection", "keep-alive");
  text += framing;
  return text;
}

void HttpSession::send(std::uint64_t request, client::Response response, std::string_view warning) {
  if (!is_current(request)) return;
  assert(progress_ == Progress::Unanswered);
  progress_ = Progress::Closing;
  std::string framing;
  if (!warning.empty()) append_response_field(framing, "Warning", warning);
  if (has_body(response.status)) {
    append_response_field(framing, "Content-Length", std::to_string(response.body.size()));
  }
  const bool silent = !has_body(response.status) || parser_->get().method() == http::verb::head;
  std::string text = head(response, framing + "\r\n");
  outgoing_.send(std::move(text), silent ? std::string() : std::move(response.body));
  pump();
}

void HttpSession::open(std::uint64_t request, std::string_view content_type,
                       std::optional<WallTime> date) {
  if (!is_current(request)) return;
  assert(progress_ == Progress::Unanswered);
  progress_ = Progress::Opening;
  if (http_1_0_) keep_alive_ = false;
  const client::Response response{
      .status = 200, .content_type = std::string(content_type), .date = date};
  outgoing_.open(head(response, http_1_0_ ? "\r\n" : "Transfer-Encoding: chunked\r\n\r\n"),
                 http_1_0_ ? Outgoing::Framing::UntilClose : Outgoing::Framing::Chunked);
  loop_.post([self = shared_from_this(), request] {
    if (!self->is_current(request)) return;
    if (self->progress_ == Progress::Opening) self->progress_ = Progress::Streaming;
    self->outgoing_.forgive();
    self->pump();
  });
}

void HttpSession::write(std::uint64_t request, std::shared_ptr<const std::string> bytes) {
  if (!is_current(request)) return;
  outgoing_.write(std::move(bytes));
  if (progress_ != Progress::Streaming) return;  // The first turn leaves as a whole.
  if (outgoing_.backlog() > options_.stream_backlog_limit) return leave();
  pump();
}

void HttpSession::close_stream(std::uint64_t request) {
  if (!is_current(request)) return;
  outgoing_.close();
  progress_ = Progress::Closing;
  loop_.post([self = shared_from_this()] { self->pump(); });
}

void HttpSession::reply_dropped(std::uint64_t request) {
  if (!is_current(request) || progress_ == Progress::Closing) return;
  if (progress_ != Progress::Unanswered)
    return leave();  // A stream without its end must not look complete.
  send(request, client::line_response(500, "the request was dropped without an answer"));
}

void HttpSession::pump() {
  if (writing_ || phase_ != Phase::Serving || progress_ == Progress::Unanswered) return;
  const std::vector<std::string_view> slice = outgoing_.next();
  if (slice.empty()) {
    if (outgoing_.finished()) answered();
    return;
  }
  std::vector<asio::const_buffer> buffers;
  buffers.reserve(slice.size());
  for (const std::string_view piece : slice) buffers.emplace_back(piece.data(), piece.size());
  writing_ = true;
  leave_after(options_.stall_timeout);
  stream_.write(buffers, [self = shared_from_this()](const error_code& error, std::size_t) {
    self->on_written(error);
  });
}

void HttpSession::on_written(const error_code& error) {
  writing_ = false;
  if (phase_ == Phase::Closed) return;
  if (error) return leave();
  deadline_.end();
  outgoing_.written();
  pump();
}

/// The answer is out: next request, or the end of the connection.
void HttpSession::answered() {
  Subscription served = std::move(serving_);
  keep_alive_ ? await_request() : linger();
  served.end();
  if (phase_ == Phase::Receiving && buffer_.size() > 0) parse();
}

/// Closing while the caller still sends would reset the connection and lose the answer on its way.
void HttpSession::linger() {
  phase_ = Phase::Lingering;
  stream_.finish_writing(shared_from_this());
  leave_after(std::chrono::seconds(2));
  read();
}

/// Unless the caller does before what he owes us.
void HttpSession::leave_after(Duration time) {
  deadline_ = loop_.run_at(loop_.clock().now() + time, [this] { leave(); });
}

void HttpSession::leave() {
  if (phase_ == Phase::Closed) return;
  phase_ = Phase::Closed;
  deadline_.end();
  stream_.close();
  loop_.post([self = shared_from_this()] {
    self->serving_.end();
    if (const Left left = std::exchange(self->left_, nullptr)) left();
  });
}

}  // namespace nlc::net

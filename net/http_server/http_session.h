#pragma once

#include <array>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>

#include "client/endpoint.h"
#include "net/http_server/caller_stream.h"
#include "net/http_server/http_server_options.h"
#include "net/http_server/outgoing.h"
#include "net/loop/asio_loop.h"

/// Private to this folder: it shows Asio.
namespace nlc::net {

/// One caller's connection to the server: request after request, each answered before the next is
/// looked at. It reads on while it answers, because that alone shows that a caller left.
///
/// Shared, because the operations in flight keep it alive; nothing else does once it was closed.
class HttpSession : public std::enable_shared_from_this<HttpSession> {
 public:
  using Left = std::function<void()>;

  HttpSession(AsioLoop& loop, client::Endpoint& endpoint, const HttpServerOptions& options,
              boost::asio::ip::tcp::socket socket, boost::asio::ssl::context* tls);

  /// `left` is called once when the connection has gone, never inline.
  void start(Left left);

  /// Closes at once; `left` is not called and the endpoint hears nothing any more.
  void abandon();

  // For the reply to the request with that number; silent when the caller or that request has gone.
  void send(std::uint64_t request, client::Response response, std::string_view warning = {});
  void open(std::uint64_t request, std::string_view content_type, std::optional<WallTime> date);
  void write(std::uint64_t request, std::shared_ptr<const std::string> bytes);
  void close_stream(std::uint64_t request);
  void reply_dropped(std::uint64_t request);

 private:
  void greet();
  void read();
  void on_read(const boost::system::error_code& error, std::size_t size);
  void keep(std::size_t size);
  void parse();
  void await_request();
  void invite_body();
  void refuse(int status, std::string_view why);
  void begin_answer();
  void serve();
  void pump();
  void on_written(const boost::system::error_code& error);
  void answered();
  void linger();
  void leave_after(Duration time);
  void leave();
  bool is_current(std::uint64_t request) const;
  std::string head(const client::Response& response, std::string_view framing);

  AsioLoop& loop_;
  client::Endpoint& endpoint_;
  const HttpServerOptions options_;
  Left left_;
  CallerStream stream_;
  // Apart from what came before, which is consumed while a read is under way: that moves the place
  // where the buffer goes on.
  std::array<char, 16 * 1024> arriving_{};
  boost::beast::flat_buffer buffer_;
  std::optional<boost::beast::http::request_parser<boost::beast::http::string_body>> parser_;
  Timer deadline_;  // of whatever the caller owes us now: a request, or taking the answer

  enum class Phase { Greeting, Receiving, Serving, Lingering, Closed };
  Phase phase_ = Phase::Greeting;
  bool reading_ = false;
  bool begun_ = false;  // the first byte of the request has come
  bool invited_ = false;
  bool keep_alive_ = true;
  bool http_1_0_ = false;
  bool writing_ = false;
  enum class Progress { Unanswered, Opening, Streaming, Closing };
  Progress progress_ = Progress::Unanswered;
  std::uint64_t request_ = 0;
  Subscription serving_;
  Outgoing outgoing_;
};

}  // namespace nlc::net

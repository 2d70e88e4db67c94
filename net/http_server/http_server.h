#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "client/endpoint.h"
#include "net/http/listen_address.h"
#include "net/loop/asio_loop.h"
#include "runtime/result.h"

namespace nlc::net {

struct HttpServerOptions {
  std::size_t connections_max = 65'536;            ///< beyond it the oldest one is closed
  std::size_t body_limit = 3 * 1024 * 1024;        ///< beyond it: 413. What a real API server takes
  std::uint32_t header_limit = 64 * 1024;          ///< beyond it: 431
  std::size_t stream_backlog_limit = 1024 * 1024;  ///< a watcher that is further behind is cut off
  int send_buffer = 128 * 1024;                    ///< the kernel's part of a slow reader's backlog
  Duration request_timeout =
      std::chrono::seconds(30);  ///< from the first byte of a request to its last
  Duration idle_timeout = std::chrono::seconds(120);  ///< between two requests
  Duration stall_timeout =
      std::chrono::seconds(30);  ///< for a caller that takes nothing of an answer
};

/// For pages that anybody may read: nobody makes us keep much for long.
inline constexpr HttpServerOptions small_pages{
    .connections_max = 64, .body_limit = 4096, .header_limit = 16 * 1024};

/// Carries an endpoint on a port: HTTP/1.1 with keep-alive and chunked streams, without TLS.
///
/// The endpoint is called on the loop's thread only. The lifeline of `serve` ends when the answer
/// was written whole or the caller left, which is noticed during a silent stream too; it never ends
/// inside a call of `Reply`. A reply that is destroyed without an answer becomes a 500. What a
/// stream writes in the very turn in which it opens never counts as backlog, however long it is.
///
/// Build and destroy it on the loop's thread, or while the loop does not run. Loop and endpoint
/// outlive it.
class HttpServer {
 public:
  /// Alive means listening. The error names the address and why it cannot be had.
  static Result<std::unique_ptr<HttpServer>> listen(AsioLoop& loop, client::Endpoint& endpoint,
                                                    const ListenAddress& address,
                                                    HttpServerOptions options = {});
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  /// The port that was bound: the free one that was found when port 0 was asked for.
  std::uint16_t port() const;

  /// "127.0.0.1:40123", as it stands in a URL.
  std::string address() const;

  std::size_t connections() const;

 private:
  struct Listening;
  explicit HttpServer(std::unique_ptr<Listening> listening);

  std::unique_ptr<Listening> listening_;
};

}  // namespace nlc::net

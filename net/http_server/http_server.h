#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "client/endpoint.h"
#include "net/http/listen_address.h"
#include "net/http_server/http_server_options.h"
#include "net/loop/asio_loop.h"
#include "runtime/result.h"

namespace nlc::net {

class ServingCertificate;

/// Serves an endpoint on a port: HTTP/1.1 with keep-alive and chunked streams, over TLS where it
/// is given a certificate to show.
///
/// The endpoint is called on the loop's thread only. The subscription that its `serve` returned is
/// ended when the answer has been written or the caller has disconnected, which is noticed on a
/// silent stream too; never inside a call of `Reply`. A reply that is destroyed without an answer
/// becomes a 500. What a watch writes in the same iteration of the loop in which it is opened (its
/// initial events) does not count into `stream_backlog_limit`, however long it is.
///
/// Build and destroy it on the loop's thread, or while the loop does not run. Loop, endpoint
/// and certificate outlive it.
class HttpServer {
 public:
  /// Alive means listening. The error names the address and why it cannot be had.
  static Result<std::unique_ptr<HttpServer>> listen(AsioLoop& loop, client::Endpoint& endpoint,
                                                    const ListenAddress& address,
                                                    HttpServerOptions options = {},
                                                    ServingCertificate* certificate = nullptr);
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

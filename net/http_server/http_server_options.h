#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "runtime/time.h"

namespace nlc::net {

struct HttpServerOptions {
  std::size_t connections_max = 65'536;            ///< beyond it the oldest one is closed
  std::size_t body_limit = 3 * 1024 * 1024;        ///< beyond it: 413. What a real API server takes
  std::uint32_t header_limit = 64 * 1024;          ///< beyond it: 431
  std::size_t stream_backlog_limit = 1024 * 1024;  ///< a watcher that is further behind is cut off
  int send_buffer = 128 * 1024;                    ///< the kernel's part of a slow reader's backlog
  Duration handshake_timeout = std::chrono::seconds(10);  ///< of TLS
  Duration request_timeout =
      std::chrono::seconds(30);  ///< from the first byte of a request to its last
  Duration idle_timeout = std::chrono::seconds(120);  ///< between two requests
  Duration stall_timeout =
      std::chrono::seconds(30);  ///< for a caller that takes nothing of an answer
  std::string_view fields = {};  ///< of the head of every answer, each with its line break
};

/// For pages that anybody may read: nobody makes us keep much for long, and nobody keeps them, for
/// who leads, or is well, is another in a moment.
inline constexpr HttpServerOptions small_pages{.connections_max = 64,
                                               .body_limit = 4096,
                                               .header_limit = 16 * 1024,
                                               .fields = "Cache-Control: no-store\r\n"};

/// For pages that a browser shows: it runs nothing that is not served here, asks nobody else, lets
/// no other page show or read them, and keeps none. Each open one takes a connection for its
/// stream.
inline constexpr HttpServerOptions pages_for_browsers{
    .connections_max = 256,
    .body_limit = 4096,
    .header_limit = 16 * 1024,
    .fields =
        "Content-Security-Policy: default-src 'none'; script-src 'self'; style-src 'self'; img-src "
        "'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors "
        "'none'\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        "Referrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "Cache-Control: no-store\r\n"};

}  // namespace nlc::net

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "client/transport.h"

namespace nlc::net {

/// Reads one HTTP/1.1 response out of bytes that come cut anywhere. Pure: it knows no socket.
///
/// The owner repeats: put bytes into `space`, tell how many with `filled`; or `ended` when the
/// server closed.
class ResponseReader {
 public:
  struct Problem {
    Fault fault;  ///< Malformed, or Unavailable when the server closed in the middle
    std::string what;
  };

  /// `on_body` is called with the pieces of the body, chunk framing taken off. It must not destroy
  /// the reader.
  explicit ResponseReader(std::function<void(std::string_view)> on_body);
  ~ResponseReader();

  /// Where the next bytes go; at least 16 KiB, usually 64.
  std::span<char> space();
  std::optional<Problem> filled(std::size_t size);
  std::optional<Problem> ended();

  bool has_begun() const;  ///< the server has said anything at all
  bool has_head() const;
  bool is_complete() const;

  /// Complete, and the connection may carry another request.
  bool is_reusable() const;

  /// Status and headers, once `has_head`; the body stays empty.
  client::Response head() const;

 private:
  struct Parsing;
  std::unique_ptr<Parsing> parsing_;
};

}  // namespace nlc::net

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "client/transport.h"
#include "runtime/subscription.h"
#include "runtime/time.h"

/// The far end of the seam: whatever answers HTTP requests. The embedded API server and the
/// operations pages are endpoints; `net/` carries them on a port, `sim/` calls them directly. They
/// know no socket.
namespace nlc::client {

struct IncomingRequest {
  std::string method;
  std::string target;  ///< path and query as they came, percent-encoded
  std::string accept;
  std::string content_type;
  std::string authorization;
  std::string user_agent;
  std::string host;           ///< as the caller named us; empty where it did not
  std::string last_event_id;  ///< of a stream that broke and is to go on; empty: of none
  std::string body;
};

/// The way back to one caller. Exactly one of: `send` once; or `open` once, `write` any number of
/// times, `close`.
class Reply {
 public:
  virtual ~Reply() = default;

  /// A whole answer. `warning` goes out as a Warning header when not empty.
  virtual void send(Response response, std::string_view warning = {}) = 0;

  /// Begins a stream with status 200: head and headers leave at once. `date`: when that is, where
  /// another than the carrier's clock tells.
  virtual void open(std::string_view content_type, std::optional<WallTime> date = {}) = 0;

  /// Adds to the stream. The bytes are shared, so one event costs nothing more for each further
  /// watcher. A caller that reads too slowly is cut off.
  virtual void write(std::shared_ptr<const std::string> bytes) = 0;

  /// Ends the stream in good order.
  virtual void close() = 0;
};

/// Whoever answers requests: each of them once, with a whole answer or a stream. Outlives what
/// carries it.
class Endpoint {
 public:
  virtual ~Endpoint() = default;

  /// Answers through `reply`, now or later. The carrier keeps the subscription for as long as the
  /// caller is there and ends it when the caller left; `reply` must not be used after that. Always
  /// called on one and the same thread.
  virtual Subscription serve(IncomingRequest request, std::unique_ptr<Reply> reply) = 0;
};

}  // namespace nlc::client

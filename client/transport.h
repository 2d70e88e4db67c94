#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/result.h"
#include "runtime/subscription.h"
#include "runtime/time.h"

/// THE SEAM between this project and every API server. Its far end is in `net/`, over sockets and
/// TLS, or in `sim/`, in virtual time. It carries bytes, so a simulation exercises the codecs as
/// well. Whatever is said to a server goes through here; nothing above it opens a socket.
namespace nlc::client {

/// Who a request is for. Orders requests that have to wait, and chooses the connection.
enum class RequestPriority : std::uint8_t {
  Election,    ///< renewals of our own lease: a connection of its own, never queued behind work
  NodeStatus,  ///< conditions of nodes
  LeaseRead,   ///< leases before whose answer no node is judged
  NodeWrite,   ///< taints and labels of nodes
  List,        ///< pages of lists and the operator's ConfigMap, on which all that follows stands
  Read,        ///< single objects
  PodWrite,    ///< conditions and deletions of pods
  Event,       ///< events: nobody waits for them
  Review,      ///< whether a caller of our own pages may: after everything that the cluster needs
};
inline constexpr std::size_t priority_count = 9;

/// Whether a request repeats what failed before: then others of its priority do not wait for it.
enum class Try : std::uint8_t { First, Again };
inline constexpr std::size_t try_count = 2;

/// All that a leader writes passes the gate of leadership as the last step before the socket:
/// events as well, for one that tells of work belongs to whoever does the work.
constexpr bool is_gated(RequestPriority priority) {
  return priority == RequestPriority::NodeStatus || priority == RequestPriority::NodeWrite ||
         priority == RequestPriority::PodWrite || priority == RequestPriority::Event;
}

struct Request {
  std::string method = "GET";
  std::string target;  ///< path and query, percent-encoded: "/api/v1/nodes?limit=500"
  std::string accept = "application/json";
  std::string content_type;  ///< empty without a body
  std::string body;
  Duration timeout = std::chrono::seconds(10);  ///< of the whole call; a watch has none
  RequestPriority priority = RequestPriority::Read;
  Try attempt = Try::First;
  /// Of a watch: so long at most may an event wait to be read with others. Zero: it never waits.
  Duration batching{0};
};

struct Response {
  int status = 0;
  std::string content_type;
  std::optional<Duration> retry_after;  ///< from the header, whole seconds
  std::optional<WallTime> date;         ///< the server's clock, from the header
  std::string body;
};

using Answer = std::function<void(Result<Response>)>;

/// How a stream ended: refused before it began (a status other than 200, with its body), broken on
/// the way, or, with neither, closed by the server in good order.
struct StreamEnd {
  std::optional<Response> refused;
  std::optional<Error> broken;
};

/// Reads one watch stream. Bytes are taken and decoded on the transport's own thread, what was
/// decoded is delivered on the executor's, so that no byte is copied between threads and no value
/// is shared.
///
/// Calls follow: on_head (on_bytes+ take)* on_end. `on_open` comes, on the executor, before
/// anything taken.
class StreamReader {
 public:
  virtual ~StreamReader() = default;

  /// Transport's thread: the server accepted the watch and speaks like that.
  virtual void on_head(std::string_view /*content_type*/) {}

  /// Transport's thread: bytes of the body as they came, cut anywhere.
  virtual void on_bytes(std::string_view bytes) = 0;

  /// Transport's thread: how many events were decoded since the last `take`.
  virtual std::size_t events() const = 0;

  /// Transport's thread: no more bytes for now. What is to be run on the executor with all that was
  /// decoded since the last call; empty when that is nothing. It must not refer to the reader.
  /// `since`: the last look at the stream, which left nothing in it; nothing when it all came just
  /// now.
  virtual std::function<void()> take(std::optional<Instant> since) = 0;

  /// Executor: the server accepted the watch (status 200). `date`: its clock, from the header.
  virtual void on_open(std::optional<WallTime> date) = 0;

  /// Executor: the last call.
  virtual void on_end(StreamEnd end) = 0;
};

/// One way to one API server. Built, called and destroyed on the executor's thread, where the
/// subscriptions of its watches are ended too; threads of its own are nobody else's business.
///
/// Some only wrap another one, which outlives them, and add one thing: LimitedTransport paces
/// (client/limits/limited_transport.h), DrainingTransport lets a leader end its writes
/// (client/draining_transport.h), ObservedTransport counts answers (client/observed_transport.h),
/// ReadingTransport lets no write pass but those of one lock (client/reading_transport.h).
class Transport {
 public:
  virtual ~Transport() = default;

  /// Sends one request. `answer` is called exactly once, on the executor and never inline: with
  /// whatever status the server gave, or with an Error when no answer came: Unavailable (no
  /// connection, TLS), Timeout, Malformed, NotLeading. Nothing is re-sent behind the caller's back
  /// on gated priorities.
  virtual void send(Request request, Answer answer) = 0;

  /// Opens a watch on a connection of its own. Ending the returned subscription closes it: after
  /// that the reader is not called again, and nothing it handed over is run.
  virtual Subscription watch(Request request, std::unique_ptr<StreamReader> reader) = 0;
};

}  // namespace nlc::client

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "net/config/cluster_config.h"
#include "net/loop/asio_loop.h"
#include "runtime/result.h"

namespace nlc::net {

class ResponseReader;
class TlsContext;

/// A TCP connection to the API server, with TLS where the server wants it. It knows bytes, not
/// HTTP.
///
/// Closed when destroyed; after that no callback is called. One operation at a time. Loop's thread
/// only. Errors are Unavailable and say in the operator's words what failed and which file is to
/// blame.
class Connection {
 public:
  using Done = std::function<void(std::optional<Error>)>;

  struct Read {
    enum class Kind { Data, NothingYet, Ended, Broken } kind;
    std::size_t size = 0;
    bool more = false;                ///< there may be more to read without waiting
    std::optional<Error> error = {};  ///< when broken
  };

  Connection(AsioLoop& loop, const ClusterConfig& server, TlsContext& tls);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Looks the host up, connects, shakes hands.
  void open(Done opened);

  /// Writes all of `bytes`; the first of them are handed to the kernel inside this call. They are
  /// kept until the write is over, even if this connection is destroyed before.
  void write(std::string bytes, Done written);

  /// Calls back once when `read` may find something, one call at a time.
  void when_readable(std::function<void()> ready);

  /// Sets SO_RCVLOWAT: `when_readable` calls back only once so many bytes have come, so that a
  /// stream's events gather in the kernel while we sleep; its end and errors always call back.
  /// False where the kernel refuses the option. With more than one byte the caller also has to read
  /// by a timer, because fewer bytes than that wake nobody.
  bool gather(std::size_t bytes);

  /// Takes what has come, never waits.
  Read read(std::span<char> space);
  /// The same into a response; an error is also what that makes of it.
  Read read(ResponseReader& response);

  /// Whether a kept connection can carry another request: since its last answer the server has
  /// neither closed it nor sent anything.
  bool is_quiet();

 private:
  struct Wire;
  std::shared_ptr<Wire> wire_;  // shared with the operations in flight
};

}  // namespace nlc::net

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
    bool more = false;     ///< another read may find something at once
    std::string why = {};  ///< when broken
  };

  Connection(AsioLoop& loop, const ClusterConfig& server, TlsContext& tls);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  /// Looks the host up, connects, shakes hands.
  void open(Done opened);

  /// Writes all of `bytes`, and keeps them for as long as the system may look at them: whoever
  /// asked may go while a part of them waits. The first of them leave inside this call.
  void write(std::string bytes, Done written);

  /// Calls back once when `read` may find something, one call at a time.
  void when_readable(std::function<void()> ready);

  /// From how many bytes on that counts as something, so that a stream gathers while we sleep. Its
  /// end and its errors always count. False where the kernel does not heed it. Whoever asks for
  /// more than one byte looks by a timer as well: nothing else tells of less.
  bool gather(std::size_t bytes);

  /// Takes what has come, never waits.
  Read read(std::span<char> space);

  /// A kept connection that was neither closed nor talked to since its last answer.
  bool is_quiet();

 private:
  struct Wire;
  std::shared_ptr<Wire> wire_;  // shared with the operations in flight
};

}  // namespace nlc::net

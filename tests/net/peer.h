#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "net/loop/asio_loop.h"
#include "tests/net/certificates.h"

namespace nlc::tests {

/// What a peer does once a whole request has come.
struct Reply {
  enum class Then { Keep, Close, Reset };
  std::string bytes;
  Then then = Then::Keep;
  bool byte_by_byte = false;
};

struct PeerTls {
  KeyPair identity;
  std::string client_ca = {};  ///< PEM; not empty: clients must show a certificate of it
  bool resumes = true;         ///< else it breaks off where a session is offered
};

/// Value of a header in a request, with or without the space that most clients put before it; empty
/// without one.
std::string header_of(const std::string& request, const std::string& name);

/// A server that answers with whatever bytes a test likes, right or wrong, with or without TLS.
class Peer {
 public:
  using Script = std::function<Reply(const std::string& request)>;

  Peer(net::AsioLoop& loop, Script script, const PeerTls* tls = nullptr);
  ~Peer();
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  std::uint16_t port() const;

  std::vector<std::string> requests;  ///< heads and bodies
  int connections = 0;                ///< accepted so far
  int closed = 0;                     ///< ended by the caller
  int resumed = 0;                    ///< accepted, and begun with a TLS session of an earlier one

  /// Closes the connections that are open, not the port.
  void close_connections();

 private:
  struct Accepting;
  struct Caller;
  std::unique_ptr<Accepting> accepting_;
};

/// A plain client: everything that is sent arrives as it is, everything that comes is kept.
class RawClient {
 public:
  RawClient(net::AsioLoop& loop, std::uint16_t port);
  ~RawClient();
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  void send(const std::string& bytes);

  /// Stops or goes on taking what comes.
  void pause();
  void resume();

  /// Ends the connection.
  void leave();

  const std::string& received() const;
  bool is_closed() const;  ///< by the server

 private:
  struct Wire;
  std::shared_ptr<Wire> wire_;
};

}  // namespace nlc::tests

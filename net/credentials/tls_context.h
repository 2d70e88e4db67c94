#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <openssl/ssl.h>
#include <optional>

#include "net/credentials/credentials.h"
#include "runtime/result.h"

/// Private to net: it shows Asio.
namespace nlc::net {

/// The context for new connections, built anew when the credentials have others. One thread.
class TlsContext {
 public:
  explicit TlsContext(Credentials& credentials) : credentials_(credentials) {}
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  Result<boost::asio::ssl::context*> current();

  /// Offers the server the last session that it gave us, before the handshake of a connection that
  /// was made with `current`; false when there is none. Where the server takes it neither side has
  /// a certificate to send or a signature to check: when many nodes die, many connections are
  /// opened at once.
  bool resume(SSL* connection) const;
  /// Offers none any more, until the credentials have others: this server cannot take one up.
  void give_up_sessions();

 private:
  struct Freed {
    void operator()(SSL_SESSION* session) const { SSL_SESSION_free(session); }
  };
  void keep_sessions();

  Credentials& credentials_;
  std::optional<boost::asio::ssl::context> context_;
  std::shared_ptr<const TlsMaterial> material_;
  std::unique_ptr<SSL_SESSION, Freed> session_;  ///< begun with `context_`
};

}  // namespace nlc::net

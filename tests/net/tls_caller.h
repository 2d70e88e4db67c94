#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "net/loop/asio_loop.h"

namespace nlc::tests {

struct TlsCallerOptions {
  std::string authority;  ///< PEM; empty: whoever answers is believed
  int version_max = 0;    ///< OpenSSL's number; 0: the newest
};

/// A caller over TLS that shakes hands at once, keeps what comes and knows who answered.
class TlsCaller {
 public:
  TlsCaller(net::AsioLoop& loop, std::uint16_t port, TlsCallerOptions options = {});
  ~TlsCaller();
  TlsCaller(const TlsCaller&) = delete;
  TlsCaller& operator=(const TlsCaller&) = delete;

  bool is_greeted() const;  ///< hands were shaken
  bool has_failed() const;  ///< or the connection was closed before that
  bool is_closed() const;   ///< by the server, afterwards
  /// Whether it said that nothing follows, before it closed.
  bool was_told_the_end() const;

  /// Once greeted.
  void send(const std::string& bytes);
  const std::string& received() const;
  std::string version() const;  ///< "TLSv1.3"
  std::string name() const;     ///< common name of the certificate that was shown
  std::string serial() const;

 private:
  struct Wire;
  std::shared_ptr<Wire> wire_;
};

}  // namespace nlc::tests

#pragma once

#include <boost/asio/ssl/context.hpp>
#include <mutex>
#include <string>

#include "net/cluster_config.h"

/// Private to this folder: it shows Asio.
namespace nlc::net {

/// Sets up TLS for a library that makes its connections itself, and remembers why the last one
/// failed, because that library does not tell. Called on the library's thread, asked on the
/// executor's: hence the lock.
class RestTls {
 public:
  explicit RestTls(const ClusterConfig& config) : config_(config) {}

  /// For each new connection. Where something cannot be used the handshake is made to fail.
  void equip(boost::asio::ssl::context& context);

  /// Why the last handshake failed, empty when nothing is known.
  std::string failure() const;

 private:
  static int verify(X509_STORE_CTX* chain, void* self);
  void remember(std::string failure);

  const ClusterConfig& config_;
  mutable std::mutex mutex_;
  std::string failure_;
};

}  // namespace nlc::net

#pragma once

#include <atomic>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <mutex>
#include <string>

#include "net/credentials/credentials.h"

/// Private to this folder: it shows Asio.
namespace nlc::net {

/// Sets up TLS for a library that makes its connections itself, remembers why the last one failed,
/// because that library does not tell, and ends a connection whose server answers without end,
/// because that library reads on. Any thread.
class RestTls {
 public:
  /// `answer_limit`: the bytes that may come after a request was sent, head and all.
  explicit RestTls(Credentials& credentials, std::size_t answer_limit = 12 * 1024 * 1024)
      : credentials_(credentials), answer_limit_(answer_limit) {}

  /// For each new connection. Where something cannot be used the handshake is made to fail.
  void equip(boost::asio::ssl::context& context);

  /// Why the last handshake failed, empty when nothing is known.
  std::string failure() const;

  /// Whether a connection was ended for its endless answer since the last call.
  bool cut_off() { return cut_off_.exchange(false); }

 private:
  static int verify(X509_STORE_CTX* chain, void* self);
  static void count(int sent, int version, int kind, const void* bytes, std::size_t size, SSL* tls,
                    void* self);
  void came(SSL* connection, std::size_t size);
  void remember(std::string failure);

  Credentials& credentials_;
  const std::size_t answer_limit_;
  std::atomic<bool> cut_off_ = false;
  mutable std::mutex mutex_;
  std::string failure_;
};

}  // namespace nlc::net

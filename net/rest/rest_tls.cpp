#include "net/rest/rest_tls.h"

#include <cstdint>
#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "net/credentials/tls_setup.h"

namespace nlc::net {
namespace {

/// A number that OpenSSL keeps with each connection.
int count_index() {
  static const int index = SSL_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

std::size_t counted(const SSL* connection) {
  return reinterpret_cast<std::uintptr_t>(SSL_get_ex_data(connection, count_index()));
}

void set_counted(SSL* connection, std::size_t bytes) {
  SSL_set_ex_data(connection, count_index(), reinterpret_cast<void*>(bytes));
}

}  // namespace

void RestTls::equip(boost::asio::ssl::context& context) {
  SSL_CTX* const handle = context.native_handle();
  const auto material = credentials_.tls();
  std::optional<Error> error;
  if (material) {
    error = equip_tls(context, credentials_.server(), **material);
  } else {
    error = material.error();
  }
  if (error) {
    remember(error->path);
    // No version is left to speak: nothing may leave on a connection that is not set up as asked.
    SSL_CTX_set_min_proto_version(handle, TLS1_3_VERSION);
    SSL_CTX_set_max_proto_version(handle, TLS1_2_VERSION);
    return;
  }
  remember({});
  SSL_CTX_set_cert_verify_callback(handle, &RestTls::verify, this);
  SSL_CTX_set_msg_callback(handle, &RestTls::count);
  SSL_CTX_set_msg_callback_arg(handle, this);
}

/// Called for every TLS record. What comes is counted from the last request on: the library asks
/// for nothing before it has its answer. `version` and `kind` are OpenSSL's.
void RestTls::count(int sent, int, int kind, const void* bytes, std::size_t size, SSL* connection,
                    void* self) {
  const auto* const head = static_cast<const unsigned char*>(bytes);
  const bool is_head = kind == SSL3_RT_HEADER && size == SSL3_RT_HEADER_LENGTH;
  if (sent == 0) {
    if (is_head) static_cast<RestTls*>(self)->came(connection, head[3] * 256U + head[4]);
    return;
  }
  // In TLS 1.3 every record looks like data from outside.
  const bool hidden = SSL_version(connection) >= TLS1_3_VERSION;
  const bool tells = hidden ? kind == SSL3_RT_INNER_CONTENT_TYPE && size == 1 : is_head;
  if (tells && head[0] == SSL3_RT_APPLICATION_DATA) set_counted(connection, 0);
}

/// A connection that has had too much is told that its server has ended it.
void RestTls::came(SSL* connection, std::size_t size) {
  const std::size_t all = counted(connection) + size;
  set_counted(connection, all);
  if (all <= answer_limit_) return;
  cut_off_ = true;
  SSL_set_shutdown(connection, SSL_RECEIVED_SHUTDOWN);
}

/// OpenSSL's own verification; only its verdict is kept.
int RestTls::verify(X509_STORE_CTX* chain, void* self) {
  RestTls& tls = *static_cast<RestTls*>(self);
  const int verified = X509_verify_cert(chain);
  if (verified != 1 && !tls.credentials_.server().insecure) {
    tls.remember(verification_in_words(X509_STORE_CTX_get_error(chain), tls.credentials_.server()));
  }
  return verified;
}

void RestTls::remember(std::string failure) {
  const std::lock_guard lock(mutex_);
  failure_ = std::move(failure);
}

std::string RestTls::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

}  // namespace nlc::net

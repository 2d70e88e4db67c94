#include "net/rest_tls.h"

#include <openssl/ssl.h>
#include <openssl/x509_vfy.h>

#include "net/tls_context.h"

namespace nlc::net {

void RestTls::equip(boost::asio::ssl::context& context) {
  SSL_CTX* const handle = context.native_handle();
  if (const std::optional<Error> error = equip_tls(context, config_)) {
    remember(error->path);
    // No version is left to speak: nothing may leave on a connection that is not set up as asked.
    SSL_CTX_set_min_proto_version(handle, TLS1_3_VERSION);
    SSL_CTX_set_max_proto_version(handle, TLS1_2_VERSION);
    return;
  }
  remember({});
  SSL_CTX_set_cert_verify_callback(handle, &RestTls::verify, this);
}

/// OpenSSL's own verification; only its verdict is kept.
int RestTls::verify(X509_STORE_CTX* chain, void* self) {
  RestTls& tls = *static_cast<RestTls*>(self);
  const int verified = X509_verify_cert(chain);
  if (verified != 1 && !tls.config_.insecure) {
    tls.remember(verification_in_words(X509_STORE_CTX_get_error(chain), tls.config_));
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

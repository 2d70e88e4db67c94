#include "net/credentials/tls_context.h"

#include <utility>

#include "net/credentials/tls_setup.h"

namespace nlc::net {

namespace ssl = boost::asio::ssl;

namespace {

/// Where a context keeps whose it is; Asio has the one place that OpenSSL offers by itself.
int owner_index() {
  static const int index = SSL_CTX_get_ex_new_index(0, nullptr, nullptr, nullptr, nullptr);
  return index;
}

}  // namespace

Result<ssl::context*> TlsContext::current() {
  Result<std::shared_ptr<const TlsMaterial>> material = credentials_.tls();
  if (!material) return std::move(material.error());
  if (context_ && *material == material_) return &*context_;

  ssl::context fresh(ssl::context::tls_client);
  if (std::optional<Error> error = equip_tls(fresh, credentials_.server(), **material)) {
    return std::move(*error);
  }
  context_.emplace(std::move(fresh));
  material_ = *std::move(material);
  session_.reset();
  keep_sessions();
  return &*context_;
}

void TlsContext::keep_sessions() {
  SSL_CTX* const context = context_->native_handle();
  SSL_CTX_set_ex_data(context, owner_index(), this);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
  SSL_CTX_sess_set_new_cb(context, [](SSL* connection, SSL_SESSION* session) {
    SSL_CTX* const of = SSL_get_SSL_CTX(connection);
    TlsContext& owner = *static_cast<TlsContext*>(SSL_CTX_get_ex_data(of, owner_index()));
    if (of != owner.context_->native_handle()) return 0;  // made with earlier credentials
    // A copy: OpenSSL spoils the session of a connection that is closed without a farewell.
    owner.session_.reset(SSL_SESSION_dup(session));
    return 0;
  });
}

bool TlsContext::resume(SSL* connection) const {
  return session_ && SSL_set_session(connection, session_.get()) == 1;
}

void TlsContext::give_up_sessions() {
  session_.reset();
  if (context_) SSL_CTX_set_session_cache_mode(context_->native_handle(), SSL_SESS_CACHE_OFF);
}

}  // namespace nlc::net

#include "net/credentials/tls_context.h"

#include <utility>

#include "net/credentials/tls_setup.h"

namespace nlc::net {

namespace ssl = boost::asio::ssl;

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
  return &*context_;
}

}  // namespace nlc::net

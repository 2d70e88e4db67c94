#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>
#include <optional>

#include "net/credentials/credentials.h"
#include "runtime/result.h"

/// Private to net: it shows Asio.
namespace nlc::net {

/// The context for new connections, built anew when the credentials have others. One thread.
class TlsContext {
 public:
  explicit TlsContext(Credentials& credentials) : credentials_(credentials) {}

  Result<boost::asio::ssl::context*> current();

 private:
  Credentials& credentials_;
  std::optional<boost::asio::ssl::context> context_;
  std::shared_ptr<const TlsMaterial> material_;
};

}  // namespace nlc::net

#pragma once

#include <boost/asio/ssl/context.hpp>
#include <optional>
#include <string>
#include <utility>

#include "net/cluster_config.h"
#include "runtime/log.h"
#include "runtime/result.h"

/// Private to this folder: it shows Asio.
namespace nlc::net {

/// Sets up everything about TLS towards one server: version 1.2 or newer, its roots and no others,
/// the name it must prove, our certificate. The error names the file, cluster or user.
std::optional<Error> equip_tls(boost::asio::ssl::context& context, const ClusterConfig& config);

/// What a failed verification means for the operator; `code` is one of OpenSSL's X509_V_ERR_*.
std::string verification_in_words(long code, const ClusterConfig& config);

/// The name that the server must prove: `tls_server_name`, else its host.
const std::string& expected_name(const ClusterConfig& config);

bool is_ip_address(const std::string& host);

/// The context for new connections, built anew when one of its files has changed, so that rotated
/// certificates are used without a restart. Files that cannot be used leave the old context in
/// force. One thread.
class TlsContext {
 public:
  TlsContext(const ClusterConfig& config, Log& log) : config_(config), log_(log) {}

  Result<boost::asio::ssl::context*> current();

 private:
  std::string files_version() const;

  const ClusterConfig& config_;
  Log& log_;
  std::optional<boost::asio::ssl::context> context_;
  std::string version_;
};

}  // namespace nlc::net

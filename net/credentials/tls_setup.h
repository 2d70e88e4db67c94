#pragma once

#include <boost/asio/ssl/context.hpp>
#include <optional>
#include <string>

#include "net/config/cluster_config.h"
#include "net/credentials/tls_material.h"
#include "runtime/result.h"

/// Private to net: it shows Asio.
namespace nlc::net {

/// What is said of a file, a certificate or a key that cannot be used.
inline Error unusable(std::string what) { return {Fault::Unavailable, std::move(what)}; }

/// Sets up everything about TLS towards one server: version 1.2 or newer, its roots and no others,
/// the name it must prove, our certificate. The error names the file, cluster or user.
std::optional<Error> equip_tls(boost::asio::ssl::context& context, const ClusterConfig& config,
                               const TlsMaterial& material);

/// What a failed verification means for the operator; `code` is one of OpenSSL's X509_V_ERR_*.
std::string verification_in_words(long code, const ClusterConfig& config);

/// The name that the server must prove: `tls_server_name`, else its host.
const std::string& expected_name(const ClusterConfig& config);

bool is_ip_address(const std::string& host);

}  // namespace nlc::net

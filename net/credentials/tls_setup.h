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

/// Trusts the certificates of `pem` and no others. Answers why it could not; that the text is cut
/// short counts where it must be `whole`.
std::optional<std::string> trust_roots(boost::asio::ssl::context& context, const std::string& pem,
                                       bool whole);

/// Shows this certificate where one is asked for. Answers why it could not.
std::optional<std::string> show_certificate(boost::asio::ssl::context& context,
                                            const std::string& certificate, const std::string& key);

/// Why the time of a certificate is not now, by the calendar of this machine: it has expired, or is
/// not yet valid. Nothing where its time is now, or it cannot be read.
std::optional<std::string> out_of_its_time(const std::string& certificate);

/// What a failed verification means for the operator; `code` is one of OpenSSL's X509_V_ERR_*.
std::string verification_in_words(long code, const ClusterConfig& config);

/// The name that the server must prove: `tls_server_name`, else its host.
const std::string& expected_name(const ClusterConfig& config);

bool is_ip_address(const std::string& host);

}  // namespace nlc::net

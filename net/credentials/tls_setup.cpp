#include "net/credentials/tls_setup.h"

#include <arpa/inet.h>
#include <array>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "net/config/pem.h"

namespace nlc::net {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

void expect_name(SSL_CTX* context, const std::string& name) {
  X509_VERIFY_PARAM* const param = SSL_CTX_get0_param(context);
  // As every client of Kubernetes does: only the alternative names count.
  X509_VERIFY_PARAM_set_hostflags(
      param, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS | X509_CHECK_FLAG_NEVER_CHECK_SUBJECT);
  if (is_ip_address(name)) {
    X509_VERIFY_PARAM_set1_ip_asc(param, name.c_str());
  } else {
    X509_VERIFY_PARAM_set1_host(param, name.data(), name.size());
  }
}

}  // namespace

bool is_ip_address(const std::string& host) {
  in6_addr address{};  // large enough for both families
  return inet_pton(AF_INET, host.c_str(), &address) == 1 ||
         inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

const std::string& expected_name(const ClusterConfig& config) {
  return config.tls_server_name.empty() ? config.host : config.tls_server_name;
}

std::optional<Error> equip_tls(ssl::context& context, const ClusterConfig& config,
                               const TlsMaterial& material) {
  SSL_CTX* const handle = context.native_handle();
  SSL_CTX_set_min_proto_version(handle, TLS1_2_VERSION);
  constexpr std::array<unsigned char, 9> http_1_1{8, 'h', 't', 't', 'p', '/', '1', '.', '1'};
  SSL_CTX_set_alpn_protos(handle, http_1_1.data(), http_1_1.size());
  if (config.insecure) {
    SSL_CTX_set_verify(handle, SSL_VERIFY_NONE, nullptr);
  } else {
    SSL_CTX_set_verify(handle, SSL_VERIFY_PEER, nullptr);
    expect_name(handle, expected_name(config));
    if (config.ca.empty()) {
      error_code error;
      context.set_default_verify_paths(error);
      if (error) return unusable("the system's CAs cannot be loaded: " + error.message());
    } else if (const auto why = trust_roots(context, material.roots, false)) {
      return unusable(ca_in_words(config) + ": " + *why);
    }
  }
  if (material.client_certificate.empty()) return std::nullopt;
  if (auto why = show_certificate(
          context,
          {.place = client_certificate_in_words(config), .text = material.client_certificate},
          {.place = client_key_in_words(config), .text = material.client_key})) {
    return unusable(*std::move(why));
  }
  return std::nullopt;
}

std::string verification_in_words(long code, const ClusterConfig& config) {
  const std::string failed = "certificate verify failed: ";
  switch (code) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return failed + "the server's certificate (or its CA's) has expired";
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return failed +
             "the server's certificate is not yet valid; is the clock of this machine right?";
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
      return failed + "the server's certificate is not for the name " + expected_name(config);
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
      return failed + "the server's certificate has an unknown issuer: it was not signed by " +
             ca_in_words(config);
    default:
      return failed + X509_verify_cert_error_string(code) + " (checked with " +
             ca_in_words(config) + ")";
  }
}

}  // namespace nlc::net

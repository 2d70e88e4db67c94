#include "net/credentials/self_made_certificate.h"

#include <algorithm>
#include <boost/asio/ip/host_name.hpp>
#include <cctype>
#include <memory>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace nlc::net {
namespace {

using NewCertificate = std::unique_ptr<X509, decltype(&X509_free)>;
using NewKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

constexpr long an_hour = 3600;
constexpr long a_year = 365 * 24 * an_hour;

/// As it may stand in a list of alternative names; a pod's is the pod's name.
std::string host_name() {
  boost::system::error_code no_name;
  const std::string name = boost::asio::ip::host_name(no_name);
  const bool fits = std::ranges::all_of(name, [](unsigned char letter) {
    return std::isalnum(letter) != 0 || letter == '-' || letter == '.';
  });
  return fits ? name : std::string();
}

template <typename Write>
std::string as_pem(Write write) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(BIO_new(BIO_s_mem()), &BIO_free);
  if (write(bio.get()) != 1) return {};
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

bool extend(X509* certificate, int name, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, decltype(&X509_EXTENSION_free)> extension(
      X509V3_EXT_conf_nid(nullptr, &context, name, value.c_str()), &X509_EXTENSION_free);
  return extension && X509_add_ext(certificate, extension.get(), -1) == 1;
}

/// Two of ours never have the same, for a browser would refuse the second.
bool give_number(X509* certificate) {
  std::int64_t serial = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) != 1) return false;
  return ASN1_INTEGER_set_int64(X509_get_serialNumber(certificate), (serial >> 1) & INT64_MAX) == 1;
}

bool give_name(X509* certificate, const std::string& common_name) {
  X509_NAME* const subject = X509_get_subject_name(certificate);
  const auto* text = reinterpret_cast<const unsigned char*>(common_name.c_str());
  if (X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, text, -1, -1, 0) != 1) return false;
  const std::string host = host_name();
  return X509_set_issuer_name(certificate, subject) == 1 &&
         extend(certificate, NID_subject_alt_name,
                "DNS:localhost,IP:127.0.0.1,IP:::1" + (host.empty() ? "" : ",DNS:" + host));
}

/// Valid from an hour ago, for the clocks of others may be late.
bool describe(X509* certificate, EVP_PKEY* key, const std::string& common_name) {
  return X509_set_version(certificate, 2) == 1 && give_number(certificate) &&
         X509_gmtime_adj(X509_getm_notBefore(certificate), -an_hour) != nullptr &&
         X509_gmtime_adj(X509_getm_notAfter(certificate), a_year) != nullptr &&
         X509_set_pubkey(certificate, key) == 1 && give_name(certificate, common_name) &&
         extend(certificate, NID_basic_constraints, "critical,CA:FALSE") &&
         extend(certificate, NID_key_usage, "critical,digitalSignature") &&
         extend(certificate, NID_ext_key_usage, "serverAuth") &&
         X509_sign(certificate, key, EVP_sha256()) > 0;
}

}  // namespace

Result<CertificatePair> self_made_certificate(const std::string& common_name) {
  const NewKey key(EVP_EC_gen("P-256"), &EVP_PKEY_free);
  const NewCertificate certificate(X509_new(), &X509_free);
  if (!key || !certificate || !describe(certificate.get(), key.get(), common_name)) {
    ERR_clear_error();
    return Error{Fault::Unavailable, "no certificate could be made by OpenSSL"};
  }
  return CertificatePair{
      .certificate = as_pem([&](BIO* bio) { return PEM_write_bio_X509(bio, certificate.get()); }),
      .key = as_pem([&](BIO* bio) {
        return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
      })};
}

}  // namespace nlc::net

#include "net/config/pem.h"

#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/ssl/context.hpp>
#include <ctime>
#include <memory>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

namespace nlc::net {

namespace ssl = boost::asio::ssl;
using boost::system::error_code;

namespace {

constexpr const char* no_certificate = "no certificate is in it; PEM is expected";

/// What is in a file is all there is: nobody is asked for a password, at no terminal.
int no_password(char* /*buffer*/, int /*size*/, int /*writing*/, void* /*context*/) { return 0; }

using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

/// Borrowed for OpenSSL to read.
Bio bytes_of(const std::string& pem) {
  return {BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())), &BIO_free};
}

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using PrivateKey = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

/// Of a chain; none where it cannot be read.
Certificate first_of(const std::string& pem) {
  const Bio bio = bytes_of(pem);
  Certificate first(PEM_read_bio_X509(bio.get(), nullptr, &no_password, nullptr), &X509_free);
  ERR_clear_error();
  return first;
}

/// "2026-01-02T03:04:05Z".
std::string in_words(const ASN1_TIME* time) {
  std::tm read{};
  if (ASN1_TIME_to_tm(time, &read) != 1) return "unreadable";
  std::array<char, 32> text{};
  const std::size_t size = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &read);
  return {text.data(), size};
}

}  // namespace

/// Puts every certificate of the text into a fresh store, so that no other root is trusted.
std::optional<std::string> trust_roots(ssl::context& context, const std::string& pem, bool whole) {
  const Bio bio = bytes_of(pem);
  X509_STORE* const store = X509_STORE_new();
  SSL_CTX_set_cert_store(context.native_handle(), store);  // takes it over
  int found = 0;
  ERR_clear_error();
  while (X509* const certificate = PEM_read_bio_X509(bio.get(), nullptr, &no_password, nullptr)) {
    found += X509_STORE_add_cert(store, certificate);
    X509_free(certificate);
  }
  // The end of the text is an error to OpenSSL, too.
  const bool cut = ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE;
  ERR_clear_error();
  if (found == 0) return no_certificate;
  if (cut && whole) return "a certificate in it is cut short or cannot be read";
  return std::nullopt;
}

std::optional<std::string> show_certificate(ssl::context& context, const PlacedPem& certificate,
                                            const PlacedPem& key) {
  error_code error;
  SSL_CTX_set_default_passwd_cb(context.native_handle(), &no_password);
  context.use_certificate_chain(boost::asio::buffer(certificate.text), error);
  const std::string in_certificate = certificate.place + ": ";
  if (error && !first_of(certificate.text)) return in_certificate + no_certificate;
  if (error) return in_certificate + "a certificate in it cannot be used: " + error.message();
  const Bio bio = bytes_of(key.text);
  const PrivateKey own(PEM_read_bio_PrivateKey(bio.get(), nullptr, &no_password, nullptr),
                       &EVP_PKEY_free);
  const bool fits = own && SSL_CTX_use_PrivateKey(context.native_handle(), own.get()) == 1 &&
                    SSL_CTX_check_private_key(context.native_handle()) == 1;
  ERR_clear_error();
  if (fits) return std::nullopt;
  const std::string in_key = key.place + ": ";
  if (own) {
    return in_key + "it does not belong to " + certificate.place +
           "; the key that this was issued for is expected";
  }
  if (key.text.find("ENCRYPTED") != std::string::npos) {
    return in_key + "it is encrypted; a key without a password is expected";
  }
  return in_key + "it cannot be read; PEM is expected";
}

std::optional<std::string> roots_fault(const std::string& pem, bool whole) {
  ssl::context trial(ssl::context::tls_client);
  return trust_roots(trial, pem, whole);
}

std::optional<std::string> pair_fault(const PlacedPem& certificate, const PlacedPem& key) {
  ssl::context trial(ssl::context::tls_client);
  return show_certificate(trial, certificate, key);
}

std::optional<std::string> out_of_its_time(const std::string& certificate) {
  const Certificate first = first_of(certificate);
  if (!first) return std::nullopt;
  const ASN1_TIME* const begin = X509_get0_notBefore(first.get());
  const ASN1_TIME* const end = X509_get0_notAfter(first.get());
  const std::string until = ", notAfter " + in_words(end);
  if (X509_cmp_current_time(end) < 0) return "it has expired" + until;
  if (X509_cmp_current_time(begin) <= 0) return std::nullopt;
  return "it is not yet valid: notBefore " + in_words(begin) + until;
}

}  // namespace nlc::net

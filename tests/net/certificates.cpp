#include "tests/net/certificates.h"

#include <cassert>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

namespace nlc::tests {
namespace {

using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;
using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;

template <typename Write>
std::string pem(const Write& write) {
  BIO* const bio = BIO_new(BIO_s_mem());
  write(bio);
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  std::string text(data, static_cast<std::size_t>(size));
  BIO_free(bio);
  return text;
}

std::string pem_of(X509* certificate) {
  return pem([certificate](BIO* bio) { PEM_write_bio_X509(bio, certificate); });
}

std::string pem_of(EVP_PKEY* key) {
  return pem([key](BIO* bio) {
    PEM_write_bio_PrivateKey(bio, key, nullptr, nullptr, 0, nullptr, nullptr);
  });
}

Key new_key() { return Key(EVP_EC_gen("P-256"), &EVP_PKEY_free); }

void extend(X509* certificate, X509* issuer, int name, const std::string& value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, name, value.c_str());
  assert(extension != nullptr);
  X509_add_ext(certificate, extension, -1);
  X509_EXTENSION_free(extension);
}

Certificate unsigned_certificate(const Subject& subject, EVP_PKEY* key) {
  static long serial = 1;
  Certificate certificate(X509_new(), &X509_free);
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), ++serial);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), subject.valid_from);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), subject.valid_to);
  X509_set_pubkey(certificate.get(), key);
  X509_NAME* const name = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(subject.common_name.c_str()),
                             -1, -1, 0);
  return certificate;
}

}  // namespace

struct TestCa::Made {
  Key key = new_key();
  Certificate certificate{nullptr, &X509_free};
  std::string text;
};

TestCa::TestCa(const std::string& common_name) : made_(std::make_unique<Made>()) {
  const Subject subject{.common_name = common_name,
                        .alternative_names = "",
                        .valid_from = -86'400,
                        .valid_to = 86'400};
  made_->certificate = unsigned_certificate(subject, made_->key.get());
  X509* const certificate = made_->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  extend(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  extend(certificate, certificate, NID_subject_key_identifier, "hash");
  X509_sign(certificate, made_->key.get(), EVP_sha256());
  made_->text = pem_of(certificate);
}

TestCa::~TestCa() = default;

const std::string& TestCa::certificate() const { return made_->text; }

KeyPair TestCa::issue(const Subject& subject) const {
  const Key key = new_key();
  const Certificate certificate = unsigned_certificate(subject, key.get());
  X509* const issuer = made_->certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(issuer));
  if (!subject.alternative_names.empty()) {
    extend(certificate.get(), issuer, NID_subject_alt_name, subject.alternative_names);
  }
  X509_sign(certificate.get(), made_->key.get(), EVP_sha256());
  return {.certificate = pem_of(certificate.get()), .key = pem_of(key.get())};
}

std::string encrypted(const std::string& key, const std::string& password) {
  const std::unique_ptr<BIO, decltype(&BIO_free)> bio(
      BIO_new_mem_buf(key.data(), static_cast<int>(key.size())), &BIO_free);
  const Key read(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, nullptr), &EVP_PKEY_free);
  return pem([&](BIO* out) {
    PEM_write_bio_PKCS8PrivateKey(out, read.get(), EVP_aes_256_cbc(), password.data(),
                                  static_cast<int>(password.size()), nullptr, nullptr);
  });
}

}  // namespace nlc::tests

#include "net/credentials/tls_files.h"

#include <utility>

#include "net/config/pem.h"
#include "net/credentials/tls_setup.h"
#include "net/process/text_file.h"

namespace nlc::net {

namespace {

Result<std::string> pem_text(const PemSource& source) {
  if (!source.data.empty()) return source.data;
  return read_text_file(source.file);
}

/// `whole`: a text that ends in the middle of a certificate is none.
std::optional<Error> read_roots(const ClusterConfig& config, bool whole, TlsMaterial& into) {
  if (config.insecure || config.ca.empty()) return std::nullopt;
  Result<std::string> text = pem_text(config.ca);
  if (!text) return unusable("CA file " + text.error().path);
  if (const auto why = roots_fault(*text, whole)) {
    return unusable(ca_in_words(config) + ": " + *why);
  }
  into.roots = *std::move(text);
  return std::nullopt;
}

/// `held`: what is in use. Nobody is helped by one whose time is not now while that of `held` is.
std::optional<Error> read_client_certificate(const ClusterConfig& config, const TlsMaterial* held,
                                             TlsMaterial& into) {
  if (config.client_certificate.empty()) return std::nullopt;
  Result<std::string> certificate = pem_text(config.client_certificate);
  if (!certificate) return unusable("client certificate file " + certificate.error().path);
  Result<std::string> key = pem_text(config.client_key);
  if (!key) return unusable("client key file " + key.error().path);
  if (auto why = pair_fault({.place = client_certificate_in_words(config), .text = *certificate},
                            {.place = client_key_in_words(config), .text = *key})) {
    return unusable(*std::move(why));
  }
  const std::optional<std::string> untimely = out_of_its_time(*certificate);
  if (held != nullptr && untimely && !out_of_its_time(held->client_certificate)) {
    return unusable(client_certificate_in_words(config) + ": " + *untimely);
  }
  into.client_certificate = *std::move(certificate);
  into.client_key = *std::move(key);
  return std::nullopt;
}

}  // namespace

std::string TlsFiles::files_version() const {
  return file_version(config_.ca.file) + "|" + file_version(config_.client_certificate.file) + "|" +
         file_version(config_.client_key.file);
}

Result<std::shared_ptr<const TlsMaterial>> TlsFiles::current() {
  // Before the reading: what is replaced meanwhile is read again next time.
  std::string version = files_version();
  if (material_ && trouble_.empty() && version == version_) return material_;
  version_ = std::move(version);

  TlsMaterial fresh;
  const auto bad_roots = read_roots(config_, material_ != nullptr, fresh);
  const auto bad_certificate = read_client_certificate(config_, material_.get(), fresh);
  if (!material_ && (bad_roots || bad_certificate)) {
    trouble_ = bad_roots ? bad_roots->path : bad_certificate->path;
    return bad_roots ? *bad_roots : *bad_certificate;  // told by whoever asked
  }
  if (bad_roots) fresh.roots = material_->roots;
  if (bad_certificate) {
    fresh.client_certificate = material_->client_certificate;
    fresh.client_key = material_->client_key;
  }
  if (!material_ || *material_ != fresh)
    material_ = std::make_shared<const TlsMaterial>(std::move(fresh));
  std::string trouble = bad_roots ? bad_roots->path : "";
  if (bad_certificate) trouble += (trouble.empty() ? "" : "; ") + bad_certificate->path;
  tell(std::move(trouble));
  return material_;
}

void TlsFiles::tell(std::string trouble) {
  if (trouble == trouble_) return;
  if (trouble.empty()) {
    log_.info("certificate files can be used again", {{"was", trouble_}});
  } else {
    log_.warning("certificate files cannot be used, the old ones stay", {{"error", trouble}});
  }
  trouble_ = std::move(trouble);
}

}  // namespace nlc::net

#include "net/credentials/serving_certificate.h"

#include <boost/asio/ssl/context.hpp>
#include <openssl/ssl.h>
#include <utility>

#include "net/config/pem.h"
#include "net/credentials/tls_setup.h"
#include "net/process/text_file.h"

namespace nlc::net {

namespace ssl = boost::asio::ssl;

namespace {

/// Long before the year of a self-made one is over.
constexpr Duration self_made_lasts = std::chrono::hours(24 * 300);

/// Versions and ciphers; nothing is kept of callers, who come again seldom, and none makes us shake
/// hands again and again on one connection.
void equip(SSL_CTX* context) {
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20");
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context, 0);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
}

}  // namespace

Result<std::unique_ptr<ServingCertificate>> ServingCertificate::read(ServingFiles files,
                                                                     const Clock& clock, Log& log) {
  std::unique_ptr<ServingCertificate> made(new ServingCertificate(std::move(files), clock, log));
  if (std::optional<Error> error = made->look()) return *std::move(error);
  return made;
}

ServingCertificate::ServingCertificate(ServingFiles files, const Clock& clock, Log& log)
    : files_(std::move(files)), clock_(clock), log_(log) {}

ServingCertificate::~ServingCertificate() = default;

ssl::context& ServingCertificate::context() {
  tell(look());
  return *context_;
}

std::string ServingCertificate::in_words() const {
  return is_self_made() ? "self-made" : files_.certificate;
}

/// Nothing for a self-made one, whose time alone counts.
std::string ServingCertificate::files_version() const {
  return file_version(files_.certificate) + "|" + file_version(files_.key);
}

/// Reads what has changed; an error leaves all as it was.
std::optional<Error> ServingCertificate::look() {
  // Before the reading: what is replaced meanwhile is read again next time.
  std::string version = files_version();
  const bool is_good = context_ && trouble_.empty() && version == version_;
  if (is_good && !(is_self_made() && clock_.now() >= make_anew_)) return std::nullopt;
  version_ = std::move(version);
  Result<CertificatePair> fresh = pair();
  if (!fresh) return std::move(fresh.error());
  if (context_ && *fresh == pair_) return std::nullopt;
  return take(*std::move(fresh));
}

Result<CertificatePair> ServingCertificate::pair() const {
  if (is_self_made()) return self_made_certificate("node-lifecycle-controller");
  Result<std::string> certificate = read_text_file(files_.certificate);
  if (!certificate) return unusable("certificate file " + certificate.error().path);
  Result<std::string> key = read_text_file(files_.key);
  if (!key) return unusable("key file " + key.error().path);
  return CertificatePair{.certificate = *std::move(certificate), .key = *std::move(key)};
}

std::optional<Error> ServingCertificate::take(CertificatePair pair) {
  auto fresh = std::make_unique<ssl::context>(ssl::context::tls_server);
  equip(fresh->native_handle());
  if (auto why = show_certificate(
          *fresh, {.place = "certificate file " + files_.certificate, .text = pair.certificate},
          {.place = "key file " + files_.key, .text = pair.key})) {
    return unusable(*std::move(why));
  }
  const std::optional<std::string> untimely = out_of_its_time(pair.certificate);
  // Nobody is helped by one whose time is not now while that of the one in use is.
  if (context_ && untimely && !out_of_its_time(pair_.certificate)) {
    return unusable("certificate file " + files_.certificate + ": " + *untimely);
  }
  if (context_) log_.info("serving certificate was replaced", {{"certificate", in_words()}});
  if (untimely) {
    // As upstream: whoever does not verify it is served, and a port without pages helps nobody.
    log_.warning("serving certificate is out of its time, callers that verify it will refuse it",
                 {{"certificate", in_words()}, {"why", *untimely}});
  }
  context_ = std::move(fresh);
  pair_ = std::move(pair);
  make_anew_ = clock_.now() + self_made_lasts;
  return std::nullopt;
}

void ServingCertificate::tell(const std::optional<Error>& trouble) {
  std::string words = trouble ? trouble->path : "";
  if (words == trouble_) return;
  if (trouble) {
    log_.warning("serving certificate cannot be used, the old one stays", {{"error", words}});
  } else {
    log_.info("serving certificate can be used again", {{"was", trouble_}});
  }
  trouble_ = std::move(words);
}

}  // namespace nlc::net

#pragma once

#include <memory>
#include <optional>
#include <string>

#include "net/credentials/self_made_certificate.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace boost::asio::ssl {
class context;
}

namespace nlc::net {

struct ServingFiles {
  std::string certificate;  ///< with its chain; empty: one that is self-made, in memory
  std::string key;
};

/// What a port shows to callers: TLS 1.2 or newer, and a certificate. Looked at for each new
/// connection: files are read anew when they have changed, and a self-made one is made anew before
/// it expires; connections that there are keep what they began with.
///
/// What cannot be used changes nothing: a certificate without its key, or one that has expired or
/// is not yet valid while the old one holds, leaves the old pair in force. The log tells it once,
/// and once when it is over. Where there is none that holds, at the start above all, one that has
/// expired is shown all the same, and the log warns of it. One thread, after the first reading.
class ServingCertificate {
 public:
  /// An error says which file cannot be used, and why. Clock and log outlive it.
  static Result<std::unique_ptr<ServingCertificate>> read(ServingFiles files, const Clock& clock,
                                                          Log& log);
  ~ServingCertificate();
  ServingCertificate(const ServingCertificate&) = delete;
  ServingCertificate& operator=(const ServingCertificate&) = delete;

  /// For a new connection.
  boost::asio::ssl::context& context();

  /// "self-made", or the certificate's file.
  std::string in_words() const;

 private:
  ServingCertificate(ServingFiles files, const Clock& clock, Log& log);
  bool is_self_made() const { return files_.certificate.empty(); }
  std::string files_version() const;
  std::optional<Error> look();
  Result<CertificatePair> pair() const;
  std::optional<Error> take(CertificatePair pair);
  void tell(const std::optional<Error>& trouble);

  const ServingFiles files_;
  const Clock& clock_;
  Log& log_;
  CertificatePair pair_;
  std::unique_ptr<boost::asio::ssl::context> context_;
  std::string version_;
  std::string trouble_;
  Instant make_anew_ = Instant::min();  ///< the self-made one
};

}  // namespace nlc::net

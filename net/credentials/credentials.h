#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "net/config/cluster_config.h"
#include "net/credentials/tls_files.h"
#include "runtime/clock.h"
#include "runtime/log.h"
#include "runtime/published.h"

namespace nlc::net {

/// Who we are to one server and whom we trust, for all clients that talk to it: the Authorization
/// header of the moment, the roots, our certificate. The one place that reads those files, so what
/// one client keeps the others keep.
///
/// A token file is read again 50 s after the last reading, on use, and at once after a 401; the
/// certificate files are looked at for each new connection, and now and then besides. What cannot
/// be read or used leaves the last good one in force; the log says so once, and once when it is
/// over. Without TLS nothing is ever shown to a server (spec/client.md "Credentials"). A refusal
/// that no new token heals is logged with the name of what was refused. Any thread.
class Credentials {
 public:
  Credentials(ClusterConfig config, const Clock& clock, Log& log);

  const ClusterConfig& server() const { return config_; }

  /// Value of the header; empty when the request goes without.
  std::string authorization();

  /// After a 401 answered to `refused`: reads the token file again. The result differs from
  /// `refused` when a second try makes sense.
  std::string authorization_after(const std::string& refused);

  /// For a new connection. An error only while there has never been anything to use.
  Result<std::shared_ptr<const TlsMaterial>> tls();

  /// What could not be read or used when it was last looked at, for health pages; nothing when all
  /// is well. The last good ones are in use meanwhile. Waits for nobody who is reading files.
  std::optional<std::string> trouble() const;

 private:
  void read_token_file();
  void tell_refused();
  void look_at_certificates(Instant now);
  void publish_trouble();

  const ClusterConfig config_;
  const Clock& clock_;
  Log& log_;
  mutable std::mutex mutex_;  // of all that follows
  std::string header_;
  std::optional<std::string> told_refused_;  ///< the header whose refusal was told last
  std::string token_trouble_;
  Instant valid_until_ = Instant::min();
  TlsFiles files_;
  std::optional<Instant> next_look_;  // at the certificate files

  Published<std::string> shown_trouble_;
};

/// At the start: such a server refuses nearly everything, with 403s that do not say why. Without
/// TLS there is nothing to show.
void warn_of_no_credentials(const ClusterConfig& config, Log& log);

}  // namespace nlc::net

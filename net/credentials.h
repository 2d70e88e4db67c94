#pragma once

#include <optional>
#include <string>

#include "net/cluster_config.h"
#include "runtime/clock.h"
#include "runtime/log.h"

namespace nlc::net {

/// The Authorization header of the moment.
///
/// A token file is read again 50 s after the last reading, on use, and at once after a 401; when it
/// cannot be read the old token stays and the log says so. Without TLS nothing is ever shown to a
/// server (informer-election.md §11). A refusal that no new token heals is logged with the name of
/// what was refused. One thread.
class Credentials {
 public:
  Credentials(ClusterConfig config, const Clock& clock, Log& log);

  /// Value of the header; empty when the request goes without.
  const std::string& authorization();

  /// After a 401 answered to `refused`: reads the token file again. The result differs from
  /// `refused` when a second try makes sense.
  const std::string& authorization_after(const std::string& refused);

 private:
  void read_token_file();
  void tell_refused();

  const ClusterConfig config_;
  const Clock& clock_;
  Log& log_;
  std::string header_;
  std::optional<std::string> told_refused_;  ///< the header whose refusal was told last
  Instant valid_until_ = Instant::min();
};

}  // namespace nlc::net

#pragma once

#include <memory>
#include <string>

#include "net/config/cluster_config.h"
#include "net/credentials/tls_material.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace nlc::net {

/// The certificates that a config names, read anew when their files have changed, so that rotated
/// ones are used without a restart.
///
/// What cannot be used changes nothing: a CA file that is gone, empty or cut short leaves the old
/// roots in force, a certificate without its key, or one that has expired, leaves the old pair if
/// that is better. The log tells it once, and once when it is over. One thread.
class TlsFiles {
 public:
  /// Both outlive it.
  TlsFiles(const ClusterConfig& config, Log& log) : config_(config), log_(log) {}

  /// For a new connection. The same pointer as before means that nothing has changed. An error only
  /// while there has never been anything to use.
  Result<std::shared_ptr<const TlsMaterial>> current();

  /// What cannot be used now, empty when all is well.
  const std::string& trouble() const { return trouble_; }

 private:
  std::string files_version() const;
  void tell(std::string trouble);

  const ClusterConfig& config_;
  Log& log_;
  std::shared_ptr<const TlsMaterial> material_;  // shared with the connections being made
  std::string version_;
  std::string trouble_;
};

}  // namespace nlc::net

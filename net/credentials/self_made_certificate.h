#pragma once

#include <string>

#include "runtime/result.h"

namespace nlc::net {

/// A certificate and the key that belongs to it, as PEM.
struct CertificatePair {
  std::string certificate;
  std::string key;

  bool operator==(const CertificatePair&) const = default;
};

/// For a year from now, for `localhost`, 127.0.0.1, ::1 and this machine's name, signed by itself:
/// it keeps what is said from being read on the way, and proves nothing to whoever calls.
Result<CertificatePair> self_made_certificate(const std::string& common_name);

}  // namespace nlc::net

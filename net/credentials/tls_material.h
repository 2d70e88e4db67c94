#pragma once

#include <string>

namespace nlc::net {

/// What a TLS connection is made with, as PEM. It was tried: the roots hold a certificate, the
/// client's certificate and key belong together.
struct TlsMaterial {
  std::string roots;  ///< empty: the system's
  std::string client_certificate;
  std::string client_key;

  bool operator==(const TlsMaterial&) const = default;
};

}  // namespace nlc::net

#include "net/credentials/tls_files.h"
#include "readers.h"
#include "rule.h"

namespace nlc::bytes {

/// Certificates and a key, as text.
void read_certificate(std::string_view bytes) {
  net::ClusterConfig config;
  config.ca.data = bytes;
  config.client_certificate.data = bytes;
  config.client_key.data = bytes;
  SilentLog log;
  net::TlsFiles files(config, log);
  const auto material = files.current();
  if (!material) return;
  must_hold((*material)->roots == bytes || bytes.empty(), "what was read is used");
  must_hold(*files.current() == *material, "what has not changed is not read again");
}

}  // namespace nlc::bytes

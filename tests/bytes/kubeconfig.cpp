#include "net/config/kubeconfig.h"

#include <string>

#include "readers.h"
#include "rule.h"
#include "tests/net/temporary_folder.h"

namespace nlc::bytes {

/// A kubeconfig is a file.
void read_kubeconfig(std::string_view bytes) {
  static const tests::TemporaryFolder folder;
  const std::string file = folder.write("config", std::string(bytes));
  const auto nothing = [](const std::string&) { return std::string(); };
  const Result<net::ClusterConfig> config =
      net::load_kubeconfig({.file = file, .context = {}}, nothing);
  if (!config) {
    must_hold(config.error().path.find(file) != std::string::npos,
              "an error names the file that is wrong");
    return;
  }
  must_hold(!config->host.empty() && !config->context.empty(),
            "a cluster has a host and a context");
  must_hold(config->client_certificate.empty() == config->client_key.empty(),
            "a certificate has its key");
  must_hold(config->token.find('\0') == std::string::npos, "a token is a line of text");
}

}  // namespace nlc::bytes

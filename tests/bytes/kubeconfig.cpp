#include "net/config/kubeconfig.h"

#include <cstdlib>
#include <fstream>

#include "readers.h"
#include "rule.h"

namespace nlc::bytes {
namespace {

/// A kubeconfig is a file.
class ConfigFile {
 public:
  ConfigFile() {
    std::string folder = "/tmp/kubeconfig-XXXXXX";
    must_hold(mkdtemp(folder.data()) != nullptr, "there is room in /tmp");
    folder_ = folder;
  }
  ~ConfigFile() {
    (void)std::remove(path().c_str());
    (void)std::remove(folder_.c_str());
  }
  ConfigFile(const ConfigFile&) = delete;
  ConfigFile& operator=(const ConfigFile&) = delete;

  void write(std::string_view text) const {
    std::ofstream file(path(), std::ios::binary | std::ios::trunc);
    file.write(text.data(), static_cast<std::streamsize>(text.size()));
  }
  std::string path() const { return folder_ + "/config"; }

 private:
  std::string folder_;
};

}  // namespace

void read_kubeconfig(std::string_view bytes) {
  static const ConfigFile file;
  file.write(bytes);
  const auto nothing = [](const std::string&) { return std::string(); };
  const Result<net::ClusterConfig> config =
      net::load_kubeconfig({.file = file.path(), .context = {}}, nothing);
  if (!config) {
    must_hold(config.error().path.find(file.path()) != std::string::npos,
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

#include "net/config/cluster_config.h"

#include <algorithm>

#include "net/http/listen_address.h"
#include "runtime/words.h"

namespace nlc::net {
namespace {

std::string source_in_words(const std::string& what, const PemSource& source,
                            const std::string& user) {
  if (source.data.empty()) return what + " file " + source.file;
  return what + " data of user \"" + user + "\"";
}

}  // namespace

std::string server_url(const ClusterConfig& config) {
  return (config.tls ? "https://" : "http://") + address_text(config.host, config.port) +
         config.path_prefix;
}

Error server_error(const ClusterConfig& config, Fault fault, std::string_view what) {
  return {.fault = fault, .path = server_url(config).append(": ").append(what)};
}

std::string ca_in_words(const ClusterConfig& config) {
  if (!config.ca.data.empty()) return "CA data of cluster \"" + config.cluster + "\"";
  if (!config.ca.file.empty()) return "CA file " + config.ca.file;
  return "the system's CAs";
}

std::string client_certificate_in_words(const ClusterConfig& config) {
  return source_in_words("client certificate", config.client_certificate, config.user);
}

std::string client_key_in_words(const ClusterConfig& config) {
  return source_in_words("client key", config.client_key, config.user);
}

bool shows_nothing(const ClusterConfig& config) {
  return config.token_file.empty() && config.token.empty() && config.client_certificate.empty();
}

std::string credentials_in_words(const ClusterConfig& config) {
  if (!config.token_file.empty()) return "token file " + config.token_file;
  if (!config.token.empty()) return "token of user \"" + config.user + "\"";
  if (!config.client_certificate.empty()) return client_certificate_in_words(config);
  return "nothing";
}

std::optional<std::string> token_fault(std::string_view token) {
  const std::string_view line = trimmed(token);
  if (line.empty()) return "it is empty";
  const auto printable = [](char letter) { return letter > 0x1F && letter < 0x7F; };
  if (std::ranges::all_of(line, printable)) return std::nullopt;
  return "it is not one line of printable ASCII";
}

}  // namespace nlc::net

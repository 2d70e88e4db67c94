#include "net/config/in_cluster.h"

#include "net/config/pem.h"
#include "net/process/text_file.h"
#include "runtime/parse_number.h"
#include "runtime/words.h"

namespace nlc::net {
namespace {

Error not_in_cluster(const std::string& why) {
  return bad_input("in-cluster configuration: " + why);
}

std::string without_brackets(const std::string& host) {
  const bool bracketed = host.size() > 2 && host.front() == '[' && host.back() == ']';
  return bracketed ? host.substr(1, host.size() - 2) : host;
}

Result<std::string> mounted(const std::string& file) {
  Result<std::string> text = read_text_file(file);
  if (!text) return std::move(text.error()).while_doing("in-cluster configuration");
  if (trimmed(*text).empty()) return not_in_cluster(file + ": it is empty");
  return text;
}

std::string own_namespace(const Environment& environment, const std::string& mount) {
  if (std::string name = environment("POD_NAMESPACE"); !name.empty()) return name;
  Result<std::string> text = read_text_file(mount + "/namespace");
  if (!text) return "default";
  const std::string name(trimmed(*text));
  return name.empty() ? "default" : name;
}

}  // namespace

Result<ClusterConfig> load_in_cluster(const Environment& environment, const std::string& mount) {
  const std::string host = environment("KUBERNETES_SERVICE_HOST");
  const std::string port = environment("KUBERNETES_SERVICE_PORT");
  if (host.empty() || port.empty()) {
    return not_in_cluster(
        "KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT must both be set, as they are in "
        "every pod; "
        "outside of a cluster give --kubeconfig");
  }
  const std::uint16_t port_number = parse_number<std::uint16_t>(port).value_or(0);
  if (port_number == 0) {
    return not_in_cluster("KUBERNETES_SERVICE_PORT is \"" + port +
                          "\", it must be a number from 1 to 65535");
  }
  ClusterConfig config;
  config.host = without_brackets(host);
  config.port = port_number;
  config.ca.file = mount + "/ca.crt";
  config.token_file = mount + "/token";
  config.namespace_name = own_namespace(environment, mount);
  config.source = "in-cluster service account";
  config.cluster = "in-cluster";
  config.user = "service account of this pod";
  const Result<std::string> token = mounted(config.token_file);
  if (!token) return token.error();
  const Result<std::string> roots = mounted(config.ca.file);
  if (!roots) return roots.error();
  const std::optional<std::string> fault = roots_fault(*roots, false);
  if (fault) return not_in_cluster(config.ca.file + ": " + *fault);
  return config;
}

}  // namespace nlc::net

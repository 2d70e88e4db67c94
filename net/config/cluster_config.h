#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/result.h"

namespace nlc::net {

/// PEM text, or the file in which it stands. Text wins where both are given, as in a kubeconfig.
struct PemSource {
  std::string file;
  std::string data;

  bool empty() const { return file.empty() && data.empty(); }
};

/// Why no header can carry that token, in words; nothing where one can. More than one line could
/// end the header, or begin another one.
std::optional<std::string> token_fault(std::string_view token);

/// Everything that is needed to reach one API server, and the names under which the operator knows
/// it. A plain value: files are named here and read by those who use them, because they rotate.
struct ClusterConfig {
  std::string host;  ///< name or address, IPv6 without brackets
  std::uint16_t port = 443;
  bool tls = true;
  std::string
      path_prefix;  ///< of a server behind a proxy: "/k8s/clusters/c-1"; no slash at the end

  PemSource ca;  ///< empty: the system's roots
  bool insecure = false;
  std::string tls_server_name;  ///< for SNI and verification instead of `host`
  PemSource client_certificate;
  PemSource client_key;

  // Who we are, strongest first. Never sent without TLS.
  std::string token_file;
  std::string token;

  std::string namespace_name;  ///< the context's, or the pod's own

  // For messages only.
  std::string source;  ///< "kubeconfig /home/ada/.kube/config", "in-cluster service account"
  std::string context;
  std::string cluster;
  std::string user;
};

/// "https://10.0.0.1:6443/prefix", for messages.
std::string server_url(const ClusterConfig& config);

/// What failed between us and the server: "https://10.0.0.1:6443/prefix: WHAT".
Error server_error(const ClusterConfig& config, Fault fault, std::string_view what);

/// Where a PEM text comes from, in words: "CA file /etc/ca.crt", "CA data of cluster \"dev\"".
std::string ca_in_words(const ClusterConfig& config);

/// "client certificate file /a.crt", "client certificate data of user \"ada\"".
std::string client_certificate_in_words(const ClusterConfig& config);
std::string client_key_in_words(const ClusterConfig& config);

/// Whether the server is shown no proof of who we are: it takes us for nobody.
bool shows_nothing(const ClusterConfig& config);

/// What the server is shown as proof of who we are: "token file /var/run/…/token", "token of user
/// \"ada\"", the client certificate, "nothing".
std::string credentials_in_words(const ClusterConfig& config);

}  // namespace nlc::net

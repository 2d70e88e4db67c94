#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "audit.h"
#include "certificates.h"
#include "kubeconfig.h"
#include "kubectl_program.h"
#include "process.h"

namespace nlc::real {

struct RealClusterOptions {
  std::string audit_policy = real::audit_policy(controller_account);
  /// Another one who may do everything, so that the audit log tells him from the first.
  std::string second_administrator = "second";
};

/// A kube-apiserver with its etcd on ports of 127.0.0.1: TLS under a CA of its own, RBAC, service
/// account tokens, an audit log. The programs come from $KUBEBUILDER_ASSETS. No kubelet, no
/// scheduler, no kube-controller-manager: who else acts in it is up to the test.
///
/// Each has a folder of its own, which is removed with it unless it is told to `keep_folder`. The
/// constructor returns once the server says that it is ready; it throws, with the server's last
/// words, when it does not.
class RealCluster {
 public:
  explicit RealCluster(const RealClusterOptions& options = {});
  ~RealCluster();
  RealCluster(const RealCluster&) = delete;
  RealCluster& operator=(const RealCluster&) = delete;

  const std::filesystem::path& folder() const { return folder_; }
  void keep_folder() { keep_folder_ = true; }

  std::string server_version();

  /// kubectl as the administrator, or as whom `kubeconfig` says. `input` is what it reads for `-f
  /// -`.
  KubectlAnswer kubectl(const std::vector<std::string>& arguments, const std::string& input = "");
  KubectlAnswer kubectl_as(const std::filesystem::path& kubeconfig,
                           std::vector<std::string> arguments, const std::string& input = "");

  /// The same where failure ends the test: its output, or an exception with what kubectl said.
  std::string must(const std::vector<std::string>& arguments, const std::string& input = "");

  /// `kubectl get … -o json`; an empty object while the server does not answer.
  nlohmann::json get(std::vector<std::string> arguments);

  const Kubeconfig& admin() const { return admin_; }
  const Kubeconfig& second_admin() const { return second_admin_; }
  std::uint16_t server_port() const { return static_cast<std::uint16_t>(server_port_); }
  std::filesystem::path admin_file() const { return folder_ / "admin.kubeconfig"; }

  /// Starts kubectl as the administrator and does not wait for its end.
  Process start_kubectl(std::vector<std::string> arguments);

  /// Applies manifests/rbac.yaml and returns credentials of the account that it creates, and of
  /// nothing more.
  Kubeconfig controller_account_config();

  /// A token of its own for that service account; audit lines tell one from another.
  Kubeconfig account_config(const std::string& space, const std::string& account);

  const Authority& authority() const { return authority_; }

  /// All since the start, or since it was last emptied.
  const std::vector<AuditLine>& audit_lines();

  /// Removes what stories leave behind: nodes, pods, events, the leases of nodes and of elections,
  /// and the audit lines up to now.
  void empty();

  void stop_server() { server_->kill(); }  ///< at once: without a graceful end, as a crash would
  void start_server();                     ///< on the same port, and waits until it is ready
  void pause_server();                     ///< connections stay open, nothing is answered
  void resume_server();

  std::string server_log_end() const;

 private:
  void start_etcd();
  void await_ready();

  struct Start {
    WallTime begun;
    WallTime ready;
  };

  std::filesystem::path folder_;
  KubectlProgram kubectl_;
  Authority authority_;
  KeyPair serving_;
  int etcd_port_;
  int server_port_;
  Kubeconfig admin_;
  Kubeconfig second_admin_;
  std::optional<Process> etcd_;
  std::optional<Process> server_;  // after etcd_: ends before it, as it must
  std::vector<Start> starts_;
  AuditLog audit_log_;
  std::vector<AuditLine> audit_lines_;
  bool keep_folder_ = false;
};

}  // namespace nlc::real

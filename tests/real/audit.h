#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "runtime/time.h"

namespace nlc::real {

/// One request as the API server wrote it down when it had answered it.
struct AuditLine {
  std::string user;
  std::string verb;  ///< "patch"; for what is no resource the method in small letters
  std::string what;  ///< "nodes/status"; for what is no resource the path
  std::string space;
  std::string name;
  int code = 0;
  WallTime at{};        ///< when it was received
  nlohmann::json body;  ///< of the writes that the policy asks for, else null

  /// Before the server had said that it is ready. It answers 403 to anybody then, until it has read
  /// its own RBAC rules.
  bool while_starting = false;

  /// "patch nodes/status hollow-0", "create leases kube-system/".
  std::string deed() const;
};

/// Who the controller is to a real server: the service account of manifests/rbac.yaml.
inline const std::string controller_account =
    "system:serviceaccount:kube-system:node-lifecycle-controller";

/// The policy: everything with its outcome, the writes of `user` with their bodies.
std::string audit_policy(const std::string& user);

/// Everything that has been answered so far, in the order of the answers. A watch shows when it
/// opens.
std::vector<AuditLine> read_audit_log(const std::filesystem::path& file);

/// The lines of `user` that changed something, refused ones among them.
std::vector<AuditLine> writes_of(const std::vector<AuditLine>& lines, const std::string& user);

/// The lines of `user` that the server refused with `code`.
std::vector<AuditLine> refusals_of(const std::vector<AuditLine>& lines, const std::string& user,
                                   int code);

/// One line of text for each, for failed expectations.
std::string listed(const std::vector<AuditLine>& lines);

}  // namespace nlc::real

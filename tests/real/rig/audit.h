#pragma once

#include <filesystem>
#include <ios>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
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
  WallTime at{};           ///< when it was received
  WallTime answered{};     ///< when its answer left; of a watch when it opened
  std::string credential;  ///< which of its user's tokens it came with, where that is known
  nlohmann::json body;     ///< of the writes that the policy asks for, else null

  /// Before the server had said that it is ready. It answers 403 to anybody then, until it has read
  /// its own RBAC rules.
  bool while_starting = false;

  /// "patch nodes/status hollow-0", "create leases kube-system/".
  std::string action() const;
};

/// Who the controller is to a real server: the service account of manifests/rbac.yaml.
inline const std::string controller_account =
    "system:serviceaccount:kube-system:node-lifecycle-controller";

/// The policy: everything with its outcome; the writes of `user`, and those to locks, with their
/// bodies.
std::string audit_policy(const std::string& user);

/// The server's audit log, read as it grows: everything that has been answered, in the order of the
/// answers. A watch shows when it opens.
class AuditLog {
 public:
  explicit AuditLog(std::filesystem::path file) : file_(std::move(file)) {}

  /// Appends what was written since the last call.
  void read_into(std::vector<AuditLine>& lines);

 private:
  std::filesystem::path file_;
  std::streamoff read_ = 0;
};

/// The lines of `user` that changed something, refused ones among them.
std::vector<AuditLine> writes_of(const std::vector<AuditLine>& lines, const std::string& user);

/// The lines of `user` that the server refused with `code`.
std::vector<AuditLine> refusals_of(const std::vector<AuditLine>& lines, const std::string& user,
                                   int code);

/// One line of text for each, for failed expectations.
std::string listed(const std::vector<AuditLine>& lines);

}  // namespace nlc::real

#pragma once

#include <string>
#include <utility>
#include <vector>

#include "api/objects.h"
#include "controller/rules/taints.h"

namespace nlc::conformance {

/// A node whose conditions ask for just those changes of its taints that a unit case asks for.
///
/// Upstream adds and removes any taint it is told to. Ours writes the list that follows from what
/// the node's conditions say, so only the taints that we manage ever come or go. Here each taint
/// that a case adds or removes is played by one of ours with the same effect.
class StandInNode {
 public:
  explicit StandInNode(std::vector<api::Taint> there) : there_(std::move(there)) {}

  /// Due by the node's conditions.
  void want(const api::Taint& taint);
  /// Not due by the node's conditions.
  void refuse(const api::Taint& taint);

  /// Has no creation time and no uid.
  api::Node node() const;
  /// How far the NoExecute side goes where the conditions allow all of it.
  controller::NoExecuteStep step() const;

  /// A list of such a node's taints in the words of the case.
  std::vector<std::string> names(const std::vector<api::Taint>& taints) const;

 private:
  struct Role {
    api::Taint named;  ///< as the case says it
    std::string player;
  };

  const Role* role_of(const api::Taint& named) const;
  void give_role(const api::Taint& named, std::string_view player);

  const std::vector<api::Taint> there_;
  std::vector<Role> roles_;
  std::vector<api::NodeCondition> conditions_;
  bool unreachable_ = false;
};

}  // namespace nlc::conformance

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

/// What the tests ask of objects as kubectl shows them.
namespace nlc::real {

inline const std::string no_execute = "node.kubernetes.io/unreachable:NoExecute";

std::string name_of(const nlohmann::json& object);
std::string node_of(const nlohmann::json& pod);

/// The condition of that type; an empty object when there is none.
nlohmann::json condition(const nlohmann::json& object, const std::string& type);
bool has_condition(const nlohmann::json& object, const std::string& type,
                   const std::string& status);

/// "key:Effect" of each taint, in alphabetical order.
std::vector<std::string> taints_of(const nlohmann::json& node);

/// The object in a line, for failed expectations: its taints, its conditions, whether it is
/// leaving.
std::string in_short(const nlohmann::json& object);

/// Marked for deletion.
bool is_leaving(const nlohmann::json& object);

/// Names of those whose Ready is `status`, in alphabetical order.
std::vector<std::string> names_with_ready(const std::vector<nlohmann::json>& objects,
                                          const std::string& status);

/// A pod in the namespace "default", bound by hand, for there is no scheduler: it tolerates an
/// unreachable node for `tolerated` seconds; every NoExecute taint for ever when that is negative.
nlohmann::json pod_on(const std::string& node, const std::string& stem, int tolerated);

}  // namespace nlc::real

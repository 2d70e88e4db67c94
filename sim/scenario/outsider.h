#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/api_server.h"
#include "sim/scenario/steps.h"

namespace nlc::sim::scenario {

/// Everybody in the cluster but the controller: kubelets, users, other controllers. Their writes
/// take effect at once and are no requests of the controller.
class Outsider {
 public:
  Outsider(ApiServer& server, const Clock& clock) : server_(server), clock_(clock) {}

  void perform(const Apply& apply);
  void perform(const MergePatch& patch);
  void perform(const ApplyPatch& patch);
  /// Returns the name of what was deleted.
  std::string perform(const Delete& deletion);
  void perform(const Heartbeat& heartbeat);
  void perform(const RenewLease& renewal);

  /// Puts an object there; one that exists keeps its uid, its age and its deletion.
  void put(nlohmann::json object);

 private:
  nlohmann::json find(const ObjectName& object) const;
  void ensure_namespace(const std::string& name);
  void beat(const std::string& node, const Heartbeat& heartbeat);
  void renew(const std::string& node, const RenewLease& renewal);
  bool renewed_in_place(const std::string& key, WallTime renewed);
  bool known_to_be(const std::string& node, const std::string& ready);
  nlohmann::json new_lease(const std::string& node, const std::string& namespace_name) const;
  std::string first_untainted(const std::vector<std::string>& nodes) const;

  ApiServer& server_;
  const Clock& clock_;
  /// Nodes as they were when they were last found to be as their kubelet says: reading them again
  /// every few seconds would be most of a long run's work.
  std::unordered_map<std::string, std::pair<ObjectRef, std::string>> unchanged_;
};

/// The object of that kind under its key, with kind and apiVersion; null when there is none.
nlohmann::json object_in(const Storage& storage, std::string_view kind, const std::string& key);

}  // namespace nlc::sim::scenario

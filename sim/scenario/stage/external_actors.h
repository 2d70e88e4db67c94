#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/stage/kubelet_writes.h"

namespace nlc::sim::scenario {

/// Everybody in the cluster but the controller: kubelets, users, other controllers.
class ExternalActors {
 public:
  explicit ExternalActors(OutsideWrites::Env env) : writes_(std::move(env)) {}

  void perform(const Apply& apply);
  void perform(const MergePatch& patch);
  void perform(const ApplyPatch& patch);
  /// Returns the name of what was deleted.
  std::string perform(const Delete& deletion);
  void perform(const Heartbeat& heartbeat) { kubelets_.perform(heartbeat); }
  void perform(const RenewLease& renewal) { kubelets_.perform(renewal); }

  /// Puts an object there; one that exists keeps its uid, its age and its deletion.
  void put(nlohmann::json object);

 private:
  void remove(const ObjectName& object, std::optional<long long> grace_seconds);
  std::string first_untainted(const std::vector<std::string>& nodes) const;

  OutsideWrites writes_;
  KubeletWrites kubelets_{writes_};
};

}  // namespace nlc::sim::scenario

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <unordered_map>
#include <utility>

#include "sim/scenario/stage/outside_writes.h"

namespace nlc::sim::scenario {

/// What kubelets write: the statuses of their nodes, and their leases.
class KubeletWrites {
 public:
  explicit KubeletWrites(OutsideWrites& writes) : writes_(writes) {}

  void perform(const Heartbeat& heartbeat);
  void perform(const RenewLease& renewal);

 private:
  void post_heartbeat(const std::string& node, const Heartbeat& heartbeat);
  void post_status(const std::string& node, const Heartbeat& heartbeat, const std::string& now);
  void renew(const std::string& node, const RenewLease& renewal);
  void write_renewal(const ObjectName& name, const RenewLease& renewal, WallTime now);
  bool renewed_in_place(const std::string& key, WallTime renewed);
  bool known_to_be(const std::string& node, const std::string& ready);
  nlohmann::json new_lease(const ObjectName& name) const;

  OutsideWrites& writes_;
  /// Nodes as they were when they were last found to be as their kubelet says: reading them again
  /// every few seconds would be most of a long run's work.
  std::unordered_map<std::string, std::pair<ObjectRef, std::string>> unchanged_;
};

}  // namespace nlc::sim::scenario

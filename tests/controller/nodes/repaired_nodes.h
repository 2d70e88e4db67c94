#pragma once

#include "tests/controller/observed_nodes.h"

namespace nlc::controller::testing {

/// What nodes need, in which order, and what becomes of answers.
class RepairedNodes : public ObservedNodes {
 protected:
  void store_ready(const std::vector<std::string>& names) {
    for (const std::string& name : names) store(ready_node(name));
    monitor_pass();
  }
  /// The write is taken, and its effect is seen.
  void take(const SetTaints& wish) {
    api::Node node = *nodes.find(wish.node.name);
    node.taints = wish.taints;
    store(node);
    lifecycle.written(wish.node, NodePart::Spec, now);
  }
  SetTaints only_taints() { return only_one<SetTaints>(repair()); }
  void pause(const std::string& text) {
    pauses.follow(read_operator_policy({{"pause", text}}, {}).policy, true);
  }
  std::optional<Instant> next_repair() const {
    return lifecycle.repairs().next_repair(now, NodeLifecycle::Evictions::Allowed);
  }
  static api::Node cordoned(std::string name) {
    api::Node node = without_os_label(std::move(name));
    node.unschedulable = true;
    return node;
  }
  static api::Node tainted(api::Node node, std::string_view key) {
    node.taints = {a_taint(key, "NoSchedule"), a_taint(key, "NoExecute")};
    return node;
  }
  /// Of six nodes `first` takes the token of the zone, and is seen to be tainted.
  void let_one_be_tainted_before_others(const std::string& first) {
    store_ready({first, "b", "c", "d", "e", "f"});
    store(node_with_ready(first, api::ConditionStatus::False));
    take(only_taints());
  }

  const Error unavailable{.fault = Fault::Unavailable, .path = "503"};
};

}  // namespace nlc::controller::testing

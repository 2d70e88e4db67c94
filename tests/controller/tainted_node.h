#pragma once

#include <optional>
#include <string>
#include <vector>

#include "controller/pods/taint_eviction.h"
#include "controller/rules/taints.h"
#include "tests/controller/observed_pods.h"

namespace nlc::controller::testing {

/// One node with pods, which leave it for its taints.
class TaintedNode : public ObservedPods<TaintEviction, EvictPod> {
 protected:
  TaintedNode() {
    pods.replace({});
    nodes.replace({});
  }
  /// A process that has not read its first lists yet.
  struct New {};
  explicit TaintedNode(New) {}

  void taint_node(std::vector<api::Taint> taints) {
    api::Node node = silent_node("n");
    node.taints = std::move(taints);
    node.conditions.front().last_transition = silent_since;
    const std::optional<api::Node> before = nodes.find("n");
    nodes.apply(node);
    eviction.node_stored(node, before ? &*before : nullptr, at());
  }
  void remove_node() {
    eviction.node_removed(*nodes.find("n"));
    nodes.remove("n");
  }
  std::vector<std::string> cancelled() {
    std::vector<std::string> names;
    for (const PodRef& pod : eviction.take_cancelled()) names.push_back(pod.name);
    return names;
  }
  Moment at() const { return moment_at(now); }

  WallTime silent_since = noon - 24h;

 private:
  void tell_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override {
    eviction.pod_stored(slot, pod, before, at());
  }
  void tell_removed(Slot slot, const api::Pod& pod) override { eviction.pod_removed(slot, pod); }
};

inline const std::vector<api::Toleration> ten_seconds{tolerates_for(taint::unreachable, 10),
                                                      tolerates_for(taint::not_ready, 10)};

}  // namespace nlc::controller::testing

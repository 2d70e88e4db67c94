#pragma once

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "controller/pods/taint_eviction.h"
#include "controller/rules/taints.h"
#include "tests/controller/objects.h"

namespace nlc::controller::testing {

/// One node with pods, observed by hand: `now` is whatever the test says.
class ObservedPods : public ::testing::Test, private informer::StoreListener<api::Pod> {
 protected:
  ObservedPods() {
    pods.set_listener(this);
    pods.replace({});
    nodes.replace({});
  }
  /// A process that has not read its first lists yet.
  struct New {};
  explicit ObservedPods(New) { pods.set_listener(this); }

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
  void store(api::Pod pod) { pods.apply(std::move(pod)); }

  /// Pods that are to be deleted at this moment.
  std::vector<std::string> due() {
    std::vector<std::string> names;
    for (const EvictPod& decision : decisions()) names.push_back(decision.pod.name);
    return names;
  }
  std::vector<EvictPod> decisions() {
    client::Room room = client::Room::unlimited();
    std::vector<EvictPod> found;
    const auto agree = [](const std::string&) { return true; };
    for (const Decision& decision : eviction.due(now, room, agree)) {
      found.push_back(std::get<EvictPod>(decision));
    }
    return found;
  }
  std::vector<std::string> cancelled() {
    std::vector<std::string> names;
    for (const PodRef& pod : eviction.take_cancelled()) names.push_back(pod.name);
    return names;
  }
  Moment at() const {
    return {.now = now, .wall = noon + std::chrono::floor<std::chrono::microseconds>(now - start)};
  }

  Instant now = start;
  WallTime silent_since = noon - 24h;
  informer::Store<api::Node> nodes;
  informer::Store<api::NodeLease> leases;
  informer::Store<api::Pod> pods;
  informer::Index pods_by_node;
  TaintEviction eviction{
      View{.nodes = nodes, .leases = leases, .pods = pods, .pods_by_node = pods_by_node}, 1};

 private:
  void on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override {
    if (before == nullptr) pods_by_node.add(pod.node_name, slot);
    eviction.pod_stored(slot, pod, before, at());
  }
  void on_removed(Slot slot, const api::Pod& pod) override {
    pods_by_node.remove(pod.node_name, slot);
    eviction.pod_removed(slot, pod);
  }
  void on_synced() override {}
};

inline const std::vector<api::Toleration> ten_seconds{tolerates_for(taint::unreachable, 10),
                                                      tolerates_for(taint::not_ready, 10)};

}  // namespace nlc::controller::testing

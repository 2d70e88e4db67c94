#pragma once

#include <gtest/gtest.h>
#include <string>
#include <variant>
#include <vector>

#include "controller/rules/decision.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller::testing {

/// Pods observed by hand, and whom an `Eviction` makes go, each by an `Evict`: `now` is whatever
/// the test says.
template <typename Eviction, typename Evict>
class ObservedPods : public ::testing::Test,
                     protected Stores,
                     private informer::StoreListener<api::Pod> {
 protected:
  ObservedPods() { pods.set_listener(this); }

  void store(api::Pod pod) { pods.apply(std::move(pod)); }

  std::vector<Evict> decisions() {
    client::Room room = client::Room::unlimited();
    std::vector<Evict> found;
    const auto agree = [](const std::string&) { return true; };
    for (const Decision& decision : eviction.due(now, room, agree)) {
      found.push_back(std::get<Evict>(decision));
    }
    return found;
  }
  /// Pods that are to be deleted at this moment.
  std::vector<std::string> due() {
    std::vector<std::string> names;
    for (const Evict& decision : decisions()) names.push_back(decision.pod.name);
    return names;
  }

  Instant now = start;
  Eviction eviction{view(), 1};

 private:
  virtual void tell_stored(Slot slot, const api::Pod& pod, const api::Pod* before) = 0;
  virtual void tell_removed(Slot slot, const api::Pod& pod) = 0;

  void on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override {
    if (before == nullptr) pods_by_node.add(pod.node_name, slot);
    tell_stored(slot, pod, before);
  }
  void on_removed(Slot slot, const api::Pod& pod) override {
    pods_by_node.remove(pod.node_name, slot);
    tell_removed(slot, pod);
  }
  void on_synced() override {}
};

}  // namespace nlc::controller::testing

#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/nodes/node_lifecycle.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller::testing {

/// Nodes observed by hand: `now` is whatever the test says, and every write is answered by the
/// test.
class ObservedNodes : public ::testing::Test,
                      protected Stores,
                      private informer::StoreListener<api::Node> {
 protected:
  ObservedNodes() {
    nodes.set_listener(this);
    nodes.replace({});
  }

  void store(api::Node node) {
    node.resource_version = std::to_string(++version);
    nodes.apply(std::move(node));
  }
  Slot slot(const std::string& name) const { return *nodes.slot_of(name); }
  void store_many(int count) {
    for (int at = 0; at < count; ++at) store(ready_node("n" + std::to_string(at)));
  }
  /// Before its timeout runs out, for nodes are not told.
  void put_a_pod_on(const std::string& node) {
    const api::Pod pod = pod_on(node, "pod-of-" + node);
    pods.apply(pod);
    pods_by_node.add(node, *pods.slot_of("default/" + pod.name));
  }
  void renew(const std::string& name, WallTime renewed) {
    const api::NodeLease lease{
        .name = name, .resource_version = std::to_string(++version), .renewed = renewed};
    leases.apply(lease);
    lifecycle.lease_stored(lease, nullptr, at());
  }
  /// Time in which the server is proved to take writes all along.
  void pass(Duration span) {
    for (const Instant end = now + span; now < end;) {
      now = std::min(now + 5s, end);
      availability.prove(now);
    }
  }
  std::vector<Decision> monitor_pass() { return lifecycle.monitor_pass(at(), Acting::Yes); }
  std::vector<Decision> repair() {
    client::Room room = client::Room::unlimited();
    return lifecycle.repair(at(), room);
  }
  static api::Node without_os_label(std::string name) {
    api::Node node = ready_node(std::move(name));
    node.labels = {{"kubernetes.io/os", "linux"}};
    return node;
  }
  /// That long nobody is suspected, and one is just after it.
  void expect_a_suspect_just_after(Duration span) {
    pass(span);
    EXPECT_THAT(monitor_pass(), ::testing::IsEmpty());
    pass(1ns);
    EXPECT_THAT(only<ReadLeases>(monitor_pass()), ::testing::SizeIs(1));
  }
  /// Those that are marked silent when everybody is looked at.
  std::vector<MarkSilent> marked() {
    monitor_pass();
    return only<MarkSilent>(repair());
  }

  /// The same, once the read that is asked for is answered with what the store of leases has.
  std::vector<MarkSilent> confirmed_and_marked() {
    for (const Decision& decision : monitor_pass()) {
      const auto* read = std::get_if<ReadLeases>(&decision);
      if (read == nullptr) continue;
      std::vector<api::NodeLease> found;
      leases.each([&](Slot, const api::NodeLease& lease) { found.push_back(lease); });
      lifecycle.leases_read(*read, found, at());
    }
    return marked();
  }
  /// "n", beside "other".
  void let_one_of_two_say_that_it_is_unknown() {
    store(ready_node("other"));
    store(ready_node("n"));
    monitor_pass();
    store(silent_node("n"));
  }
  /// Where nodes get no taints: of two nodes one is silent for longer than its pods may stay.
  void let_the_timeout_of_one_of_two_run_out() {
    policy.evict_by_taints = false;
    let_one_of_two_say_that_it_is_unknown();
    put_a_pod_on("n");
    pass(policy.pod_eviction_timeout + 1s);
    renew("other", noon);
    monitor_pass();
  }

  ReadLeases read_when_of_160_fall_silent(int silent) {
    store_many(160);
    pass(39s);
    for (int at = silent; at < 160; ++at) renew("n" + std::to_string(at), WallTime{1s});
    pass(1s + 1ns);
    const auto reads = only<ReadLeases>(monitor_pass());
    return reads.size() == 1 ? reads[0] : ReadLeases{};
  }

  template <typename T>
  static std::vector<T> only(const std::vector<Decision>& decisions) {
    std::vector<T> found;
    for (const Decision& decision : decisions) {
      if (const T* wish = std::get_if<T>(&decision)) found.push_back(*wish);
    }
    return found;
  }
  template <typename T>
  static T only_one(const std::vector<Decision>& decisions) {
    const std::vector<T> found = only<T>(decisions);
    EXPECT_THAT(found, ::testing::SizeIs(1));
    return found.size() == 1 ? found[0] : T{};
  }
  static std::vector<std::string> names(const std::vector<SetTaints>& decisions) {
    std::vector<std::string> found;
    for (const SetTaints& decision : decisions) found.push_back(decision.node.name);
    return found;
  }
  Moment at() const { return moment_at(now); }

  Instant now = start;
  int version = 0;
  Policy policy{.monitor_grace = 40s, .startup_grace = 60s, .gathering = 0s};
  ApiAvailability availability{policy.blind_after, start};
  Pauses pauses{view()};
  NodeLifecycle lifecycle{{view(), policy, pauses, availability}, start, 1};

 private:
  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override {
    lifecycle.node_stored(slot, node, before, at());
  }
  void on_removed(Slot slot, const api::Node& node) override {
    lifecycle.node_removed(slot, node, now);
  }
  void on_synced() override {}
};

}  // namespace nlc::controller::testing

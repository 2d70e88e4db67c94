#pragma once

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode.h"
#include "client/limits/gate.h"
#include "program/replica.h"
#include "sim/apiserver/api_server.h"
#include "sim/kubelet/hollow_cluster.h"
#include "sim/loopback_transport.h"
#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/memory_log.h"

/// A whole cluster in virtual time: the embedded API server, hollow kubelets, and the program that
/// ships, all over the seam.
namespace nlc::controller::testing {

/// One that runs alone; no election renews a lease, so it renews its probe.
inline program::Flags alone(LoopOptions options) {
  program::Flags flags;
  flags.leader_elect.enabled = false;
  flags.loop = std::move(options);
  flags.loop.write_probe = {.namespace_ = "kube-system", .name = "node-lifecycle-controller-probe"};
  return flags;
}

inline constexpr Duration grace = std::chrono::seconds(40);

inline LoopOptions with_grace_40s() {
  LoopOptions options;
  options.policy.monitor_grace = grace;
  return options;
}

/// Kubelets need nobody's leave.
struct OpenGate : client::Gate {
  OpenGate() { open_for_ever(); }
};

/// What the only replica of a simulated world runs in.
inline program::ReplicaEnv replica_world(client::Transport& transport, client::Gate& gate,
                                         sim::VirtualTime& time, Log& log) {
  return {.transport = transport,
          .gate = gate,
          .clock = time,
          .executor = time,
          .log = log,
          .server = "embedded",
          .identity = "only",
          .seed = 7};
}

/// Twelve in three zones.
inline sim::HollowClusterOptions twelve_nodes(std::size_t pods_per_node) {
  sim::HollowClusterOptions options;
  options.nodes = 12;
  options.zones = 3;
  options.workload.pods_per_node = pods_per_node;
  options.workload.toleration = std::chrono::seconds(60);
  return options;
}

class Cluster {
 public:
  explicit Cluster(sim::HollowClusterOptions options)
      : server(time, time,
               {.observe = [this](const sim::ServedRequest& request) { observe(request); }}),
        kubelet_link({time, time, server, open_gate}, {.user_agent = "kubelet"}),
        kubelets({kubelet_link, time, time, kubelet_log}, std::move(options)) {}

  void start_controller(LoopOptions options) { start_controller(alone(std::move(options))); }
  void start_controller(
      program::Flags flags, std::function<void(int exit_code)> ended = [](int) {}) {
    controller_link.emplace(sim::LoopbackTransport::Env{time, time, server, gate},
                            sim::LoopbackOptions{.user_agent = "controller"});
    program::ReplicaEnv world = replica_world(*controller_link, gate, time, log);
    world.give_back_memory = give_back_memory;
    replica.emplace(std::move(world), std::move(flags), std::move(ended));
    replica->start();
  }

  void stop_controller() {
    replica.reset();
    controller_link.reset();
  }

  metrics::Metrics& metrics() { return replica->metrics(); }
  const metrics::Metrics& metrics() const { return replica->metrics(); }
  std::vector<HealthCheck> checks() const { return *replica->health().checks(); }
  HealthCheck check(std::string_view name) const {
    const std::vector<HealthCheck> all = checks();
    return *std::ranges::find(all, name, &HealthCheck::name);
  }

  template <typename T>
  std::optional<T> read(std::string_view plural, std::string_view key,
                        std::string_view group = "") const {
    const sim::ObjectRef found =
        server.storage().find(*sim::find_resource(group, "v1", plural), key);
    if (found == nullptr) return std::nullopt;
    Result<T> object = api::Decoder<T>().object(found->bytes);
    return object ? std::optional<T>(std::move(*object)) : std::nullopt;
  }

  api::Node node(std::string_view name) const {
    return read<api::Node>("nodes", name).value_or(api::Node{});
  }
  std::optional<api::Pod> pod(const std::string& name) const {
    return read<api::Pod>("pods", "hollow/" + name);
  }
  api::NodeCondition ready(std::string_view name) const {
    const api::Node found = node(name);
    const api::NodeCondition* ready = found.condition(api::condition::ready);
    return ready == nullptr ? api::NodeCondition{} : *ready;
  }
  bool has_taint(std::string_view name, std::string_view key, std::string_view effect) const {
    return node(name).taint(key, effect) != nullptr;
  }
  WallTime last_renewal(const std::string& name) const {
    return *read<api::NodeLease>("leases", "kube-node-lease/" + name, "coordination.k8s.io")
                ->renewed;
  }
  bool pod_is_ready(const std::string& name) const {
    const std::optional<api::Pod> found = pod(name);
    return found && found->ready && found->ready->status == api::ConditionStatus::True;
  }

  /// Writes of the controller to this kind of object that the server took or refused.
  std::size_t writes(std::string_view plural) const {
    return static_cast<std::size_t>(
        std::ranges::count_if(requests, [&](const sim::ServedRequest& request) {
          return request.info.resource == plural &&
                 (request.info.verb == "patch" || request.info.verb == "delete");
        }));
  }

  /// What the controller patched, in the order in which the requests reached the server: "nodes",
  /// "nodes/status", "pods/status".
  std::vector<std::string> patches() const {
    std::vector<std::string> found;
    for (const sim::ServedRequest& request : requests) {
      if (request.info.verb != "patch" || request.info.resource == "events") continue;
      found.push_back(request.info.resource +
                      (request.info.subresource.empty() ? "" : "/" + request.info.subresource));
    }
    return found;
  }

  sim::VirtualTime time{noon};
  OpenGate open_gate;
  client::Gate gate;
  tests::MemoryLog log;
  tests::MemoryLog kubelet_log;
  std::vector<sim::ServedRequest> requests;
  sim::ApiServer server;
  sim::LoopbackTransport kubelet_link;
  sim::HollowCluster kubelets;
  std::optional<sim::LoopbackTransport> controller_link;
  std::optional<program::Replica> replica;
  std::function<void()> give_back_memory;

 private:
  void observe(const sim::ServedRequest& request) {
    if (request.user_agent == "controller") requests.push_back(request);
  }
};

class ClusterTest : public ::testing::Test {
 protected:
  explicit ClusterTest(sim::HollowClusterOptions options) : cluster(std::move(options)) {}

  /// Lets time pass until it holds; how long that took, or nothing.
  std::optional<Duration> until(const std::function<bool()>& condition, Duration limit) {
    const Instant begin = cluster.time.now();
    while (!condition()) {
      if (cluster.time.now() - begin >= limit) return std::nullopt;
      cluster.time.run_for(50ms);
    }
    return cluster.time.now() - begin;
  }

  /// How often the controller wrote an event with these words.
  std::int64_t told(const std::string& text) const {
    return std::ranges::count_if(cluster.requests, [&](const sim::ServedRequest& request) {
      return request.info.resource == "events" && request.body.find(text) != request.body.npos;
    });
  }

  Cluster cluster;
};

}  // namespace nlc::controller::testing

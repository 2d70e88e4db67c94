#include <benchmark/benchmark.h>
#include <string>

#include "controller/nodes/node_lifecycle.h"

/// What the monitor pass and a heartbeat cost once everything is decoded.
namespace nlc::bench {
namespace {

using controller::Moment;

constexpr std::uint32_t nodes_of_look = 10'000;
constexpr Duration renew_period = std::chrono::seconds(10);

/// A cluster in which every node is well, in three zones, and the machine that judges it.
class Fleet {
 public:
  explicit Fleet(std::uint32_t size) {
    for (std::uint32_t number = 0; number < size; ++number) {
      leases_.apply(lease(number, begin_));
      nodes_.apply(node(number));
      const informer::Slot slot = *nodes_.slot_of(name(number));
      lifecycle_.node_stored(slot, nodes_.at(slot), nullptr, begin_);
    }
    lifecycle_.monitor_pass(begin_, controller::Acting::Yes);
    client::Room room = client::Room::unlimited();
    lifecycle_.repair(begin_, room);
  }

  /// All nodes renew within a period, as in a real cluster none is due at a look.
  void renew(std::uint32_t number, Moment at) {
    const api::NodeLease renewed = lease(number, at);
    lifecycle_.lease_stored(renewed, nullptr, at);
  }

  std::size_t monitor_pass(Moment at) {
    return lifecycle_.monitor_pass(at, controller::Acting::Yes).size();
  }

  Moment begin() const { return begin_; }

  static api::NodeLease lease(std::uint32_t number, Moment at) {
    return {.name = name(number),
            .uid = "lease-" + name(number),
            .resource_version = "1",
            .renewed = at.wall};
  }

 private:
  static std::string name(std::uint32_t number) { return "hollow-" + std::to_string(number); }

  static api::Node node(std::uint32_t number) {
    return {.name = name(number),
            .uid = "node-" + name(number),
            .resource_version = "1",
            .labels = {{std::string(api::label::zone), "zone-" + std::to_string(number % 3)}},
            .conditions = {{.type = std::string(api::condition::memory_pressure),
                            .status = api::ConditionStatus::False},
                           {.type = std::string(api::condition::disk_pressure),
                            .status = api::ConditionStatus::False},
                           {.type = std::string(api::condition::pid_pressure),
                            .status = api::ConditionStatus::False},
                           {.type = std::string(api::condition::ready),
                            .status = api::ConditionStatus::True}}};
  }

  const Moment begin_{.now = Instant(std::chrono::hours(1)),
                      .wall = WallTime(std::chrono::hours(500'000))};
  informer::Store<api::Node> nodes_;
  informer::Store<api::NodeLease> leases_;
  informer::Store<api::Pod> pods_;
  informer::Index pods_by_node_;
  const controller::Policy policy_;
  controller::ApiAvailability availability_{policy_.blind_after, begin_.now};
  const controller::Pauses pauses_{
      {.nodes = nodes_, .leases = leases_, .pods = pods_, .pods_by_node = pods_by_node_}};
  controller::NodeLifecycle lifecycle_{
      {{.nodes = nodes_, .leases = leases_, .pods = pods_, .pods_by_node = pods_by_node_},
       policy_,
       pauses_,
       availability_},
      begin_.now,
      1};
};

void look_at_10000_nodes(benchmark::State& state) {
  Fleet fleet(nodes_of_look);
  std::size_t decisions = 0;
  for (auto turn : state) decisions += fleet.monitor_pass(fleet.begin());
  state.counters["decisions"] = static_cast<double>(decisions);
  state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * nodes_of_look));
}

void take_a_heartbeat(benchmark::State& state) {
  Fleet fleet(nodes_of_look);
  Moment at = fleet.begin();
  std::uint32_t number = 0;
  for (auto turn : state) {
    at.now += renew_period / nodes_of_look;
    at.wall += std::chrono::duration_cast<std::chrono::microseconds>(renew_period / nodes_of_look);
    fleet.renew(number, at);
    number = (number + 1) % nodes_of_look;
  }
}

BENCHMARK(look_at_10000_nodes)->Unit(benchmark::kMicrosecond);
BENCHMARK(take_a_heartbeat);

}  // namespace
}  // namespace nlc::bench

#include <gtest/gtest.h>
#include <string>

#include "api/objects.h"
#include "informer/index.h"
#include "informer/store.h"
#include "tests/bench/counted_memory.h"

/// What an object costs in a store, counted by the allocator: packed, with its place, its part of
/// the index, and of what it shares with others.
namespace nlc::bench {
namespace {

constexpr int nodes_of_cluster = 10'000;
constexpr int pods_of_node = 10;

const WallTime noon{std::chrono::hours(500'000)};

/// As long as the names of machines in a cloud are.
std::string node_name(int number) {
  return "ip-10-128-" + std::to_string(100 + number / 100) + "-" +
         std::to_string(100 + number % 100) + ".eu-central-1.compute.internal";
}

std::string uid(int number) {
  return "cdcfbc2a-0db5-44c4-a543-" + std::to_string(100'000'000'000 + number);
}

api::NodeCondition condition(std::string_view type, api::ConditionStatus status, std::string reason,
                             std::string message, int number) {
  return {.type = std::string(type),
          .status = status,
          .reason = std::move(reason),
          .message = std::move(message),
          .last_heartbeat = noon + std::chrono::seconds(number % 300),
          .last_transition = noon - std::chrono::seconds(number)};
}

/// A kubelet's words, as a real one posts them.
api::Node node(int number) {
  using enum api::ConditionStatus;
  api::Node made{.name = node_name(number),
                 .uid = uid(number),
                 .resource_version = std::to_string(1'000'000 + number),
                 .created = noon - std::chrono::hours(number)};
  made.labels = {{std::string(api::label::os), "linux"},
                 {std::string(api::label::os_beta), "linux"},
                 {std::string(api::label::arch), "amd64"},
                 {std::string(api::label::arch_beta), "amd64"},
                 {std::string(api::label::region), "eu-central-1"},
                 {std::string(api::label::zone), "eu-central-1" + std::to_string(number % 3)}};
  made.conditions = {condition(api::condition::memory_pressure, False, "KubeletHasSufficientMemory",
                               "kubelet has sufficient memory available", number),
                     condition(api::condition::disk_pressure, False, "KubeletHasNoDiskPressure",
                               "kubelet has no disk pressure", number),
                     condition(api::condition::pid_pressure, False, "KubeletHasSufficientPID",
                               "kubelet has sufficient PID available", number),
                     condition(api::condition::ready, True, "KubeletReady",
                               "kubelet is posting ready status. AppArmor enabled", number),
                     condition(api::condition::network_unavailable, False, "RouteCreated",
                               "RouteController created a route", 0)};
  return made;
}

api::NodeLease lease(int number) {
  return {.name = node_name(number),
          .uid = uid(number),
          .resource_version = std::to_string(2'000'000 + number),
          .renewed = noon + std::chrono::microseconds(number)};
}

api::Pod pod(int number) {
  const auto patient = [](std::string_view key) {
    return api::Toleration{.key = "node.kubernetes.io/" + std::string(key),
                           .operator_ = "Exists",
                           .effect = std::string(api::effect::no_execute),
                           .seconds = 300};
  };
  return {.namespace_ = "team-" + std::to_string(number % 20),
          .name = "checkout-7d4b9c6f5d-" + std::to_string(100'000 + number),
          .uid = uid(number),
          .resource_version = std::to_string(3'000'000 + number),
          .node_name = node_name(number / pods_of_node),
          .generation = 1,
          .tolerations = {patient("not-ready"), patient("unreachable")},
          .ready = api::PodCondition{.status = api::ConditionStatus::True,
                                     .last_transition = noon + std::chrono::seconds(number)}};
}

/// Bytes that each of `count` objects holds after a list of them.
template <typename T, typename Make>
double bytes_each(informer::Store<T>& store, int count, Make make) {
  const std::size_t before = bytes_held();
  {
    informer::ListedObjects<T> list(store.texts());
    for (int number = 0; number < count; ++number) list.add(make(number));
    store.take_over(list);
  }
  return static_cast<double>(bytes_held() - before) / count;
}

TEST(ObjectSizes, ANodeTakesAtMost300Bytes) {
  informer::TextPool texts;
  informer::Store<api::Node> nodes(texts);
  const double size = bytes_each(nodes, nodes_of_cluster, &node);
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, 300);
  EXPECT_EQ(nodes.at(7), node(7));
}

TEST(ObjectSizes, ALeaseOfANodeThatIsThereTakesAtMost64Bytes) {
  informer::TextPool texts;
  informer::Store<api::Node> nodes(texts);
  informer::Store<api::NodeLease> leases(texts);
  bytes_each(nodes, nodes_of_cluster, &node);
  const double size = bytes_each(leases, nodes_of_cluster, &lease);
  RecordProperty("bytes", static_cast<int>(size));
  EXPECT_LE(size, 64);
  EXPECT_EQ(leases.at(7), lease(7));
}

TEST(ObjectSizes, APodTakesAtMost200BytesItsPlaceInTheIndexIncluded) {
  informer::TextPool texts;
  informer::Store<api::Node> nodes(texts);
  informer::Store<api::Pod> pods(texts);
  bytes_each(nodes, nodes_of_cluster, &node);
  constexpr int count = nodes_of_cluster * pods_of_node;
  const double size = bytes_each(pods, count, &pod);
  const std::size_t before = bytes_held();
  informer::Index pods_by_node(texts);
  for (int number = 0; number < count; ++number) {
    pods_by_node.add(node_name(number / pods_of_node), static_cast<informer::Slot>(number));
  }
  const double place = static_cast<double>(bytes_held() - before) / count;
  RecordProperty("bytes", static_cast<int>(size));
  RecordProperty("bytes_of_index", static_cast<int>(place));
  EXPECT_LE(size + place, 200);
  EXPECT_EQ(pods.at(7), pod(7));
}

TEST(ObjectSizes, AStoreThatIsEmptiedGivesItsTextsBack) {
  informer::TextPool texts;
  informer::Store<api::Node> nodes(texts);
  for (int round = 0; round < 5; ++round) {
    bytes_each(nodes, nodes_of_cluster,
               [round](int number) { return node(number + round * nodes_of_cluster); });
  }
  EXPECT_LE(texts.size(), 2U * nodes_of_cluster + 1000U);
}

}  // namespace
}  // namespace nlc::bench

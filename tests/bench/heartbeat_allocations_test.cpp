#include <cstring>
#include <gtest/gtest.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "controller/nodes/node_lifecycle.h"
#include "informer/reflector.h"
#include "net/http_client/response_reader.h"
#include "sim/apiserver/answers/protobuf_answer.h"
#include "sim/virtual_time.h"
#include "tests/bench/counted_memory.h"
#include "tests/controller/stores.h"

/// A heartbeat allocates nothing on its way from the bytes of the socket to the memory of its node.
namespace nlc::bench {
namespace {

using controller::Moment;
using nlohmann::json;
using sim::protobuf_frame;
using sim::protobuf_of;

constexpr int nodes_of_cluster = 50;

/// As long as the names of machines in a cloud are.
std::string name(int number) {
  return "ip-10-128-17-" + std::to_string(100 + number) + ".eu-central-1.compute.internal";
}

json lease(int number, int round) {
  const WallTime renewed{std::chrono::hours(450'000) + std::chrono::seconds(10 * round)};
  return {{"kind", "Lease"},
          {"apiVersion", "coordination.k8s.io/v1"},
          {"metadata",
           {{"name", name(number)},
            {"namespace", "kube-node-lease"},
            {"uid", "cdcfbc2a-0db5-44c4-a543-ff0dbcf31" + std::to_string(100 + number)},
            {"resourceVersion", std::to_string(100'000 + 1000 * round + number)},
            {"ownerReferences", {{{"kind", "Node"}, {"name", name(number)}}}}}},
          {"spec", {{"holderIdentity", name(number)}, {"renewTime", rfc3339_micro(renewed)}}}};
}

std::string json_event(const json& object) {
  return json{{"type", "MODIFIED"}, {"object", object}}.dump() + "\n";
}
std::string protobuf_event(const json& object) {
  return protobuf_frame("MODIFIED", protobuf_of(object));
}

std::string chunk(const std::string& bytes) {
  char head[16];
  std::snprintf(head, sizeof head, "%zx\r\n", bytes.size());
  return head + bytes + "\r\n";
}

/// Hands the reader of the watch to the test.
class Socket final : public client::Transport {
 public:
  void send(client::Request, client::Answer) override {}
  Subscription watch(client::Request, std::unique_ptr<client::StreamReader> opened) override {
    reader = std::move(opened);
    return {};
  }
  std::unique_ptr<client::StreamReader> reader;
};

/// The controller's memory of the nodes, behind a watch on leases.
class Heartbeats final : private informer::StoreListener<api::NodeLease> {
 public:
  explicit Heartbeats(const std::string& content_type) {
    stores_.leases.set_listener(this);
    reflector_.emplace(informer::ReflectorEnv{.transport = socket_,
                                              .clock = time_,
                                              .executor = time_,
                                              .log = log_,
                                              .seed = 1,
                                              .metrics = &metrics_,
                                              .resource = "leases"},
                       stores_.leases, informer::WatchOptions{.stream_lists = true});
    socket_.reader->on_head(content_type);
    for (int number = 0; number < nodes_of_cluster; ++number) {
      stores_.nodes.apply(api::Node{.name = name(number), .uid = "u", .resource_version = "1"});
      const informer::Slot slot = *stores_.nodes.slot_of(name(number));
      lifecycle_.node_stored(slot, stores_.nodes.at(slot), nullptr, moment());
    }
    take("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
  }

  /// What the kernel had for us at once; answers how often memory was allocated for it.
  std::size_t take(const std::string& bytes) {
    const std::size_t before = allocations();
    for (std::size_t at = 0; at < bytes.size();) {
      const std::span<char> space = response_.space();
      const std::size_t size = std::min(space.size(), bytes.size() - at);
      std::memcpy(space.data(), bytes.data() + at, size);
      EXPECT_FALSE(response_.filled(size));
      at += size;
    }
    if (const auto work = socket_.reader->take({})) work();
    return allocations() - before;
  }

  std::size_t size() const { return stores_.leases.size(); }
  int beats() const { return beats_; }

 private:
  void on_stored(informer::Slot, const api::NodeLease& stored, const api::NodeLease*) override {
    lifecycle_.lease_stored(stored, nullptr, moment());
    ++beats_;
  }
  void on_removed(informer::Slot, const api::NodeLease&) override {}
  void on_synced() override {}

  Moment moment() const { return {.now = time_.now(), .wall = time_.wall_now()}; }

  sim::VirtualTime time_{WallTime{std::chrono::hours(450'000)}};
  SilentLog log_;
  metrics::Metrics metrics_{"test"};
  Socket socket_;
  controller::testing::Stores stores_;
  const controller::Policy policy_;
  controller::ApiAvailability availability_{policy_.blind_after, time_.now()};
  const controller::Pauses pauses_{stores_.view()};
  controller::NodeLifecycle lifecycle_{
      {stores_.view(), policy_, pauses_, availability_}, time_.now(), 1};
  std::optional<informer::Reflector<api::NodeLease>> reflector_;
  net::ResponseReader response_{
      [this](std::string_view piece) { socket_.reader->on_bytes(piece); }};
  int beats_ = 0;
};

using MakeEvent = std::string (*)(const json& object);

std::string round_of(int nodes, int round, MakeEvent event) {
  std::string bytes;
  for (int number = 0; number < nodes; ++number) bytes += chunk(event(lease(number, round)));
  return bytes;
}

/// Allocations for a heartbeat of each node less those for one heartbeat: what is left is what
/// goes with a batch.
void expect_none_per_heartbeat(const std::string& content_type, MakeEvent event,
                               const std::string& synced) {
  Heartbeats heartbeats(content_type);
  heartbeats.take(chunk(synced));
  int round = 0;
  for (; round < 4; ++round) heartbeats.take(round_of(nodes_of_cluster, round, event));
  ASSERT_EQ(heartbeats.size(), static_cast<std::size_t>(nodes_of_cluster));

  const std::size_t for_one = heartbeats.take(round_of(1, round++, event));
  const int before = heartbeats.beats();
  const std::size_t for_all = heartbeats.take(round_of(nodes_of_cluster, round++, event));
  EXPECT_EQ(heartbeats.beats() - before, nodes_of_cluster);
  EXPECT_EQ(for_all, for_one);
  EXPECT_LE(for_one, 2U);
}

json mark() {
  return {{"kind", "Lease"},
          {"metadata",
           {{"resourceVersion", "1"}, {"annotations", {{"k8s.io/initial-events-end", "true"}}}}}};
}

TEST(HeartbeatAllocations, AreNoneInJson) {
  expect_none_per_heartbeat("application/json", &json_event,
                            json{{"type", "BOOKMARK"}, {"object", mark()}}.dump() + "\n");
}

TEST(HeartbeatAllocations, AreNoneInProtobuf) {
  expect_none_per_heartbeat("application/vnd.kubernetes.protobuf;stream=watch", &protobuf_event,
                            protobuf_frame("BOOKMARK", protobuf_of(mark())));
}

}  // namespace
}  // namespace nlc::bench

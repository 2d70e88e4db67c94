#include "net/http_client/socket_transport.h"

#include "tests/net/credentials_contract.h"
#include "tests/net/socket_world.h"
#include "tests/net/tls_contract.h"
#include "tests/net/transport_contract.h"
#include "tests/net/wire_contract.h"

namespace nlc::tests {
namespace {

struct MakeSocketTransport {
  std::unique_ptr<client::Transport> operator()(net::ClusterConfig config,
                                                const net::Surroundings& around) {
    return std::make_unique<net::SocketTransport>(
        std::move(config), around,
        net::SocketTransportOptions{.user_agent = "tester/1 (linux/amd64)", .connections_max = 16});
  }
};

std::unique_ptr<TransportWorld> make_world(client::Endpoint& endpoint) {
  return std::make_unique<SocketWorld<MakeSocketTransport>>(endpoint);
}

std::unique_ptr<client::Transport> make_transport(const net::ClusterConfig& config,
                                                  const net::Surroundings& around) {
  return MakeSocketTransport()(config, around);
}

/// Over TLS, as the secure port speaks it.
std::unique_ptr<TransportWorld> make_world_of_tls(client::Endpoint& endpoint) {
  return std::make_unique<SocketWorld<MakeSocketTransport, Wire::Tls>>(endpoint);
}

/// The sockets live on the executor's thread.
struct MakeTransportOnExecutor {
  std::unique_ptr<client::Transport> operator()(net::ClusterConfig config,
                                                net::Surroundings around) {
    around.loop = dynamic_cast<net::AsioLoop*>(&around.executor);
    return MakeSocketTransport()(std::move(config), around);
  }
};

std::unique_ptr<TransportWorld> make_world_of_one_thread(client::Endpoint& endpoint) {
  return std::make_unique<SocketWorld<MakeTransportOnExecutor>>(endpoint);
}

std::unique_ptr<client::Transport> make_transport_on_executor(const net::ClusterConfig& config,
                                                              const net::Surroundings& around) {
  return MakeTransportOnExecutor()(config, around);
}

INSTANTIATE_TEST_SUITE_P(SocketsOnTheExecutor, TransportContract,
                         testing::Values(&make_world_of_one_thread));
INSTANTIATE_TEST_SUITE_P(SocketsOnTheExecutor, WireContract,
                         testing::Values(&make_transport_on_executor));

INSTANTIATE_TEST_SUITE_P(SocketsOverTls, TransportContract, testing::Values(&make_world_of_tls));
INSTANTIATE_TEST_SUITE_P(Sockets, TransportContract, testing::Values(&make_world));
INSTANTIATE_TEST_SUITE_P(Sockets, WireContract, testing::Values(&make_transport));

/// A watch on which events may wait for each other.
class BatchedWatch : public testing::Test {
 protected:
  void open(Duration batching) {
    server.script = [](const client::IncomingRequest&, client::Reply& reply) {
      reply.open("application/json");
    };
    line = world.transport().watch({.target = "/w", .batching = batching},
                                   std::make_unique<RecordingReader>(heard));
    ASSERT_TRUE(world.until([this] { return !heard->calls.empty(); }));
  }

  void write(const std::string& text) { server.replies.at(0)->write(shared_text(text)); }

  bool hears(const std::string& text) {
    return world.until([&] { return heard->bytes == text; });
  }

  /// Event upon event, until they are left to gather. Answers all that was written.
  std::string write_until_they_gather() {
    std::string all;
    for (int tries = 0; tries < 1000 && !heard->since; ++tries) {
      write("a");
      all += "a";
      EXPECT_TRUE(hears(all));
    }
    return all;
  }

  ScriptedServer server;
  SocketWorld<MakeSocketTransport> world{server};
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
  Subscription line;
};

TEST_F(BatchedWatch, EventsThatFollowOneAnotherGatherAndSayFromWhenOn) {
  open(std::chrono::milliseconds(500));
  const Instant begin = world.clock().now();
  write_until_they_gather();
  ASSERT_TRUE(heard->since);
  EXPECT_GE(*heard->since, begin);
  EXPECT_LT(*heard->since, world.clock().now());
}

TEST_F(BatchedWatch, WithoutAllowanceEveryEventCameJustNow) {
  open(Duration{0});
  std::string all;
  for (int event = 0; event < 20; ++event) {
    write("a");
    all += "a";
    ASSERT_TRUE(hears(all));
    EXPECT_FALSE(heard->since);
  }
}

TEST_F(BatchedWatch, FirstEventAfterAQuietTimeIsHeardAtOnce) {
  const Duration batching = std::chrono::milliseconds(20);
  open(batching);
  write("a");
  ASSERT_TRUE(hears("a"));
  world.settle();
  world.settle();
  const Instant before = world.clock().now();
  write("b");
  ASSERT_TRUE(hears("ab"));
  EXPECT_LT(world.clock().now() - before, std::chrono::seconds(10));
}

TEST_F(BatchedWatch, MoreThanAWholeReadComesWhole) {
  open(std::chrono::milliseconds(500));
  const std::string before = write_until_they_gather();
  const std::string large(500'000, 'x');
  write(large);
  EXPECT_TRUE(hears(before + large));
}

TEST_F(BatchedWatch, WhatGatheredBeforeABreakIsHeard) {
  open(std::chrono::milliseconds(500));
  const std::string before = write_until_they_gather();
  write("b");
  world.settle();
  server.replies.at(0).reset();
  EXPECT_TRUE(world.until([this] { return heard->ended; }));
  EXPECT_EQ(heard->calls.back(), "broken unavailable");
  EXPECT_EQ(heard->bytes, before + "b");
}

}  // namespace
}  // namespace nlc::tests

#include "net/rest/rest_client.h"

#include "net/credentials/credentials.h"
#include "net/http_client/server_link.h"
#include "net/rest/routed_transport.h"
#include "net/rest/server_transport.h"
#include "tests/net/credentials_contract.h"
#include "tests/net/socket_world.h"
#include "tests/net/tls_contract.h"
#include "tests/net/transport_contract.h"
#include "tests/net/wire_contract.h"

namespace nlc::tests {
namespace {

/// As the programs have it, with the credentials that its two parts share. Without TLS, too,
/// cpprestsdk reads here, so that all of the contract is asked of it.
class RoutedWithCredentials final : public client::Transport {
 public:
  RoutedWithCredentials(const net::ClusterConfig& config, const net::Surroundings& around)
      : credentials_(config, around.clock, around.log), routed_(make(around)) {}

  void send(client::Request request, client::Answer answer) override {
    routed_->send(std::move(request), std::move(answer));
  }
  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override {
    return routed_->watch(std::move(request), std::move(reader));
  }

 private:
  std::unique_ptr<client::Transport> make(const net::Surroundings& around) {
    const std::string agent = "tester/1 (linux/amd64)";
    const net::ClusterConfig& server = credentials_.server();
    const bool ipv6 = server.host.find(':') != std::string::npos;
    if (server.tls || ipv6) return net::server_transport(credentials_, around, agent);
    return std::make_unique<net::RoutedTransport>(
        std::make_unique<net::SocketTransport>(
            credentials_, around,
            net::SocketTransportOptions{.user_agent = agent, .connections_max = 16}),
        std::make_unique<net::RestClient>(credentials_, around,
                                          net::RestClientOptions{.user_agent = agent}));
  }

  net::Credentials credentials_;
  std::unique_ptr<client::Transport> routed_;
};

struct MakeRoutedTransport {
  std::unique_ptr<client::Transport> operator()(const net::ClusterConfig& config,
                                                const net::Surroundings& around) {
    return std::make_unique<RoutedWithCredentials>(config, around);
  }
};

std::unique_ptr<TransportWorld> make_world(client::Endpoint& endpoint) {
  return std::make_unique<SocketWorld<MakeRoutedTransport>>(endpoint);
}

std::unique_ptr<client::Transport> make_transport(const net::ClusterConfig& config,
                                                  const net::Surroundings& around) {
  return MakeRoutedTransport()(config, around);
}

INSTANTIATE_TEST_SUITE_P(Routed, TransportContract, testing::Values(&make_world));
INSTANTIATE_TEST_SUITE_P(Routed, WireContract, testing::Values(&make_transport));

/// cpprestsdk alone, over TLS: what it reads is limited from outside.
class RestLimits : public testing::Test {
 protected:
  Result<client::Response> answer_of(std::string bytes) {
    peer.emplace(
        fixture.loop,
        [&bytes](const std::string&) {
          return Reply{bytes, Reply::Then::Keep};
        },
        &tls);
    net::ClusterConfig config = plain_config(peer->port());
    config.tls = true;
    config.ca.data = ca.certificate();
    net::Credentials credentials(config, fixture.clock, fixture.log);
    net::RestClient client(credentials, fixture.surroundings(), {.user_agent = "tester"});
    std::optional<Result<client::Response>> answer;
    client.send({.target = "/version"},
                [&answer](Result<client::Response> result) { answer = std::move(result); });
    if (!fixture.until([&answer] { return answer.has_value(); })) std::abort();
    return *std::move(answer);
  }

  void expect_too_long(const std::string& bytes) {
    const auto answer = answer_of(bytes);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().fault, Fault::Malformed);
    EXPECT_THAT(answer.error().path, testing::EndsWith(": the answer is too long"));
  }

  LoopFixture fixture;
  TestCa ca;
  const PeerTls tls{.identity = ca.issue({})};
  std::optional<Peer> peer;
};

constexpr std::size_t endless = 32 * 1024 * 1024;

TEST_F(RestLimits, BodyUpToTheLimitIsTaken) {
  const std::string body(net::single_body_limit, 'x');
  const auto answer = answer_of(ok_answer(body));
  ASSERT_TRUE(answer) << answer.error().path;
  EXPECT_EQ(answer->body, body);
}

TEST_F(RestLimits, LongerBodyIsGivenUp) {
  expect_too_long(ok_answer(std::string(net::single_body_limit + 100'000, 'x')));
}

TEST_F(RestLimits, LongerBodyOfManyChunksIsGivenUp) {
  std::string chunks;
  while (chunks.size() < net::single_body_limit + 500'000) {
    chunks += "10000\r\n" + std::string(0x10000, 'x') + "\r\n";
  }
  expect_too_long(chunked_head + chunks + "0\r\n\r\n");
}

TEST_F(RestLimits, ChunkWithoutEndIsGivenUp) {
  expect_too_long(chunked_head + "7fffffff\r\n" + std::string(endless, 'x'));
}

TEST_F(RestLimits, HeadWithoutEndIsGivenUp) {
  expect_too_long("HTTP/1.1 200 OK\r\nX-Long: " + std::string(endless, 'x'));
}

TEST(ServerTransport, LeaseIsNotRenewedByCpprestsdk) {
  // It sends a write again when a kept connection was closed; our own connections do not.
  LoopFixture fixture;
  bool answers = true;
  Peer peer(fixture.loop, [&answers](const std::string&) {
    return answers ? Reply{ok_answer("{}")} : Reply{"", Reply::Then::Close};
  });
  const auto transport = make_transport(plain_config(peer.port()), fixture.surroundings());
  for (const bool answered : {true, false}) {
    answers = answered;
    std::optional<bool> renewed;
    transport->send({.method = "PUT",
                     .target = "/l",
                     .body = "{}",
                     .priority = client::RequestPriority::Election},
                    [&renewed](const Result<client::Response>& result) {
                      renewed = static_cast<bool>(result);
                    });
    ASSERT_TRUE(fixture.until([&renewed] { return renewed.has_value(); }));
    EXPECT_EQ(*renewed, answered);
  }
  EXPECT_EQ(peer.requests.size(), 2U);
}

}  // namespace
}  // namespace nlc::tests

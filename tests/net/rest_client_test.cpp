#include "net/rest_client.h"

#include "net/routed_transport.h"
#include "tests/net/socket_world.h"
#include "tests/net/transport_contract.h"
#include "tests/net/wire_contract.h"

namespace nlc::tests {
namespace {

struct MakeRoutedTransport {
  std::unique_ptr<client::Transport> operator()(const net::ClusterConfig& config,
                                                const net::Surroundings& around) {
    const std::string agent = "tester/1 (linux/amd64)";
    return std::make_unique<net::RoutedTransport>(
        std::make_unique<net::SocketTransport>(config, around,
                                               net::SocketTransportOptions{.user_agent = agent}),
        std::make_unique<net::RestClient>(config, around,
                                          net::RestClientOptions{.user_agent = agent}));
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

}  // namespace
}  // namespace nlc::tests

#include "net/server_transport.h"
#include "tests/net/socket_world.h"
#include "tests/net/transport_contract.h"
#include "tests/net/wire_contract.h"

namespace nlc::tests {
namespace {

struct MakeRoutedTransport {
  std::unique_ptr<client::Transport> operator()(const net::ClusterConfig& config,
                                                const net::Surroundings& around) {
    return net::server_transport(config, around, "tester/1 (linux/amd64)");
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

#include "net/socket_transport.h"

#include "tests/net/socket_world.h"
#include "tests/net/transport_contract.h"
#include "tests/net/wire_contract.h"

namespace nlc::tests {
namespace {

struct MakeSocketTransport {
  std::unique_ptr<client::Transport> operator()(net::ClusterConfig config,
                                                const net::Surroundings& around) {
    return std::make_unique<net::SocketTransport>(
        std::move(config), around,
        net::SocketTransportOptions{.user_agent = "tester/1 (linux/amd64)"});
  }
};

std::unique_ptr<TransportWorld> make_world(client::Endpoint& endpoint) {
  return std::make_unique<SocketWorld<MakeSocketTransport>>(endpoint);
}

std::unique_ptr<client::Transport> make_transport(const net::ClusterConfig& config,
                                                  const net::Surroundings& around) {
  return MakeSocketTransport()(config, around);
}

INSTANTIATE_TEST_SUITE_P(Sockets, TransportContract, testing::Values(&make_world));
INSTANTIATE_TEST_SUITE_P(Sockets, WireContract, testing::Values(&make_transport));

}  // namespace
}  // namespace nlc::tests

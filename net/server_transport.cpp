#include "net/server_transport.h"

#include "net/rest_client.h"
#include "net/routed_transport.h"

namespace nlc::net {

std::unique_ptr<client::Transport> server_transport(const ClusterConfig& server,
                                                    const Surroundings& surroundings,
                                                    const std::string& user_agent) {
  return std::make_unique<RoutedTransport>(
      std::make_unique<SocketTransport>(server, surroundings,
                                        SocketTransportOptions{.user_agent = user_agent}),
      std::make_unique<RestClient>(server, surroundings,
                                   RestClientOptions{.user_agent = user_agent}));
}

}  // namespace nlc::net

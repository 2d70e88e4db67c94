#include "net/server_transport.h"

#include "net/rest_client.h"
#include "net/routed_transport.h"

namespace nlc::net {

std::unique_ptr<client::Transport> server_transport(const ClusterConfig& server,
                                                    const Surroundings& surroundings,
                                                    const std::string& user_agent) {
  auto streams = std::make_unique<SocketTransport>(
      server, surroundings, SocketTransportOptions{.user_agent = user_agent});
  const bool ipv6_literal = server.host.find(':') != std::string::npos;
  if (ipv6_literal) return streams;
  auto unary = std::make_unique<RestClient>(server, surroundings,
                                            RestClientOptions{.user_agent = user_agent});
  return std::make_unique<RoutedTransport>(std::move(streams), std::move(unary));
}

}  // namespace nlc::net

#include "net/rest/server_transport.h"

#include "net/rest/rest_client.h"
#include "net/rest/routed_transport.h"

namespace nlc::net {

std::unique_ptr<client::Transport> server_transport(Credentials& credentials,
                                                    const Surroundings& surroundings,
                                                    const std::string& user_agent) {
  auto streams = std::make_unique<SocketTransport>(
      credentials, surroundings, SocketTransportOptions{.user_agent = user_agent});
  const bool ipv6_literal = credentials.server().host.find(':') != std::string::npos;
  if (ipv6_literal || !credentials.server().tls) return streams;
  auto single = std::make_unique<RestClient>(credentials, surroundings,
                                             RestClientOptions{.user_agent = user_agent});
  return std::make_unique<RoutedTransport>(std::move(streams), std::move(single));
}

}  // namespace nlc::net

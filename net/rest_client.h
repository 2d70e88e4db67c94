#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "client/transport.h"
#include "net/cluster_config.h"
#include "net/socket_transport.h"

namespace nlc::net {

struct RestClientOptions {
  std::string user_agent;
  std::size_t requests_max = 16;  ///< at once; the election's requests are not counted
};

/// Single requests that need no gate and no haste, on cpprestsdk: reads, and our own lease on a
/// client of its own, so that a renewal never waits behind work. Watches and gated writes are not
/// for it (it queues, and sends again by itself when a kept connection was closed): asking for them
/// is a mistake of ours.
///
/// It cannot reach a host that is an IPv6 address.
///
/// cpprestsdk's threads are the process's, and there is one. Build, use and destroy it on the
/// executor's thread. Destruction waits until the library has let go of what was cancelled.
class RestClient final : public client::Transport {
 public:
  RestClient(ClusterConfig server, const Surroundings& surroundings, RestClientOptions options);
  ~RestClient() override;
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  void send(client::Request request, client::Answer answer) override;
  Lifeline watch(client::Request request, std::unique_ptr<client::StreamReader> reader) override;

 private:
  struct Desk;
  std::shared_ptr<Desk> desk_;  // shared only so that an answer that comes too late finds it gone
};

}  // namespace nlc::net

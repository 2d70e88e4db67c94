#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "client/transport.h"
#include "net/credentials/credentials.h"
#include "net/http_client/socket_transport.h"

namespace nlc::net {

struct RestClientOptions {
  std::string user_agent;
  std::size_t requests_max = 640;  ///< at once: more than the limits before us let out
};

/// Reads of single objects, on cpprestsdk: what costs nothing but a retry when it fails. Watches,
/// gated writes and our own lease are not for it (it queues, and sends again by itself when a kept
/// connection was closed): asking for them is a mistake of ours.
///
/// It cannot reach a host that is an IPv6 address. Over TLS an answer is given up when it is longer
/// than an object may be, head, framing and all; without TLS nothing limits its head
/// (docs/decisions/0026-cpprestsdk-reads-single-objects.md).
///
/// cpprestsdk's threads are the process's, and there is one. Build, use and destroy it on the
/// executor's thread. Destruction waits until the library has let go of what was cancelled.
class RestClient final : public client::Transport {
 public:
  /// To the credentials' server; they outlive it.
  RestClient(Credentials& credentials, const Surroundings& surroundings, RestClientOptions options);
  ~RestClient() override;
  RestClient(const RestClient&) = delete;
  RestClient& operator=(const RestClient&) = delete;

  void send(client::Request request, client::Answer answer) override;
  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override;

 private:
  struct Pending;
  /// Shared only so that an answer that comes too late finds it gone.
  std::shared_ptr<Pending> pending_;
};

}  // namespace nlc::net

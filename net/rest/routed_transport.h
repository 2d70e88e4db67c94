#pragma once

#include <memory>

#include "client/transport.h"
#include "net/http_client/server_link.h"

namespace nlc::net {

/// Two transports as one: reads of single objects, for which nothing waits, go through `single`,
/// everything else through `streams`: watches, gated writes, whose last step is the gate, our own
/// lease, the reads that a verdict waits for, and lists: their pages, which are long, and what
/// waits with them. Both belong to it.
class RoutedTransport final : public client::Transport {
 public:
  RoutedTransport(std::unique_ptr<client::Transport> streams,
                  std::unique_ptr<client::Transport> single)
      : streams_(std::move(streams)), single_(std::move(single)) {}

  void send(client::Request request, client::Answer answer) override {
    client::Transport& chosen = is_read_of_one(request) ? *single_ : *streams_;
    chosen.send(std::move(request), std::move(answer));
  }

  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override {
    return streams_->watch(std::move(request), std::move(reader));
  }

 private:
  static bool is_read_of_one(const client::Request& request) {
    return request.priority == client::RequestPriority::Read && request.method == "GET" &&
           !asks_for_a_page(request);
  }

  std::unique_ptr<client::Transport> streams_;
  std::unique_ptr<client::Transport> single_;
};

}  // namespace nlc::net

#pragma once

#include <memory>

#include "client/transport.h"

namespace nlc::net {

/// Two transports as one: watches and gated writes go through `streams`, whose last step is the
/// gate; single requests that need no gate go through `unary`. Both belong to it.
class RoutedTransport final : public client::Transport {
 public:
  RoutedTransport(std::unique_ptr<client::Transport> streams,
                  std::unique_ptr<client::Transport> unary)
      : streams_(std::move(streams)), unary_(std::move(unary)) {}

  void send(client::Request request, client::Answer answer) override {
    client::Transport& chosen = client::is_gated(request.lane) ? *streams_ : *unary_;
    chosen.send(std::move(request), std::move(answer));
  }

  Lifeline watch(client::Request request, std::unique_ptr<client::StreamReader> reader) override {
    return streams_->watch(std::move(request), std::move(reader));
  }

 private:
  std::unique_ptr<client::Transport> streams_;
  std::unique_ptr<client::Transport> unary_;
};

}  // namespace nlc::net

#pragma once

#include <memory>

#include "client/transport.h"

namespace nlc::net {

/// Two transports as one: watches and gated writes go through `streams`, whose last step is the
/// gate, and so do the reads that a verdict waits for, because a new connection of `unary` may take
/// a while; the election and all other reads go through `unary`. Both belong to it.
class RoutedTransport final : public client::Transport {
 public:
  RoutedTransport(std::unique_ptr<client::Transport> streams,
                  std::unique_ptr<client::Transport> unary)
      : streams_(std::move(streams)), unary_(std::move(unary)) {}

  void send(client::Request request, client::Answer answer) override {
    const bool patient =
        request.lane == client::Lane::Election || request.lane == client::Lane::Read;
    client::Transport& chosen = patient ? *unary_ : *streams_;
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

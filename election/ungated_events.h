#pragma once

#include <memory>
#include <utility>

#include "client/transport.h"

namespace nlc::election {

/// The way for events about the election itself. That a leader stepped down is told when its gate
/// is shut already, so these events go with the reads, which pass no gate.
class UngatedEvents final : public client::Transport {
 public:
  explicit UngatedEvents(client::Transport& inner) : inner_(inner) {}

  void send(client::Request request, client::Answer answer) override {
    request.priority = client::RequestPriority::Read;
    inner_.send(std::move(request), std::move(answer));
  }

  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override {
    return inner_.watch(std::move(request), std::move(reader));
  }

 private:
  client::Transport& inner_;
};

}  // namespace nlc::election

#pragma once

#include <memory>
#include <utility>

#include "client/transport.h"
#include "runtime/executor.h"

namespace nlc::sim {

/// The network link of one machine: while it is down, every request fails without being sent.
/// Whoever cuts it has to disbelieve the answers that were under way.
class FaultyLink final : public client::Transport {
 public:
  FaultyLink(client::Transport& beyond, Executor& executor)
      : beyond_(beyond), executor_(executor) {}

  void pull() { plugged_ = false; }
  void plug() { plugged_ = true; }
  bool plugged() const { return plugged_; }

  static Error cut() { return {Fault::Unavailable, "the network cable is out"}; }

  void send(client::Request request, client::Answer answer) override {
    if (plugged_) return beyond_.send(std::move(request), std::move(answer));
    executor_.post([answer = std::move(answer)] { answer(cut()); });
  }

  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override {
    return beyond_.watch(std::move(request), std::move(reader));
  }

 private:
  client::Transport& beyond_;
  Executor& executor_;
  bool plugged_ = true;
};

}  // namespace nlc::sim

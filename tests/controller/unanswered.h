#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/transport.h"

namespace nlc::controller::testing {

/// Keeps what is sent, and answers nothing.
class Unanswered final : public client::Transport {
 public:
  void send(client::Request request, client::Answer) override {
    bodies.push_back(std::move(request.body));
  }
  Subscription watch(client::Request, std::unique_ptr<client::StreamReader>) override { return {}; }
  std::int64_t count(const std::string& text) const {
    return std::ranges::count_if(
        bodies, [&](const std::string& body) { return body.find(text) != body.npos; });
  }
  std::vector<std::string> bodies;
};

}  // namespace nlc::controller::testing

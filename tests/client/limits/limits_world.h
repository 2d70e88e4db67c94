#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "client/limits/limited_transport.h"
#include "sim/virtual_time.h"
#include "tests/client/held_transport.h"

namespace nlc::client {

/// Limits over a held transport in virtual time.
struct LimitsWorld {
  explicit LimitsWorld(LimitOptions options) : limited(held, time, time, options) {}

  void send(RequestPriority priority, std::string target = "/", Try attempt = Try::First) {
    limited.send({.target = std::move(target), .priority = priority, .attempt = attempt},
                 [this](const Result<Response>&) { ++answered; });
  }
  void send_many(RequestPriority priority, int count, Try attempt = Try::First) {
    for (int i = 0; i < count; ++i) send(priority, "/", attempt);
  }
  void answer(std::size_t index) { held.answer(index, Response{.status = 200}); }
  std::size_t sent() const { return held.sent.size(); }
  bool was_sent(std::string_view target) const {
    return std::ranges::any_of(held.sent,
                               [&](const auto& one) { return one.request.target == target; });
  }

  sim::VirtualTime time{WallTime{}};
  HeldTransport held;
  int answered = 0;
  LimitedTransport limited;
};

}  // namespace nlc::client

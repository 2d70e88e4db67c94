#pragma once

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/endpoint.h"
#include "client/limits/gate.h"
#include "client/transport.h"
#include "runtime/clock.h"
#include "tests/net/scripted_server.h"

/// A transport and the server behind it: what `TransportContract` is written on.
namespace nlc::tests {

/// A transport whose requests end at an endpoint of the test, with time to let things happen.
class TransportWorld {
 public:
  virtual ~TransportWorld() = default;
  virtual client::Transport& transport() = 0;
  virtual client::Gate& gate() = 0;
  virtual const Clock& clock() const = 0;

  /// Lets the world go on until `condition` holds; false when it did not in a generous time.
  virtual bool until(const std::function<bool()>& condition) = 0;

  /// Lets everything happen that is already on its way.
  virtual void settle() = 0;
};

using MakeWorld = std::unique_ptr<TransportWorld> (*)(client::Endpoint& server);

class TransportContract : public testing::TestWithParam<MakeWorld> {
 protected:
  using Answers = std::vector<Result<client::Response>>;

  client::Transport& transport() { return world->transport(); }

  void send(client::Request request) {
    transport().send(std::move(request), [this](Result<client::Response> result) {
      answers.push_back(std::move(result));
    });
  }

  /// Sends and waits for the answer.
  Result<client::Response> ask(client::Request request) {
    answers.clear();
    send(std::move(request));
    if (!world->until([this] { return !answers.empty(); })) {
      return Error{.fault = Fault::Malformed, .path = "the transport never answered"};
    }
    return answers.front();
  }

  Subscription watch(client::Request request) {
    return transport().watch(std::move(request), std::make_unique<RecordingReader>(heard));
  }

  static client::Request with_priority(client::RequestPriority priority) {
    const bool reads =
        priority == client::RequestPriority::Read || priority == client::RequestPriority::LeaseRead;
    return {.method = reads ? "GET" : "PATCH",
            .target = "/api/v1/nodes/n1",
            .content_type = reads ? "" : "application/merge-patch+json",
            .body = reads ? "" : "{}",
            .priority = priority};
  }

  ScriptedServer server;
  std::unique_ptr<TransportWorld> world = GetParam()(server);
  Answers answers;
  std::shared_ptr<Heard> heard = std::make_shared<Heard>();
};

constexpr client::RequestPriority every_priority[] = {
    client::RequestPriority::Election,  client::RequestPriority::NodeStatus,
    client::RequestPriority::NodeWrite, client::RequestPriority::LeaseRead,
    client::RequestPriority::PodWrite,  client::RequestPriority::Read,
    client::RequestPriority::Event};

}  // namespace nlc::tests

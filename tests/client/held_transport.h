#pragma once

#include <cassert>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "client/transport.h"

namespace nlc::client {

/// A transport that holds every request until the test answers it.
class HeldTransport final : public Transport {
 public:
  struct Held {
    Request request;
    Answer answer;
  };

  void send(Request request, Answer answer) override {
    sent.push_back({std::move(request), std::move(answer)});
  }

  Subscription watch(Request request, std::unique_ptr<StreamReader> reader) override {
    watched.push_back(std::move(request));
    readers.push_back(std::move(reader));
    return Subscription{};
  }

  /// Answers the request that was sent as number `index`.
  void answer(std::size_t index, Result<Response> response) {
    assert(index < sent.size());
    Answer waiting = std::exchange(sent[index].answer, nullptr);
    assert(waiting);
    waiting(std::move(response));
  }

  void answer_last(int status, std::string body) {
    answer(sent.size() - 1, Response{.status = status, .body = std::move(body)});
  }

  std::vector<Held> sent;
  std::vector<Request> watched;
  std::vector<std::unique_ptr<StreamReader>> readers;  ///< of the same
};

}  // namespace nlc::client

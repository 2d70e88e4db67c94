#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "client/transport.h"
#include "runtime/callback_scope.h"
#include "runtime/executor.h"

namespace nlc::client {

/// Knows which gated writes are under way, so that a leader can end its work before it gives its
/// lock away: once draining, no further write begins, and `done` is told when the last answer came
/// (spec/incidents.md "Work after loss"). Everything else passes. When it is destroyed,
/// whoever waits for the answer to such a write is not told any more.
class DrainingTransport final : public Transport {
 public:
  DrainingTransport(Transport& inner, Executor& executor) : inner_(inner), executor_(executor) {}

  void send(Request request, Answer answer) override {
    if (!is_gated(request.priority)) return inner_.send(std::move(request), std::move(answer));
    if (draining_) {
      return executor_.post([answer = std::move(answer)] {
        answer(Error{.fault = Fault::NotLeading, .path = "the program is stopping"});
      });
    }
    ++under_way_;
    inner_.send(std::move(request),
                callbacks_.guard([this, answer = std::move(answer)](Result<Response> response) {
                  answer(std::move(response));
                  --under_way_;
                  tell_when_drained();
                }));
  }

  Subscription watch(Request request, std::unique_ptr<StreamReader> reader) override {
    return inner_.watch(std::move(request), std::move(reader));
  }

  /// For good. `done` comes on the executor, never inline.
  void drain(std::function<void()> done) {
    draining_ = true;
    done_ = std::move(done);
    tell_when_drained();
  }

  int under_way() const { return under_way_; }

 private:
  void tell_when_drained() {
    if (draining_ && under_way_ == 0 && done_)
      executor_.post(callbacks_.guard(std::exchange(done_, nullptr)));
  }

  Transport& inner_;
  Executor& executor_;
  int under_way_ = 0;
  bool draining_ = false;
  std::function<void()> done_;
  CallbackScope callbacks_;
};

}  // namespace nlc::client

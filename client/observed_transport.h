#pragma once

#include <memory>
#include <string>
#include <utility>

#include "client/server_clock.h"
#include "client/transport.h"
#include "metrics/metrics.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"

namespace nlc::client {

/// Looks at every answer that passes: counts it for `rest_client_requests_total`, and compares the
/// server's calendar with ours. Changes nothing. When it is destroyed, whoever waits for an answer
/// is not told any more.
class ObservedTransport final : public Transport {
 public:
  struct Watchers {
    const Clock& clock;
    metrics::Metrics& metrics;
    ServerClock& server_clock;
    std::string host;
  };
  ObservedTransport(Transport& inner, Watchers watchers)
      : inner_(inner), watchers_(std::move(watchers)) {}

  void send(Request request, Answer answer) override {
    std::string method = request.method;
    inner_.send(std::move(request),
                callbacks_.guard([this, method = std::move(method),
                                  answer = std::move(answer)](Result<Response> response) {
                  watchers_.metrics.count_request(method, watchers_.host,
                                                  response ? response->status : 0);
                  if (response && response->date) {
                    watchers_.server_clock.note(
                        *response->date, {watchers_.clock.now(), watchers_.clock.wall_now()});
                  }
                  answer(std::move(response));
                }));
  }

  Subscription watch(Request request, std::unique_ptr<StreamReader> reader) override {
    return inner_.watch(std::move(request), std::move(reader));
  }

 private:
  Transport& inner_;
  const Watchers watchers_;
  CallbackScope callbacks_;
};

}  // namespace nlc::client

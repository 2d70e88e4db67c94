#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "client/server_clock.h"
#include "client/transport.h"
#include "metrics/metrics.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"

namespace nlc::client {

/// Looks at every answer that passes, those to watches too: counts and times it for the
/// `rest_client_*` metrics, and compares the server's calendar with ours. Changes nothing. When it
/// is destroyed, whoever waits for an answer is not told any more.
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
                callbacks_.guard([this, method = std::move(method), sent = watchers_.clock.now(),
                                  answer = std::move(answer)](Result<Response> response) {
                  count(method, response ? response->status : 0);
                  time(method, watchers_.clock.now() - sent);
                  if (response) note(response->date);
                  answer(std::move(response));
                }));
  }

  Subscription watch(Request request, std::unique_ptr<StreamReader> reader) override {
    std::string method = request.method;
    auto answered = callbacks_.guard(
        [this, method = std::move(method)](int status, std::optional<WallTime> date) {
          count(method, status);
          note(date);
        });
    return inner_.watch(std::move(request),
                        std::make_unique<Observed>(std::move(reader), std::move(answered)));
  }

 private:
  /// A process that only follows streams has no other answer to know the server's calendar by.
  class Observed final : public StreamReader {
   public:
    /// Status 0: none.
    using Answered = std::function<void(int status, std::optional<WallTime> date)>;
    Observed(std::unique_ptr<StreamReader> inner, Answered answered)
        : inner_(std::move(inner)), answered_(std::move(answered)) {}

    void on_head(std::string_view content_type) override { inner_->on_head(content_type); }
    void on_bytes(std::string_view bytes) override { inner_->on_bytes(bytes); }
    std::size_t events() const override { return inner_->events(); }
    std::function<void()> take(std::optional<Instant> since) override {
      return inner_->take(since);
    }
    void on_open(std::optional<WallTime> date) override {
      opened_ = true;
      answered_(200, date);
      inner_->on_open(date);
    }
    void on_end(StreamEnd end) override {
      if (end.refused) {
        answered_(end.refused->status, end.refused->date);
      } else if (!opened_) {
        answered_(0, std::nullopt);
      }
      inner_->on_end(std::move(end));
    }

   private:
    const std::unique_ptr<StreamReader> inner_;
    const Answered answered_;
    bool opened_ = false;
  };

  void count(const std::string& method, int status) {
    auto found = counts_.find({method, status});
    if (found == counts_.end()) {
      const metrics::Counter counter = watchers_.metrics.requests(method, watchers_.host, status);
      found = counts_.emplace(std::pair(method, status), counter).first;
    }
    found->second.add();
  }

  /// Of watches there is nothing to tell: their answer is a stream. client-go has it so.
  void time(const std::string& method, Duration took) {
    auto found = durations_.find(method);
    if (found == durations_.end()) {
      found = durations_.emplace(method, watchers_.metrics.request_duration(method, watchers_.host))
                  .first;
    }
    found->second.observe(took);
  }

  void note(std::optional<WallTime> date) {
    if (!date) return;
    watchers_.server_clock.note(*date, {watchers_.clock.now(), watchers_.clock.wall_now()});
  }

  Transport& inner_;
  const Watchers watchers_;
  std::map<std::pair<std::string, int>, metrics::Counter> counts_;  ///< by method and status
  std::map<std::string, metrics::Histogram> durations_;             ///< by method
  CallbackScope callbacks_;
};

}  // namespace nlc::client

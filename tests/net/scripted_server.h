#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/endpoint.h"
#include "client/transport.h"

namespace nlc::tests {

inline std::shared_ptr<const std::string> shared_text(std::string text) {
  return std::make_shared<const std::string>(std::move(text));
}

/// An endpoint that a test scripts: keeps what came in, answers by a function.
class ScriptedServer final : public client::Endpoint {
 public:
  using Script = std::function<void(const client::IncomingRequest&, client::Reply&)>;

  Subscription serve(client::IncomingRequest request,
                     std::unique_ptr<client::Reply> reply) override {
    const std::size_t number = requests.size();
    requests.push_back(request);
    replies.push_back(std::move(reply));
    if (script) script(request, *replies.back());
    return Subscription([this, number] {
      ++ended;
      replies[number].reset();
    });
  }

  /// Answers every request with this.
  void always(int status, std::string body, std::optional<Duration> retry_after = {}) {
    script = [=](const client::IncomingRequest&, client::Reply& reply) {
      reply.send({.status = status,
                  .content_type = "application/json",
                  .retry_after = retry_after,
                  .date = std::nullopt,
                  .body = body});
    };
  }

  Script script;
  std::vector<client::IncomingRequest> requests;
  std::vector<std::unique_ptr<client::Reply>> replies;
  int ended = 0;  ///< callers that left or were answered
};

/// What one watch told, in order: "open", the bytes, "end", "refused 403 BODY", "broken FAULT".
struct Heard {
  std::vector<std::string> calls;
  std::string bytes;
  std::string content_type;
  std::optional<Instant> since;  ///< of what was heard last
  bool ended = false;
  std::optional<WallTime> date;  ///< of the head
};

class RecordingReader final : public client::StreamReader {
 public:
  explicit RecordingReader(std::shared_ptr<Heard> heard) : heard_(std::move(heard)) {}

  void on_head(std::string_view content_type) override { content_type_ = content_type; }
  void on_bytes(std::string_view bytes) override { taken_ += bytes; }

  std::size_t events() const override { return taken_.empty() ? 0 : 1; }
  std::function<void()> take(std::optional<Instant> since) override {
    if (taken_.empty()) return {};
    return [heard = heard_, type = content_type_, since, bytes = std::exchange(taken_, {})] {
      heard->content_type = type;
      heard->since = since;
      if (heard->calls.empty() || heard->calls.back() != "bytes") heard->calls.push_back("bytes");
      heard->bytes += bytes;
    };
  }

  void on_open(std::optional<WallTime> date) override {
    heard_->calls.push_back("open");
    heard_->date = date;
  }

  void on_end(client::StreamEnd end) override {
    heard_->ended = true;
    if (end.refused) {
      heard_->calls.push_back("refused " + std::to_string(end.refused->status) + " " +
                              end.refused->body);
    } else if (end.broken) {
      heard_->calls.push_back("broken " + std::string(name_of(end.broken->fault)));
    } else {
      heard_->calls.push_back("end");
    }
  }

 private:
  std::shared_ptr<Heard> heard_;
  std::string content_type_;
  std::string taken_;
};

}  // namespace nlc::tests

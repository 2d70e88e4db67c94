#pragma once

#include <cassert>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/transport.h"
#include "runtime/executor.h"

namespace nlc::informer::testing {

/// A transport whose far end is the test: requests and streams are held until it says what comes.
/// What it says arrives on the executor, and never after the subscription ended, as the seam
/// promises.
class ScriptedTransport final : public client::Transport {
 public:
  explicit ScriptedTransport(Executor& executor) : executor_(executor) {}

  void send(client::Request request, client::Answer answer) override {
    targets.push_back(request.target);
    accepts.push_back(request.accept);
    pending_.push_back(std::move(answer));
  }

  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override {
    targets.push_back(request.target);
    accepts.push_back(request.accept);
    stream_ = std::make_shared<Stream>();
    stream_->reader = std::move(reader);
    // The reader may end its own stream, so it dies a little later.
    return Subscription([this, stream = stream_] {
      stream->ended = true;
      executor_.post([stream] {});
    });
  }

  // What the server does to the newest stream.
  void accept(std::string content_type = "application/json") {
    to_reader([content_type = std::move(content_type)](Stream& stream) {
      stream.reader->on_head(content_type);
      stream.reader->on_open({});
    });
  }
  void say(std::string line) {
    to_reader([line = std::move(line)](Stream& stream) { hear(stream, line + "\n"); });
  }
  void say_bytes(std::string bytes) {
    to_reader([bytes = std::move(bytes)](Stream& stream) { hear(stream, bytes); });
  }
  /// These lines were read at once, at the first look since then.
  void say_gathered(std::string lines, Instant since) {
    to_reader([lines = std::move(lines), since](Stream& stream) { hear(stream, lines, since); });
  }
  void end(client::StreamEnd how) {
    to_reader([how = std::move(how)](Stream& stream) {
      stream.ended = true;
      stream.reader->on_end(how);
    });
  }
  void refuse(int status, std::string body = "") {
    end({.refused = client::Response{.status = status, .body = std::move(body)}, .broken = {}});
  }
  bool is_streaming() const { return stream_ && !stream_->ended; }

  // What it answers to the oldest request that waits.
  void answer(Result<client::Response> response) {
    assert(!pending_.empty());
    executor_.post([answer = std::move(pending_.front()), response = std::move(response)] {
      answer(response);
    });
    pending_.pop_front();
  }
  void answer(std::string body) {
    answer(client::Response{.status = 200, .body = std::move(body)});
  }
  std::size_t pending() const { return pending_.size(); }

  std::vector<std::string> targets;  ///< of all requests and watches, in order
  std::vector<std::string> accepts;  ///< theirs

 private:
  struct Stream {
    std::unique_ptr<client::StreamReader> reader;
    bool ended = false;
  };

  static void hear(Stream& stream, const std::string& bytes, std::optional<Instant> since = {}) {
    stream.reader->on_bytes(bytes);
    if (const std::function<void()> taken = stream.reader->take(since)) taken();
  }

  void to_reader(std::function<void(Stream&)> what) {
    assert(stream_);
    executor_.post([stream = stream_, what = std::move(what)] {
      if (!stream->ended) what(*stream);
    });
  }

  Executor& executor_;
  std::shared_ptr<Stream> stream_;
  std::deque<client::Answer> pending_;
};

}  // namespace nlc::informer::testing

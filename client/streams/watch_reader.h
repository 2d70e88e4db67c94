#pragma once

#include <array>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/decode.h"
#include "client/refusal.h"
#include "client/streams/stream_pieces.h"
#include "client/transport.h"

namespace nlc::client {

/// Where the events of one watch arrive, on the executor.
template <typename T>
class WatchListener {
 public:
  virtual ~WatchListener() = default;
  virtual void on_open() = 0;
  /// In the order in which the server sent them. They arrived between `since` and now (`arrival`
  /// tells when each did), or just now where `since` is nothing. The events are reused afterwards:
  /// copy or move out what is kept.
  virtual void on_events(std::span<api::WatchEvent<T>> batch, std::optional<Instant> since) = 0;
  virtual void on_end(StreamEnd end) = 0;
};

/// Cuts a watch stream into its events and decodes each, on the transport's thread; hands over
/// batches. `listener` must outlive the watch's subscription. A stream of a media type that no
/// decoder reads is one Error event (406).
///
/// Two batches go to the executor and back in turn, and keep their memory, so that heartbeats are
/// decoded without allocating.
template <typename T>
class WatchReader final : public StreamReader, private StreamPieces::Taker {
 public:
  explicit WatchReader(WatchListener<T>& listener) : listener_(listener) {}

  void on_head(std::string_view content_type) override {
    if (!api::is_readable(content_type)) {
      foreign_ = "the stream is " + server_words(content_type) + ", expected one of " +
                 std::string(api::accepted_encodings);
    }
    const api::Encoding encoding = api::encoding_of(content_type);
    const bool lines = encoding == api::Encoding::Json;
    decoder_ = api::Decoder<T>(encoding);
    pieces_ = StreamPieces(lines ? StreamPieces::Cut::Lines : StreamPieces::Cut::Frames);
  }

  void on_bytes(std::string_view bytes) override {
    if (!foreign_.empty()) return refuse(not_acceptable, "NotAcceptable", foreign_);
    pieces_.take(bytes, *this);
  }

  std::size_t events() const override { return batch_ ? batch_->size : 0; }

  std::function<void()> take(std::optional<Instant> since) override {
    if (!batch_) return nullptr;
    return [&listener = listener_, since, batch = std::exchange(batch_, nullptr)] {
      listener.on_events(std::span(batch->events).first(batch->size), since);
      batch->size = 0;
      // `= {}` would keep the memory.
      if (batch->events.size() > kept_events) batch->events = std::vector<api::WatchEvent<T>>();
      batch->lent = false;
    };
  }

  void on_open(std::optional<WallTime> /*date*/) override { listener_.on_open(); }
  void on_end(StreamEnd end) override { listener_.on_end(std::move(end)); }

 private:
  /// What a long list needed is not kept for the few events at a time that follow it. Heartbeats
  /// come by the hundred; other objects one by one, each with lists of its own.
  static constexpr std::size_t kept_events = std::is_same_v<T, api::NodeLease> ? 512 : 16;

  struct Batch {
    std::vector<api::WatchEvent<T>> events;  ///< the first `size` of them count
    std::size_t size = 0;
    std::atomic<bool> lent = true;  ///< false: nobody but the reader looks at it
  };

  /// One object that cannot be read is the reflector's to tell of. A stream of nothing else is
  /// none, and each of its events costs more than one that can be read.
  static constexpr int unreadable_max = 1000;

  /// Nothing more of this stream is taken for an event; one error says so and ends the watch.
  void refuse(int code, std::string reason, std::string why) {
    if (std::exchange(refused_, true)) return;
    api::WatchEvent<T>& event = next_event();
    event = {.type = api::EventType::Error};
    event.status = {.code = code, .reason = std::move(reason), .message = std::move(why)};
  }

  void on_piece(std::string_view piece) override {
    if (refused_) return;
    if (unreadable_ >= unreadable_max) {
      return refuse(internal_error, "InternalError",
                    "none of the last " + std::to_string(unreadable_max) +
                        " events of the stream could be read");
    }
    api::WatchEvent<T>& event = next_event();
    decoder_.watch_event(piece, event);
    unreadable_ = event.type == api::EventType::Malformed ? unreadable_ + 1 : 0;
    if (event.type == api::EventType::Error) [[unlikely]] {
      event.status.reason = server_words(event.status.reason);
      event.status.message = server_words(event.status.message);
    } else if (event.type == api::EventType::Malformed) [[unlikely]] {
      event.problem = server_words(event.problem);
    }
  }
  void on_overlong() override {
    api::WatchEvent<T>& event = next_event();
    event = {};
    event.problem = "an event of more than 16 MiB";
  }

  api::WatchEvent<T>& next_event() {
    if (!batch_) batch_ = free_batch();
    if (batch_->size == batch_->events.size()) batch_->events.emplace_back();
    return batch_->events[batch_->size++];
  }

  std::shared_ptr<Batch> free_batch() {
    for (std::shared_ptr<Batch>& batch : batches_) {
      if (!batch)
        batch = std::make_shared<Batch>();
      else if (batch->lent.exchange(true))
        continue;
      return batch;
    }
    return std::make_shared<Batch>();  // the executor is behind by more batches than are kept
  }

  static constexpr int not_acceptable = 406;
  static constexpr int internal_error = 500;

  WatchListener<T>& listener_;
  std::string foreign_;  ///< what is wrong with a stream that is neither JSON nor protobuf
  bool refused_ = false;
  int unreadable_ = 0;  ///< events in a row
  api::Decoder<T> decoder_;
  StreamPieces pieces_;
  std::array<std::shared_ptr<Batch>, 2> batches_;
  std::shared_ptr<Batch> batch_;  ///< being filled; shared with the executor from `take` on
};

}  // namespace nlc::client

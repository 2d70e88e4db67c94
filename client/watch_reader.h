#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode.h"
#include "client/transport.h"

namespace nlc::client {

/// Where the events of one watch arrive, on the executor.
template <typename T>
class WatchListener {
 public:
  virtual ~WatchListener() = default;
  virtual void on_open() = 0;
  /// In the order in which the server sent them. The batch may be moved from.
  virtual void on_events(std::vector<api::WatchEvent<T>>& batch) = 0;
  virtual void on_end(StreamEnd end) = 0;
};

/// Cuts a JSON watch stream into lines and decodes each, on the transport's thread; hands over
/// batches. `listener` must outlive the watch's lifeline.
template <typename T>
class WatchReader final : public StreamReader {
 public:
  /// A line longer than this is no object of ours: the API server refuses objects above 3 MiB or
  /// so.
  static constexpr std::size_t line_limit = std::size_t{16} << 20U;

  explicit WatchReader(WatchListener<T>& listener) : listener_(listener) {}

  void on_bytes(std::string_view bytes) override {
    for (std::size_t end = bytes.find('\n'); end != std::string_view::npos;
         end = bytes.find('\n')) {
      take_line(bytes.substr(0, end));
      bytes.remove_prefix(end + 1);
    }
    if (rest_.size() + bytes.size() <= line_limit) {
      rest_ += bytes;
    } else {
      overlong_ = true;
      rest_.clear();
    }
  }

  std::function<void()> take() override {
    if (batch_.empty()) return nullptr;
    auto batch = std::make_shared<std::vector<api::WatchEvent<T>>>(std::move(batch_));
    batch_.clear();
    return [&listener = listener_, batch] { listener.on_events(*batch); };
  }

  void on_open() override { listener_.on_open(); }
  void on_end(StreamEnd end) override { listener_.on_end(std::move(end)); }

 private:
  void take_line(std::string_view line) {
    if (overlong_) {
      batch_.push_back({.problem = "a line of more than 16 MiB"});
    } else if (rest_.empty()) {
      if (!line.empty()) batch_.push_back(decoder_.watch_event(line));
    } else {
      rest_ += line;
      batch_.push_back(decoder_.watch_event(rest_));
    }
    rest_.clear();
    overlong_ = false;
  }

  WatchListener<T>& listener_;
  api::Decoder<T> decoder_;
  std::string rest_;  ///< the beginning of a line whose end has not come yet
  bool overlong_ = false;
  std::vector<api::WatchEvent<T>> batch_;
};

}  // namespace nlc::client

#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/clock.h"
#include "runtime/log.h"

namespace nlc::sim::scenario {

/// "+40.003s": how far from the start of a case, to the millisecond.
std::string offset_text(Duration offset);

/// What happened when, line by line, for `--trace`. The same run tells the same story, byte for
/// byte.
class Story {
 public:
  using Listener = std::function<void(std::string_view line)>;

  Story(const Clock& clock, Listener listener)
      : clock_(clock), origin_(clock.now()), listener_(std::move(listener)) {}

  /// Words need not be made when nobody listens.
  bool is_heard() const { return listener_ != nullptr; }
  void tell(std::string_view who, std::string_view what) const;

  Instant origin() const { return origin_; }
  Duration offset() const { return clock_.now() - origin_; }

 private:
  const Clock& clock_;
  const Instant origin_;
  const Listener listener_;
};

/// One line of a replica's log: the message, and what varies as key=value.
struct LogLine {
  Duration at{0};
  std::string replica;
  LogLevel level = LogLevel::Info;
  std::string text;
};

/// The log of one replica, as part of the story. Its lines are kept where somebody wants them.
class StoryLog final : public Log {
 public:
  explicit StoryLog(const Story& story, std::string replica = {},
                    std::vector<LogLine>* kept = nullptr)
      : story_(story), replica_(std::move(replica)), kept_(kept) {}
  void write(LogLevel level, std::string_view message, Fields fields) override;

 private:
  const Story& story_;
  const std::string replica_;
  std::vector<LogLine>* const kept_;
};

}  // namespace nlc::sim::scenario

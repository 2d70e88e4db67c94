#pragma once

#include <functional>
#include <string>
#include <string_view>

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

/// The controller's log lines, as part of the story.
class StoryLog final : public Log {
 public:
  explicit StoryLog(const Story& story) : story_(story) {}
  void write(LogLevel level, std::string_view message, Fields fields) override;

 private:
  const Story& story_;
};

}  // namespace nlc::sim::scenario

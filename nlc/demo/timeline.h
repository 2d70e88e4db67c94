#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "report/node_observer.h"

namespace nlc::workbench {

using report::Happening;
using report::Moment;

/// A stretch of a terminal line in one colour.
enum class Ink { Plain, Red, Yellow, Green, Faint, Bold };

/// `text` between the escapes of a colour; as it is when the output is no terminal.
std::string inked(std::string_view text, Ink ink, bool coloured);

struct TimelineOptions {
  Instant start;                                     ///< +0.0s
  Duration gather = std::chrono::milliseconds(250);  ///< alike happenings this close share a line
  bool coloured = false;
};

/// Turns happenings into lines for people: what happens to several nodes, or to the many pods of a
/// node, within a moment is told once. Lines come in the order in which things began. Pure.
///
///     +12.3s  Unknown    hollow-0 hollow-1 hollow-2    8.0 s after the last renewal
class DemoTimeline {
 public:
  /// `remark` explains the first of a group: a few words, or none.
  using Remark = std::function<std::string(Moment, const std::vector<std::string>& nodes)>;

  DemoTimeline(TimelineOptions options, Remark remark)
      : options_(options), remark_(std::move(remark)) {}

  void add(const Happening& happening);

  /// Lines that are complete by `now`.
  std::vector<std::string> take_lines(Instant now);

  /// A line of the demonstration itself.
  std::string line(Instant at, std::string_view what, std::string_view text, Ink ink) const;

 private:
  struct Group {
    Moment moment;
    Instant began;
    std::map<std::string, std::size_t> nodes;  ///< and how many happenings each had
  };

  std::string told(const Group& group) const;

  const TimelineOptions options_;
  const Remark remark_;
  std::vector<Group> open_;
};

}  // namespace nlc::workbench

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "metrics/metrics.h"
#include "runtime/log.h"
#include "runtime/result.h"
#include "runtime/trouble.h"

namespace nlc::controller {

/// Tells of writes that are refused, or undone by somebody: one of them when it begins, once a
/// minute how many there are while it lasts, and when they are taken again. However many objects
/// are concerned and however often they are tried, the log stays short.
///
/// On the executor's thread.
class WriteTroubles {
 public:
  explicit WriteTroubles(Log& log) : log_(log) {}

  /// `object`: what was to be written, such as {"node", name}.
  void refused(metrics::Queue queue, const LogField& object, const Error& error, Instant now);
  void undone(metrics::Queue queue, const LogField& object, const std::string& what, Instant now);

  /// How many writes of that queue have failed and are still wanted.
  void follow(metrics::Queue queue, std::size_t troubled, Instant now);
  /// Nothing is written here any more: that is no end of any trouble.
  void forget() { queues_ = {}; }

 private:
  struct Line {
    std::string message;
    LogField object;
    LogField why;
  };
  struct QueueTrouble {
    Trouble trouble;
    Line last;  ///< that was logged
  };
  QueueTrouble& of(metrics::Queue queue) { return queues_[static_cast<std::size_t>(queue)]; }
  void met(metrics::Queue queue, std::string_view kind, Line line, Instant now);
  void log(const Line& line, std::uint64_t others);

  Log& log_;
  std::array<QueueTrouble, metrics::queues.size()> queues_;
};

}  // namespace nlc::controller

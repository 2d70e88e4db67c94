#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "report/node_observer.h"

namespace nlc::report {

/// Notes for each machine that lost its power how long after the end of its grace each mark was
/// seen, and which machines were called Unknown though they had power. The grace counts from the
/// last heartbeat that was seen to move; of its pods the last one counts.
///
/// Fed through its observer with everything that a watcher of the cluster sees.
class SilenceBook {
 public:
  /// Of each death, once nothing more of it is to come, and of each false positive a line of
  /// JSON.
  using Write = std::function<void(const std::string& line)>;

  /// `grace`: the controller's --node-monitor-grace-period.
  SilenceBook(Duration grace, Write write);

  NodeObserver& observer() { return observer_; }

  struct Death {
    std::uint32_t pods = 0;  ///< that ran on it
    Instant at;
    WallTime wall;
  };
  void on_killed(const std::string& node, const Death& death);
  /// What is known until now is all that will be told of this death.
  void on_revived(const std::string& node, Instant now);

  /// Tells what is known of all others.
  void close();
  /// One line of JSON over everything told: count, p50, p99 and maximum of each mark.
  /// `gaps`: how often the watcher saw nothing for a while, so that what happened was seen late.
  std::string summary(std::size_t gaps = 0) const;

  /// Machines with power that were called Unknown, each once.
  std::size_t false_positives() const { return false_positives_.size(); }

 private:
  void on(const Happening& happening);
  /// When all of it was seen.
  std::optional<Instant> seen(const std::string& node, const Death& death, Moment mark) const;
  void tell(const std::string& node, const Death& death);

  const Duration grace_;
  const Write write_;
  NodeObserver observer_{[this](const Happening& happening) { on(happening); }};
  std::map<std::string, Death> open_;  ///< deaths of which more is to come
  std::set<std::string> false_positives_;
  std::size_t deaths_ = 0;
  std::array<std::vector<Duration>, marks.size()> delays_;
};

}  // namespace nlc::report

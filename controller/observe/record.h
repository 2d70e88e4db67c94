#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <string>

#include "controller/observe/matcher.h"

namespace nlc::controller::observe {

/// What was found so far, for people: all of it counted, the last of it kept. A value, of about
/// half a megabyte at most.
struct Record {
  static constexpr std::size_t findings_max = 1000;
  static constexpr std::size_t leads_max = 1000;  ///< of each kind

  struct OfKind {
    std::array<std::uint64_t, agreements.size()> counts{};
    std::deque<Duration> leads{};  ///< the last ones
    std::uint64_t count(Agreement agreement) const {
      return counts[static_cast<std::size_t>(agreement)];
    }
  };

  void add(const Finding& finding);
  const OfKind& of(ChangeKind kind) const { return kinds[static_cast<std::size_t>(kind)]; }
  std::uint64_t count(Cause cause) const { return by_cause[static_cast<std::size_t>(cause)]; }

  std::array<OfKind, change_kinds.size()> kinds{};
  std::array<std::uint64_t, causes.size()> by_cause{};
  std::map<std::string, std::uint64_t, std::less<>> by_defect{};
  std::deque<Finding> last{};    ///< the newest last
  std::size_t open = 0;          ///< stand alone, and may still be met
  std::uint64_t overlooked = 0;  ///< were too many at once to be compared
  bool observing = false;        ///< false: another replica does, or the view is not complete yet
  Instant since;                 ///< that this process observes
  Instant now;                   ///< that this is told
  WallTime wall;
};

/// As JSON: counts, leads in seconds, causes, and the last findings, the newest first.
std::string json_of(const Record& record);

}  // namespace nlc::controller::observe

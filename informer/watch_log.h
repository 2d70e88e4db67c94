#pragma once

#include <string>
#include <string_view>

#include "runtime/log.h"
#include "runtime/time.h"
#include "runtime/trouble.h"

namespace nlc::informer {

/// The beginning of what a server said, which may be as long as it likes: some 300 bytes, and no
/// character cut in two.
std::string beginning_of(std::string_view text);

/// Tells the log of what is wrong with one watch: each kind of trouble when it begins, once a
/// minute while it lasts, and its end.
class WatchLog {
 public:
  WatchLog(Log& log, std::string_view kind) : log_(log), kind_(kind) {}

  /// `reason` is one of a few.
  void interrupted(std::string_view reason, const std::string& error, Instant now);
  void resumed(Instant now) { tell_over(interrupted_, "watch resumed", now); }

  /// `part` is what of it cannot be read: "object" where its key can, else "event" or "item".
  void unreadable(std::string_view part, std::string_view problem, Instant now);
  /// Events came, and all of them could be read. Over when that is so for a minute.
  void readable_events(Instant now);
  /// A whole list came, and all of it could be read.
  void readable_list(Instant now) { tell_over(unreadable_, readable_again, now); }

 private:
  static constexpr Duration calm = std::chrono::minutes(1);
  static constexpr std::string_view readable_again = "no more objects that cannot be read";

  void tell_over(Trouble& trouble, std::string_view message, Instant now);

  Log& log_;
  const std::string kind_;
  Trouble interrupted_;
  Trouble unreadable_;
  Instant last_unreadable_;
};

}  // namespace nlc::informer

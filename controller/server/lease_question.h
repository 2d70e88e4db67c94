#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "controller/server/watch_progress.h"
#include "runtime/time.h"

namespace nlc::controller {

/// When a list of some leases is asked for, to be held against their watch: when that has said
/// nothing for a while, or goes on where another stream broke off.
///
/// Pure, on one thread.
class LeaseQuestion {
 public:
  explicit LeaseQuestion(Instant start) : answered_(start), compared_(start) {}

  /// Nothing while one is on its way. `another_time`: lists are of another time than writes.
  std::optional<Instant> next(const WatchProgress& leases, bool another_time) const;

  /// How far the watch of leases had come, and our own writes, when it was sent.
  struct Asked {
    std::string reached;
    std::uint64_t expected = 0;  ///< see `ServerVersions`
    std::uint64_t views = 0;     ///< how far nodes and pods were known
    std::uint64_t restarts = 0;
    bool opened_anew = false;  ///< the stream went on where another broke off
  };
  /// `expected`: of the list, see `ServerVersions`.
  void sent(const WatchProgress& leases, std::uint64_t expected, std::uint64_t views);
  Asked answered(Instant now, bool failed);

  bool answered_since(Instant then) const { return compared_ >= then; }
  /// The stream goes on where another broke off, and has not been compared since.
  bool opened_anew(const WatchProgress& leases) const;
  /// A list that should have shown who is silent was refused, or a list of leases was answered.
  void list_refused(Instant now);
  void list_answered() { refusals_.reset(); }

  /// The stream brings nothing, and what was asked about it was not answered, for so long that it
  /// may be held somewhere: opened anew, too, and with bookmarks. Where lists are refused for long
  /// it is believed for longer, or who died where few live would never be found.
  bool unheard(const WatchProgress& leases, Instant now) const;

 private:
  std::optional<Asked> asked_;
  Instant answered_;  ///< the last one, or it failed
  Instant compared_;  ///< the last one was answered
  struct Refusals {
    Instant first;
    Instant last = {};
  };
  std::optional<Refusals> refusals_;     ///< of lists, in a row
  std::uint64_t restarts_compared_ = 0;  ///< of the watch of leases, when it was last compared
};

}  // namespace nlc::controller

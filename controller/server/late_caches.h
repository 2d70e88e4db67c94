#pragma once

#include <cstdint>
#include <optional>

#include "runtime/time.h"

namespace nlc::controller {

/// After a restore, the caches of nodes and pods that lists and watches are answered from. One that
/// has not followed shows what was lost, and when the server's versions have passed those that were
/// lost nothing shows it any more. So where one was seen to be ahead of the server all is listed
/// once more, and ever more rarely, for half an hour.
///
/// Pure.
class LateCaches {
 public:
  /// The server went back. `again`: it has not settled since it did before. `written`: a write
  /// showed it, so that it was restored for sure; lists may go back because one of several servers
  /// is late, and all the more often the more is listed.
  void went_back(bool again, bool written);

  /// The server was at that version when it was asked, after nodes and pods were known so far: by
  /// what has been listed since it went back.
  void compare(std::uint64_t version, std::uint64_t views);
  /// The same, of a write that was sent after the one before was answered. `views`: how far nodes
  /// and pods are known now.
  void written(std::uint64_t version, std::uint64_t views);

  /// Nodes have had the time to say to the restored server how they are. True: all is to be listed
  /// once more now. Not where more lists are to come anyway: where one of several servers is late
  /// each of them may show that it went back, and so call for the next.
  bool settled(Instant now);
  /// They would have then, if it was restored: nothing but a read had shown it, and no list has
  /// borne it out. All is listed once more, whatever was seen.
  void settles_if_restored(Instant when);

  /// True: all is to be listed once more now.
  bool due(Instant now);

 private:
  struct Look {
    Instant at;
    Duration after;     ///< it comes so long after the one before it
    bool sure = false;  ///< whatever was seen
  };
  void look_later(Duration after, Instant now);

  std::optional<Look> look_;
  std::uint64_t views_before_ = 0;  ///< at the last write; 0: none since it went back
  bool ahead_ = false;              ///< one was, since then
};

}  // namespace nlc::controller

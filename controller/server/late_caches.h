#pragma once

#include <cstdint>
#include <optional>

#include "runtime/time.h"

namespace nlc::controller {

/// After a restore, the caches of nodes and pods that lists and watches are answered from. One that
/// has not followed shows what was lost, and when the server's versions have passed those that were
/// lost nothing shows it any more. So all is listed once more half a minute after nodes have
/// settled, and where one was seen to be ahead of the server ever more rarely for half an hour.
///
/// Pure.
class LateCaches {
 public:
  /// The server went back. `again`: it has not settled since it did before. `by_our_lists`: those
  /// that were asked for here showed it, as they do where one of several servers is late.
  void went_back(bool again, bool by_our_lists);

  /// The server was at that version when it was asked, after nodes and pods were known so far: by
  /// what has been listed since it went back.
  void compare(std::uint64_t version, std::uint64_t views);
  /// All has been listed; nodes and pods are known so far now.
  void listed(std::uint64_t views, Instant now) { known_ = {.views = views, .since = now}; }
  /// The server took a write at that version; 0: it says nothing of caches. `views` as above.
  void written(std::uint64_t version, Instant sent, std::uint64_t views, Instant now);

  /// Nodes have had the time to say to the restored server how they are. True: all is to be listed
  /// once more now, and then ever more rarely. Not where that goes on already: each of these lists
  /// would call for the next.
  bool settled(Instant now);
  /// Nodes will have had that time at `when`, if the server was restored: nothing but a read had
  /// shown that, and no list has borne it out. All is listed once more, whatever was seen.
  void settles_if_restored(Instant when);
  /// That moment has not come, and nothing has borne a restore out yet.
  bool may_be_restored() const { return look_ && look_->sure; }

  /// True: all is to be listed once more now.
  bool due(Instant now);

 private:
  struct Look {
    Instant at;
    Duration after;     ///< it comes so long after the one before it
    bool sure = false;  ///< whatever was seen
  };
  /// How far nodes and pods are known, of what has been listed since the server went back.
  struct Known {
    std::uint64_t views = 0;
    Instant since = Instant::min();
  };
  void look_later(Duration after, Instant now);

  std::optional<Look> look_;
  Known known_;           ///< at the last write, or when all was listed
  bool ahead_ = false;    ///< one was, since then
  bool goes_on_ = false;  ///< what was listed here showed that it went back
};

}  // namespace nlc::controller

#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "controller/server/late_caches.h"
#include "controller/server/watch_progress.h"
#include "runtime/time.h"

namespace nlc::controller {

/// What the resourceVersions of its answers tell of an API server: that it went back in time,
/// because etcd was restored from a backup, or that its lists are of another time than its writes,
/// because one server of several does not follow. Of either, silence of nodes proves nothing.
///
/// Pure. Versions are compared only within leases: other resources may lie in an etcd of their own.
class ServerVersions {
 public:
  /// How often each collection has been listed to its end; one that nobody watches stays at 0.
  using Lists = PerWatch<std::uint64_t>;

  /// What shows that the server went back. What a read shows may have been told by one late server,
  /// and is over when lists show nothing of the kind.
  enum class Evidence { Read, List, Write };

  /// An answer is older than what had been seen. True: everything is to be listed anew.
  bool went_back(const std::string& how, Evidence evidence, const Lists& complete);
  /// A read showed an object in an older version than had been seen: `how` names it and both. If it
  /// still does when all has been listed, the cache that lists are answered from does not follow:
  /// from then on no read shows that the server went back, until something else does. Its
  /// collection alone is listed once a minute, for when that cache follows.
  enum class ToList { Nothing, ItsCollection, All };
  ToList read_of_the_past(const std::string& how, const Lists& complete, Instant now);

  /// What has become of that. Listed: the view is the server's again. Again: everything has been
  /// listed, but it went back once more when some of it had been, or some of it was listed while
  /// lists were of another time. Settled: kubelets have had the time to say to the restored server
  /// how they are; or would have, if it was restored, where nothing but a read had shown it.
  /// Meanwhile it may have been restored once more: all is listed anew, and again where
  /// `LateCaches` ask for it, which may do without it now.
  enum class Recovery { None, Listed, Again, Settled, SettledBetweenLists };
  Recovery follow(const Lists& complete, Instant now);

  /// The server went back, and has not been listed since.
  bool view_is_old() const { return rewind_ && !rewind_->listed; }
  /// The same of one collection.
  bool is_view_old(Watched what, const Lists& complete) const;
  /// When the time to settle ends, if it has begun.
  std::optional<Instant> settles_at() const;
  /// So long the lists that `Settled` asked for are waited for: what is known may be of before a
  /// second restore until they have come. In the past where they have, and where such lists showed
  /// that the server went back: one of several may be late, and shows that each time.
  Instant awaits_lists_until() const;
  /// How it was noticed that the server went back; empty when nothing of it is left.
  std::string how() const { return rewind_ ? rewind_->how : std::string(); }

  /// What we write beside nodes' leases: the leader's lock, and the probe's lease.
  enum class Ours : std::uint8_t { Lock, Probe };
  /// The server took a write of that lease, or showed one, at this version; the last that it took
  /// was sent then. True: it is older than the one before. `views`: how far nodes and pods are
  /// known now, by views that are not old. Nodes and pods may lie in another etcd than leases, so
  /// that only a restore of ours makes anything of it.
  bool lease_written(Ours lease, std::string_view version, std::uint64_t views, Instant sent,
                     Instant now);
  /// All has been listed, as `follow` said, and nodes and pods are known so far.
  void view_renewed(std::uint64_t views, Instant now) { caches_.listed(views, now); }
  /// The server told its version when it was asked after nodes and pods were known so far.
  void compare_views(std::uint64_t version, std::uint64_t views) {
    caches_.compare(version, views);
  }
  /// What a list of leases that is asked for now must not be older than; 0: nobody knows.
  std::uint64_t expected_of_lists(Instant now) const;
  /// A list that is asked for now, and is not older than that, is of a moment ago.
  bool dates_lists(Instant now) const;
  /// A list of leases was answered at `version`. True: it is of another time: older than was
  /// `expected` of it, or one at this version was ahead of what was written after it, or lists
  /// were, and no write has borne one out since.
  bool leases_listed(std::string_view version, std::uint64_t expected, Instant now);
  /// The last list of leases was of another time. For as long as one is asked for every few
  /// seconds.
  bool lists_another_time(Instant now) const;
  /// A list was older than a write of ours: of a server that is late, or that was restored and may
  /// have come as far again by the next list. A write that was sent since tells which, while the
  /// one before counts.
  bool awaits_write(Instant now) const { return contradicted_ && expected_of_lists(now) != 0; }

  /// No node is to be judged silent, nor any pod evicted, by what this server says.
  bool doubtful(Instant now) const { return rewind_ || lists_another_time(now); }

 private:
  struct Rewind {
    std::string how;
    Lists before;                              ///< complete when it was noticed
    bool borne_out = false;                    ///< by more than a read
    bool once_more = false;                    ///< it went back after some list was complete
    std::optional<Instant> listed = {};        ///< everything was, since then
    std::optional<Instant> settles_from = {};  ///< for one before, which a list had borne out
  };
  bool listed_of_another_time(const Lists& complete, Instant now);

  std::optional<Rewind> rewind_;
  std::set<std::string, std::less<>> read_;  ///< of the past, since anything else showed it
  std::optional<Instant> stayed_ahead_;      ///< lists of what is read, when one was asked for
  LateCaches caches_;
  std::optional<Lists> asked_for_;  ///< complete when all was to be listed once more; since then
  Instant awaits_until_ = Instant::min();  ///< those; in the past where they are not waited for
  std::uint64_t written_ = 0;              ///< the version of our last lease write; 0: none
  Instant written_at_ = Instant::min();
  /// The last write of one of our leases.
  struct LeaseWrite {
    std::uint64_t version = 0;
    Instant acknowledged = Instant::min();
  };
  std::array<LeaseWrite, 2> of_each_;    ///< by `Ours`
  std::uint64_t listed_ = 0;             ///< the version of the last list of leases; 0: none
  std::uint64_t listed_before_ = 0;      ///< the same when a lease was last written
  bool ahead_ = false;                   ///< that one was, of a write after it
  std::uint64_t newest_ahead_ = 0;       ///< of those that were; 0: none
  std::optional<Instant> contradicted_;  ///< a write of ours first was, by a list
  std::optional<Instant> another_time_;  ///< when lists last showed one, unless they no longer do
  std::optional<Lists> before_another_time_;  ///< complete when that began, or before
};

}  // namespace nlc::controller

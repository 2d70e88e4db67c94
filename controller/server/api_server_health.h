#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/decode.h"
#include "api/lease.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"
#include "controller/server/server_versions.h"
#include "controller/server/stream_check.h"
#include "controller/server/unwitnessed_reads.h"
#include "controller/server/write_probe.h"
#include "runtime/result.h"

namespace nlc::controller {

/// How one watch stands. One that is not kept has never listed anything.
struct WatchProgress {
  std::string_view version;    ///< how far it has come; empty before its first list is complete
  std::uint64_t applied = 0;   ///< changes that it has brought
  std::uint64_t lists = 0;     ///< complete ones
  std::uint64_t rewinds = 0;   ///< lists that were older than what had been seen
  std::uint64_t restarts = 0;  ///< streams and lists that were left, for whatever reason
  std::uint64_t restarts_at_list = 0;  ///< how many there were at the end of the last list
  Instant last_heard;
  bool synced = false;
  bool open = false;  ///< its stream is, and was accepted
};

enum class Watched : std::uint8_t { Nodes, Leases, Pods };
inline constexpr std::array all_watched{Watched::Nodes, Watched::Leases, Watched::Pods};
/// As metrics and logs name it: "nodes".
std::string_view name_of(Watched what);

/// The watches that the view of the cluster comes by, borrowed as the view is.
class Watches {
 public:
  virtual ~Watches() = default;
  virtual WatchProgress progress(Watched what) const = 0;
};

using LeasePage = api::ListPage<api::NodeLease>;

/// What is known of the API server, and so how far what it says can be believed: whether it takes
/// writes, whether its watches are behind, whether it went back in time. Silence of nodes proves
/// nothing, and no pod is evicted, while that is in doubt.
///
/// Pure: what was observed goes in; when to probe and to question it, what to list anew, and what
/// is held, come out. On one thread.
class ApiServerHealth {
 public:
  struct Options {
    Duration blind_after{0};
    Duration probe_after{0};     ///< without any proof a write of our own is made
    bool follows_leases = true;  ///< nodes are judged
    bool probes = false;         ///< somebody performs what `next_probe` asks for
  };
  ApiServerHealth(View view, const Watches& watches, const Options& options, Instant start);

  /// The time in which the server took writes. Whoever hears of a write that it took proves it.
  ApiAvailability& availability() { return availability_; }
  const ApiAvailability& availability() const { return availability_; }

  /// A lease of ours was written, and has this version now; empty where the lock is no Lease.
  void lease_written(const std::string& version, Instant now);
  /// A read showed the leader's lock, of whatever kind, as it was before.
  void lock_went_back();

  /// Leases of nodes that say Ready, in the first lists: renewed in the moments before, or not.
  struct FirstLeases {
    std::size_t fresh = 0;
    std::size_t old = 0;
  };
  /// The first lists are complete.
  void view_synced(const FirstLeases& leases);
  /// The watches have come so far. Before anything is decided on.
  void follow(Instant now);

  /// Decisions are performed from now on, or withheld.
  void lead(bool leading);

  // --- the probe: a write that means nothing

  /// When it is to be made; nothing while one is on its way, or nobody makes any. A standby makes
  /// none: it judges nobody, and sees what the leader writes.
  std::optional<Instant> next_probe() const;
  void probe_sent();
  void probe_answered(const Result<WriteProbe::Written>& written, Instant now);

  // --- the question: a list of some leases, which is held against their watch

  std::optional<Instant> next_question(Instant now) const;
  void question_sent(Instant now);
  void question_answered(const Result<LeasePage>& page, Instant now);

  // --- what was answered besides

  /// A node, pod or lease was answered directly at this version; its watch has to bring it as well.
  void shown(Watched what, std::string_view version, Instant now);
  /// A node that its watch shows was not found. If it still is not when a deletion would long have
  /// come, the watch has told of one that was gone before: nodes are listed anew.
  void node_missing(const std::string& uid, Instant now);
  /// All leases are being listed, to find out who is silent.
  void leases_asked(Instant now) { leases_expected_ = versions_.expected_of_lists(now); }
  /// They were, at `version`; empty where each was read by itself. False: what was found is of
  /// another time, and only what is newer than what is known counts.
  bool leases_found(const std::vector<api::NodeLease>& leases, const std::string& version,
                    Instant now);
  /// Something stands behind a read of leases that is answered now: the stream that is open, and
  /// would have shown what was renewed before it.
  bool stream_is_witness() const;
  /// Nothing does: it is kept until it is ordered to be judged by, or not to be.
  void keep(UnwitnessedReads::Read read);
  /// Some object was answered in an older version than had been seen.
  void went_back(const std::string& how,
                 ServerVersions::Evidence evidence = ServerVersions::Evidence::Read);

  // --- what follows

  /// What is to be done, since the last call.
  struct Orders {
    bool list_anew = false;           ///< all: the server went back in time, or may have
    std::vector<Watched> begin_anew;  ///< those that stalled
    bool hurry = false;               ///< the server was heard: nobody waits any longer
    bool view_renewed = false;        ///< it went back, and all has been listed since
    bool monitor_pass = false;        ///< a doubt is over: nodes can be judged again
    std::vector<UnwitnessedReads::Read> borne_out = {};  ///< of those that were kept
    std::vector<UnwitnessedReads::Read> of_no_use = {};  ///< they may show what is long past
  };
  Orders take_orders() { return std::exchange(orders_, {}); }

  /// No node is to be judged silent, nor any pod evicted.
  bool doubtful(Instant now) const { return versions_.doubtful(now); }
  /// Who has just begun to lead beside a lock that dates no list has yet to hear of its probe, or
  /// heard that it read of the past: nobody's lease is read.
  bool undated() const { return undated_; }
  /// The server went back, and has not been listed since: nothing is written.
  bool view_is_old() const { return versions_.view_is_old(); }
  /// No pod is to be evicted for what is known of its node: it may be of before the server was
  /// back.
  bool unsettled(Instant now) const {
    return availability_.blind(now) || !availability_.settled(now);
  }
  /// When such a doubt ends by itself.
  std::optional<Instant> settles_at(Instant now) const;

  // Why, for people; empty where there is nothing.
  std::string paused(Instant now) const;
  const std::string& stalled() const { return stalled_; }
  std::string rewound() const { return versions_.how(); }

  static constexpr std::string_view lists_of_another_time =
      "the API server's lists of leases are of another time than its writes";

 private:
  /// How far the watch of leases had come, and our own writes, when the question was sent.
  struct Question {
    std::string reached;
    std::uint64_t expected = 0;
    std::uint64_t restarts = 0;
  };
  bool dates_by_probe() const;
  void compare(const std::vector<api::NodeLease>& leases);
  void order(std::vector<UnwitnessedReads::Read> reads,
             std::vector<UnwitnessedReads::Read> Orders::*what);
  void follow_rewinds(Instant now);
  void follow_gaps();
  StreamCheck& check_of(Watched what) { return checks_[static_cast<std::size_t>(what)]; }
  ServerVersions::Lists lists() const;

  const View view_;
  const Watches& watches_;
  const Options options_;
  ApiAvailability availability_;
  ServerVersions versions_;
  std::array<StreamCheck, all_watched.size()> checks_;
  std::uint64_t rewinds_seen_ = 0;
  Duration gaps_seen_{0};
  Instant proof_seen_ = Instant::min();
  std::uint64_t restarts_at_proof_ = 0;  ///< of all watches, when the server was last seen well
  std::uint64_t leases_expected_ = 0;    ///< of the list of leases that is being read
  Instant dated_;                        ///< when a lease of ours was last written
  bool lock_is_no_lease_ = false;
  bool leading_ = false;
  bool undated_ = false;
  UnwitnessedReads unwitnessed_;
  bool probing_ = false;
  std::string probe_follows_;  ///< how far the watch of leases had come when it was sent
  Instant probe_again_;
  std::string probe_refused_;  ///< why the last probe was
  std::optional<Question> question_;
  Instant questioned_;                     ///< the last answer to one
  std::uint64_t restarts_questioned_ = 0;  ///< of the watch of leases, when it was last compared
  std::string stalled_;
  std::map<std::string, Instant> missing_;  ///< uids of nodes that were not found, and since when
  Orders orders_;
};

}  // namespace nlc::controller

#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/decode.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"
#include "controller/server/gap_check.h"
#include "controller/server/lease_gaps.h"
#include "controller/server/lease_question.h"
#include "controller/server/probe_schedule.h"
#include "controller/server/restore_wait.h"
#include "controller/server/server_versions.h"
#include "controller/server/standstill.h"
#include "controller/server/stream_check.h"
#include "controller/server/unwitnessed_reads.h"
#include "controller/server/watch_progress.h"
#include "controller/server/write_probe.h"
#include "runtime/result.h"

namespace nlc::controller {

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

  /// The server took a write of the lock, by whomever, which has this version now; empty where it
  /// is no Lease. The last write that the server acknowledged was sent at `sent`.
  void lease_written(const std::string& version, Instant sent, Instant now) {
    lease_written(ServerVersions::Ours::Lock, version, sent, now);
  }

  /// Leases of nodes that say Ready: renewed in the moments before, or not. And nodes that a
  /// controller of this kind called Unknown, or whose kubelets said that they are not ready.
  struct FirstLists {
    std::size_t fresh_leases = 0;
    std::size_t old_leases = 0;
    std::size_t unknown_nodes = 0;
    std::size_t not_ready_nodes = 0;
  };
  /// The first lists are complete.
  void view_synced(const FirstLists& lists, Instant now);
  /// The watches have come so far. Before anything is decided on.
  void follow(Instant now);

  /// Decisions are performed from now on, or withheld.
  void lead(bool leading);

  // --- the probe: a write that means nothing

  std::optional<Instant> next_probe(Instant now) const;
  void probe_sent() { probes_.sent(watches_.progress(Watched::Leases).version); }
  void probe_answered(const Result<WriteProbe::Written>& written, Instant now);

  // --- the question: a list of some leases, which is held against their watch

  std::optional<Instant> next_question(Instant now) const;
  void question_sent(Instant now);
  void question_answered(const Result<LeasePage>& page, Instant now);

  // --- what was answered besides

  /// A node, pod or lease was answered directly at this version; its watch has to bring it as well.
  void shown(Watched what, std::string_view version, Instant now);
  /// What a list of leases that is asked for now must not be older than, see `ServerVersions`.
  std::uint64_t expected_of_lists(Instant now) const { return versions_.expected_of_lists(now); }
  /// Leases were read, to find out who is silent, at `version` of a list; empty where each was read
  /// by itself. False: what was found is of another time, or may be, and only what is newer than
  /// what is known counts.
  bool leases_found(const ReadLeases& asked, const std::vector<api::NodeLease>& leases,
                    const std::string& version, Instant now);
  /// Leases could not be read. A server whose lists come too late may have watches that do as well.
  void leases_unread(const ReadLeases& asked, Fault fault, Instant now) {
    const bool in_lists_alone = !asked.dated_by_stream() && !dates_single_reads(now);
    if (in_lists_alone && fault != Fault::Timeout) question_.list_refused(now);
  }
  /// A list of leases that no stream is a witness of: it is kept until it is ordered to be judged
  /// by, or not to be.
  void keep(UnwitnessedReads::Read read);
  /// The server could not go on with the history of the operator's ConfigMap, so often.
  void policy_expired(std::uint64_t times) { restore_wait_.policy_expired(times); }
  /// Some object was answered in an older version than had been seen.
  void went_back(const std::string& how,
                 ServerVersions::Evidence evidence = ServerVersions::Evidence::Read);
  /// The same, of one that was read: `how` names it and both versions.
  void read_of_the_past(Watched what, const std::string& how, Instant now);

  // --- what follows

  /// What is to be done, since the last call.
  struct Orders {
    bool list_anew = false;           ///< all: the server went back in time, or may have
    std::vector<Watched> begin_anew;  ///< those that stalled
    bool hurry = false;               ///< the server was heard: nobody waits any longer
    bool view_renewed = false;        ///< it went back, and all has been listed since
    bool leases_listed = false;       ///< a read contradicted them, and they have been since
    bool monitor_pass = false;        ///< a doubt is over: nodes can be judged again
    std::vector<UnwitnessedReads::Read> decided = {};    ///< borne out, or too old to count
    std::vector<UnwitnessedReads::Read> of_no_use = {};  ///< they may show what is long past
  };
  Orders take_orders() { return std::exchange(orders_, {}); }

  /// No node is to be judged silent, nor any pod evicted.
  bool doubtful(Instant now) const { return versions_.doubtful(now); }
  /// Whether the watch of leases shows that a lease which is read by itself is not an old one; the
  /// lease's own version cannot. It does not while it is behind, or may well be.
  bool dates_single_reads(Instant now) const {
    return watches_.stream_is_witness() && !stream_checks_.leases.stalled() &&
           !question_.unheard(watches_.progress(Watched::Leases), now);
  }
  /// Nothing shows yet how old an answer is, so no lease is read. Without a watch it takes a write
  /// of ours of a moment ago.
  bool undated(Instant now) const {
    return probes_.undated() || (!dates_single_reads(now) && !versions_.dates_lists(now));
  }
  /// Renewals of leases may have been lost while no watch of them was open. Nobody is judged, not
  /// even by a read, before every node that lives has renewed its lease again.
  bool gap_unsettled(Instant now) const { return gap_settles_at(now).has_value(); }
  std::optional<Instant> gap_settles_at(Instant now) const { return gaps_.settles_at(now); }
  /// The server went back, and has not been listed since: nothing is written.
  bool view_is_old() const { return versions_.view_is_old(); }
  /// No pod is to be evicted for what is known of its node: that may be older than the server's
  /// return.
  bool unsettled(Instant now) const {
    return availability_.blind(now) || !availability_.settled(now) || may_be_restored(now);
  }
  /// No node is to be evicted: the server may have been restored, and show nodes as they were.
  bool was_away(Instant now) const {
    return availability_.blind(now) || !availability_.settled_after_gap(now);
  }
  /// When that ends, as far as anybody knows.
  std::optional<Instant> was_away_until(Instant now) const;
  /// Whether `unsettled` waits because the server may have been restored from a backup; and whether
  /// it does so for a watch that is closed.
  bool may_be_restored(Instant now) const {
    return restore_wait_.waits(now) || now < versions_.awaits_lists_until();
  }
  bool awaits_stream(Instant now) const { return restore_wait_.awaits_stream(now); }
  /// When the next such doubt ends by itself, and when the last of them does; nothing where there
  /// is none, or where nobody knows.
  std::optional<Instant> settles_next(Instant now) const;
  std::optional<Instant> settles_at(Instant now) const;

  /// What the server tells now is new. One that went back, or was away, tells old things as if they
  /// were.
  bool shows_the_present(Instant now) const {
    return !doubtful(now) && !unsettled(now) && stalled_.empty();
  }

  /// Why, for people; each empty where there is nothing.
  struct Doubts {
    std::string paused;   ///< no silence of nodes counts
    std::string rewound;  ///< the server went back in time
    std::string stalled;  ///< a watch is behind
  };
  Doubts doubts(Instant now) const;

  static constexpr std::string_view lists_of_another_time =
      "the API server's lists of leases are of another time than its writes";

 private:
  void lease_written(ServerVersions::Ours lease, const std::string& version, Instant sent,
                     Instant now);
  void list_all_anew();
  void behind_the_watch(const std::string& version, const std::string& how,
                        ServerVersions::Evidence evidence);
  std::uint64_t views() const;
  bool lists_of_the_past(const std::string& version, std::uint64_t expected, Instant now);
  void drop_doubted(Instant now);
  void compare(const std::vector<api::NodeLease>& leases, std::string_view version);
  void follow_rewinds(Instant now);
  void follow_leases(const WatchProgress& leases, Instant now);
  void tell_what_is_shown(bool at_once, Instant now);
  void follow_gaps(Instant now);
  void follow_streams();
  std::array<std::optional<Instant>, 4> ends_of_doubts(Instant now) const;
  bool lists_are_answered(const WatchProgress& leases, Instant since) const;

  const View view_;
  const Watches& watches_;
  const Options options_;
  ApiAvailability availability_;
  ServerVersions versions_;
  GapCheck gap_check_;
  std::optional<Instant> unlisted_since_;  ///< the first write, while lists are refused
  /// So often had leases been listed when a read contradicted them for which they are listed anew.
  std::optional<std::uint64_t> leases_contradicted_;
  PerWatch<StreamCheck> stream_checks_;
  ProbeSchedule probes_;
  LeaseQuestion question_;
  LeaseGaps gaps_;
  Standstill standstill_;
  Instant leases_shown_;  ///< up to then
  std::uint64_t leases_listed_ = 0;
  /// What was listed when nobody answered what was asked about a stream that had been opened anew.
  std::optional<ServerVersions::Lists> unanswered_;
  UnwitnessedReads unwitnessed_;
  std::uint64_t rewinds_seen_ = 0;
  Instant relisted_ = Instant::min();  ///< after a restore that more than a read had shown
  RestoreWait restore_wait_;
  std::string stalled_;
  bool gap_was_unsettled_ = false;  ///< when it was last followed
  bool dated_single_reads_ = true;  ///< the same
  Orders orders_;
};

}  // namespace nlc::controller

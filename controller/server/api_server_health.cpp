#include "controller/server/api_server_health.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/version.h"
#include "runtime/earlier.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

using api::older_version;

StreamCheck::Progress shown_by(const WatchProgress& watch) {
  return {.version = watch.version, .applied = watch.applied, .lists = watch.lists};
}

ServerVersions::Lists lists_of(const Watches& watches) {
  ServerVersions::Lists lists;
  for (const Watched what : all_watched) lists[what] = watches.progress(what).lists;
  return lists;
}

/// All, or it is being listed: a list that is under way must come to its end.
bool listed_since(const ServerVersions::Lists& before, const Watches& watches) {
  return std::ranges::all_of(all_watched, [&](Watched what) {
    const WatchProgress watch = watches.progress(what);
    return watch.lists > before[what] || watch.version.empty();
  });
}

using Reads = std::vector<UnwitnessedReads::Read>;

void append(Reads more, Reads& to) { std::ranges::move(more, std::back_inserter(to)); }

}  // namespace

ApiServerHealth::ApiServerHealth(View view, const Watches& watches, const Options& options,
                                 Instant start)
    : view_(view),
      watches_(watches),
      options_(options),
      availability_(options.blind_after, start),
      probes_({.after = options.probe_after,
               .probes = options.probes,
               .dates_lists = options.follows_leases},
              start),
      question_(start),
      leases_shown_(start),
      restore_wait_(watches, availability_, start) {}

// --- proofs -------------------------------------------------------------------------------------

void ApiServerHealth::lease_written(ServerVersions::Ours lease, const std::string& version,
                                    Instant sent, Instant now) {
  probes_.lease_written(version, now);
  if (probes_.leading() && undated(now)) orders_.monitor_pass = true;
  if (!version.empty()) {
    availability_.prove(now);
    if (gap_check_.written(watches_, sent, now)) unlisted_since_ = now;
    if (versions_.lease_written(lease, version, views(), sent, now)) {
      went_back("a lease of ours was written at version " + version + ", older than before",
                ServerVersions::Evidence::Write);
    }
  }
  drop_doubted(now);
  follow_gaps(now);
  append(unwitnessed_.take_old(now), orders_.decided);
  if (probes_.leading() && !gap_unsettled(now)) {
    append(unwitnessed_.take_answered_before(sent), orders_.decided);
  }
  orders_.hurry = true;
}

/// Where somebody else led meanwhile, what was written since was perhaps written by him.
void ApiServerHealth::lead(bool leading) {
  probes_.lead(leading);
  if (!leading) append(unwitnessed_.take_all(), orders_.of_no_use);
}

/// Where leases were not renewed in the moments before this process came, the server may have just
/// come back, perhaps with a backup: its nodes have yet to say how they are. One in ten may have
/// died. A backup of seconds ago looks like the present, and a node that is not Ready in it may
/// have been: whoever lives says so before any of them loses its pods.
void ApiServerHealth::view_synced(const FirstLists& lists, Instant now) {
  if (planted("first-leases-believed")) return;
  const bool may_live = lists.fresh_leases > 0 || !options_.follows_leases;
  const bool may_be_back = lists.unknown_nodes > 0 && may_live;
  if (lists.old_leases > lists.fresh_leases / 10 || may_be_back) availability_.doubt();
  if (lists.not_ready_nodes > 0 && may_live) availability_.resume(now);
}

void ApiServerHealth::probe_answered(const Result<WriteProbe::Written>& written, Instant now) {
  if (probes_.answered(written, now)) orders_.monitor_pass = true;
  if (!written) return;
  // What was written before all was listed for a restore was perhaps lost by that one.
  if (written->went_back && written->before >= relisted_) {
    went_back(
        "a read showed the probe's lease as it was before our last write",
        written->borne_out ? ServerVersions::Evidence::Write : ServerVersions::Evidence::Read);
  }
  if (older_version(written->version, probes_.leases_reached())) {
    behind_the_watch(written->version,
                     "the probe's lease was written at version " + written->version +
                         " and leases were watched to " + probes_.leases_reached(),
                     ServerVersions::Evidence::Write);
  }
  lease_written(ServerVersions::Ours::Probe, written->version, written->sent, now);
}

/// Where lists decide who is silent they are to be dated, and what they are held against is to be
/// of a moment ago.
std::optional<Instant> ApiServerHealth::next_probe(Instant now) const {
  const bool awaited = !unwitnessed_.empty() || gap_check_.awaits_write(watches_, now) ||
                       versions_.awaits_write(now);
  const bool lists_decide = !dates_single_reads(now) || versions_.lists_another_time(now);
  return probes_.next(availability_.last_proof(),
                      {.awaited = awaited, .lists_decide = lists_decide});
}

// --- the server's time --------------------------------------------------------------------------

std::optional<Instant> ApiServerHealth::next_question(Instant now) const {
  if (!options_.follows_leases) return std::nullopt;
  return question_.next(watches_.progress(Watched::Leases), versions_.lists_another_time(now));
}

void ApiServerHealth::question_sent(Instant now) {
  question_.sent(watches_.progress(Watched::Leases), versions_.expected_of_lists(now), views());
}

/// How far nodes and pods are known: one that is to be listed anew is ahead of a restored server,
/// and says nothing of its cache.
std::uint64_t ApiServerHealth::views() const {
  const ServerVersions::Lists complete = lists_of(watches_);
  const auto reached = [&](Watched what) {
    return versions_.is_view_old(what, complete)
               ? 0
               : api::version_number(watches_.progress(what).version);
  };
  return std::max(reached(Watched::Nodes), reached(Watched::Pods));
}

/// An answer that comes long after a stream was opened anew tells of no restore: whoever lives has
/// renewed his lease since, and the versions that were lost are given again. Where the server is
/// known to have gone back all is listed once more anyway, when nodes have settled.
void ApiServerHealth::question_answered(const Result<LeasePage>& page, Instant now) {
  const LeaseQuestion::Asked asked = question_.answered(now, !page);
  if (!page) {
    if (asked.opened_anew && !unanswered_) unanswered_ = lists_of(watches_);
    return;
  }
  const std::optional<ServerVersions::Lists> unanswered = std::exchange(unanswered_, std::nullopt);
  const bool doubted = versions_.lists_another_time(now);
  versions_.compare_views(api::version_number(page->resource_version), asked.views);
  if (lists_of_the_past(page->resource_version, asked.expected, now)) return;
  if (doubted) orders_.monitor_pass = true;
  if (!asked.reached.empty() && older_version(page->resource_version, asked.reached)) {
    return behind_the_watch(
        page->resource_version,
        "the API server is at version " + page->resource_version + " and was at " + asked.reached,
        ServerVersions::Evidence::Read);
  }
  compare(page->items, page->resource_version);
  const bool late = unanswered && !listed_since(*unanswered, watches_);
  if (late && !versions_.doubtful(now)) orders_.list_anew = true;
  orders_.hurry = true;
}

/// A watch of leases that is ahead of the server brings nothing before that has come as far again.
/// Where all is being listed for an earlier restore leases may have been listed already, and would
/// wait for all others to be.
void ApiServerHealth::behind_the_watch(const std::string& version, const std::string& how,
                                       ServerVersions::Evidence evidence) {
  went_back(how, evidence);
  const bool is_ahead = older_version(version, watches_.progress(Watched::Leases).version);
  if (is_ahead && view_is_old()) orders_.begin_anew.push_back(Watched::Leases);
}

bool ApiServerHealth::leases_found(const ReadLeases& asked,
                                   const std::vector<api::NodeLease>& leases,
                                   const std::string& version, Instant now) {
  const bool late = version.empty() ? versions_.lists_another_time(now)
                                    : lists_of_the_past(version, asked.expected, now);
  if (!version.empty()) question_.list_answered();
  if (!late) compare(leases, version);
  follow_gaps(now);
  const bool dated = !version.empty() || dates_single_reads(now);
  return !late && dated && !gap_unsettled(now);
}

/// A list of leases was answered, see `ServerVersions`.
bool ApiServerHealth::lists_of_the_past(const std::string& version, std::uint64_t expected,
                                        Instant now) {
  const bool another_time = versions_.leases_listed(version, expected, now);
  if (another_time) tell_what_is_shown(false, now);
  drop_doubted(now);
  return another_time;
}

/// Lists are of another time: so may those be that wait for a write, which shows that the server
/// was not restored, and not of what time they are.
void ApiServerHealth::drop_doubted(Instant now) {
  if (versions_.lists_another_time(now)) append(unwitnessed_.take_all(), orders_.of_no_use);
}

void ApiServerHealth::keep(UnwitnessedReads::Read read) {
  if (probes_.leading()) return unwitnessed_.keep(std::move(read));
  orders_.of_no_use.push_back(std::move(read));
}

void ApiServerHealth::went_back(const std::string& how, ServerVersions::Evidence evidence) {
  if (versions_.went_back(how, evidence, lists_of(watches_))) list_all_anew();
}

void ApiServerHealth::read_of_the_past(Watched what, const std::string& how, Instant now) {
  using enum ServerVersions::ToList;
  const ServerVersions::ToList to_list = versions_.read_of_the_past(how, lists_of(watches_), now);
  if (to_list == All) list_all_anew();
  if (to_list != ItsCollection) return;
  orders_.begin_anew.push_back(what);
  if (what == Watched::Leases) leases_contradicted_ = watches_.progress(what).lists;
}

void ApiServerHealth::list_all_anew() {
  for (const Watched what : all_watched) stream_checks_[what].forget();
  orders_.list_anew = true;
  append(unwitnessed_.take_all(), orders_.of_no_use);
}

/// What was remembered of heartbeats stays.
void ApiServerHealth::follow_rewinds(Instant now) {
  std::uint64_t seen = 0;
  for (const Watched what : all_watched) seen += watches_.progress(what).rewinds;
  if (std::exchange(rewinds_seen_, seen) != seen) {
    went_back("a list is older than what was seen", ServerVersions::Evidence::List);
  }
  const ServerVersions::Recovery recovery = versions_.follow(lists_of(watches_), now);
  if (recovery == ServerVersions::Recovery::Listed) {
    orders_.view_renewed = true;
    if (versions_.settles_at()) relisted_ = now;
    versions_.view_renewed(views(), now);
    restore_wait_.listed_anew(now);
    // It may have gone back once more before that.
    for (const Watched what : all_watched) stream_checks_[what].forget();
  }
  if (recovery == ServerVersions::Recovery::Again) orders_.list_anew = true;
  if (recovery != ServerVersions::Recovery::None) orders_.monitor_pass = true;
  // Meanwhile it may have gone back to where it had gone before: versions that watches had passed
  // were given a second time, and nothing shows it.
  const bool settled = recovery == ServerVersions::Recovery::Settled;
  if (settled && !planted("listed-once-after-restore")) orders_.list_anew = true;
}

// --- watches ------------------------------------------------------------------------------------

void ApiServerHealth::follow(Instant now) {
  follow_rewinds(now);
  const GapCheck::History history =
      restore_wait_.follow_history(now) ? GapCheck::History::Ended : GapCheck::History::GoesOn;
  if (gap_check_.follow(watches_, availability_, history, now)) orders_.list_anew = true;
  const WatchProgress leases = watches_.progress(Watched::Leases);
  if (unlisted_since_ && lists_are_answered(leases, *unlisted_since_)) {
    unlisted_since_.reset();
    orders_.list_anew = true;
  }
  standstill_.ends(now);
  follow_leases(leases, now);
  follow_gaps(now);
  const bool unsettled = gap_unsettled(now);
  if (std::exchange(gap_was_unsettled_, unsettled) && !unsettled) orders_.monitor_pass = true;
  append(unwitnessed_.take_old(now), orders_.decided);
  const bool compared = !unsettled && !question_.opened_anew(leases);
  const bool dates = dates_single_reads(now);
  if (compared && dates) append(unwitnessed_.take_all(), orders_.decided);
  if (!std::exchange(dated_single_reads_, dates) && dates) orders_.monitor_pass = true;
  follow_streams();
  restore_wait_.follow(now);
}

/// Who lists anew lets go of what he watches: not while lists are refused.
bool ApiServerHealth::lists_are_answered(const WatchProgress& leases, Instant since) const {
  if (!options_.follows_leases) return true;  // nobody asks for one
  return leases.open ? !question_.opened_anew(leases) : question_.answered_since(since);
}

/// What waited while this process stood still, and what a list shows, may have been written at any
/// time since leases were last followed: that the server took it then proves nothing of now.
void ApiServerHealth::follow_leases(const WatchProgress& leases, Instant now) {
  const bool at_once = leases.open && !leases.version.empty() && !standstill_.ended_lately(now);
  const bool listed = std::exchange(leases_listed_, leases.lists) != leases.lists;
  const bool of_now = !versions_.lists_another_time(now);
  if (of_now && (at_once || listed)) leases_shown_ = now;
  if (leases_contradicted_ && leases.lists > *leases_contradicted_) {
    leases_contradicted_.reset();
    orders_.leases_listed = true;
  }
  tell_what_is_shown(at_once, now);
}

/// While lists are of another time nobody knows of what time it is what they and streams show.
void ApiServerHealth::tell_what_is_shown(bool at_once, Instant now) {
  using Shown = ApiAvailability::Shown;
  Shown shown = at_once ? Shown::AtOnce : Shown::InLists;
  if (versions_.lists_another_time(now)) shown = Shown::OfAnotherTime;
  availability_.heartbeats_shown(leases_shown_, shown);
}

/// An answer may come before anybody looks: a stream that was opened a moment ago shows nothing of
/// what was lost before.
void ApiServerHealth::follow_gaps(Instant now) {
  const std::uint64_t others =
      watches_.progress(Watched::Nodes).breaks + watches_.progress(Watched::Pods).breaks;
  gaps_.follow(watches_.progress(Watched::Leases),
               {.breaks = others,
                .restored = !versions_.how().empty(),
                .stood_still = standstill_.ended_lately(now)},
               now);
}

/// The last proof stands for now: a server that is paused lets no watch be behind it.
void ApiServerHealth::follow_streams() {
  stalled_.clear();
  for (const Watched what : all_watched) {
    const WatchProgress watch = watches_.progress(what);
    if (!watch.synced) continue;
    const StreamCheck::StreamState verdict =
        stream_checks_[what].look(shown_by(watch), availability_.last_proof());
    if (verdict == StreamCheck::StreamState::Well) continue;
    if (verdict == StreamCheck::StreamState::Restart) orders_.begin_anew.push_back(what);
    if (verdict == StreamCheck::StreamState::WentBack) {
      went_back("a list of " + std::string(name_of(what)) + " is older than what had been shown",
                ServerVersions::Evidence::List);
    }
    stalled_ =
        "the watch of " + std::string(name_of(what)) + " is behind what reads and writes show";
  }
}

void ApiServerHealth::shown(Watched what, std::string_view version, Instant now) {
  stream_checks_[what].found(version, shown_by(watches_.progress(what)), now);
}

/// A quorum read of leases stands for their watch, and is held against it. `version`: of the list,
/// which shows whatever was written up to there; empty where each was read by itself.
void ApiServerHealth::compare(const std::vector<api::NodeLease>& leases, std::string_view version) {
  std::string_view newest;
  for (const api::NodeLease& lease : leases) {
    if (older_version(newest, lease.resource_version)) newest = lease.resource_version;
    const std::optional<api::NodeLease> known = view_.leases.find(lease.name);
    if (!known || known->uid != lease.uid) continue;
    if (!older_version(lease.resource_version, known->resource_version)) continue;
    if (lease.renewed > known->renewed) {
      return went_back("the lease of " + lease.name + " was renewed in an older version");
    }
    if (!version.empty() && !older_version(version, known->resource_version)) {
      // A server that is merely late has no such list.
      return went_back(
          "a list that is newer shows the lease of " + lease.name + " as it was before",
          ServerVersions::Evidence::List);
    }
  }
  shown(Watched::Leases, newest, watches_.progress(Watched::Leases).last_heard);
}

// --- what is told -------------------------------------------------------------------------------

std::array<std::optional<Instant>, 4> ApiServerHealth::ends_of_doubts(Instant now) const {
  return {versions_.settles_at(), versions_.awaits_lists_until(), availability_.settles_at(),
          restore_wait_.ends(now)};
}

std::optional<Instant> ApiServerHealth::was_away_until(Instant now) const {
  const std::optional<Instant> until = availability_.settles_after_gap();
  return !availability_.blind(now) && until > now ? until : std::nullopt;
}

std::optional<Instant> ApiServerHealth::settles_next(Instant now) const {
  std::optional<Instant> next;
  for (const std::optional<Instant>& doubt : ends_of_doubts(now)) {
    if (doubt > now) next = earlier(next, doubt);
  }
  return next;
}

std::optional<Instant> ApiServerHealth::settles_at(Instant now) const {
  const bool ends = availability_.settled(now) || availability_.settles_at();
  const std::optional<Instant> last = std::ranges::max(ends_of_doubts(now));
  return ends && last > now ? last : std::nullopt;
}

ApiServerHealth::Doubts ApiServerHealth::doubts(Instant now) const {
  Doubts doubts{.rewound = versions_.how(), .stalled = stalled_};
  // Who judges no nodes and may probe waits for the first answer before it says anything.
  const bool asked_late = !options_.follows_leases && options_.probes && probes_.refused().empty();
  if (availability_.blind(now) && !asked_late) {
    doubts.paused = "nothing proved that the API server takes writes";
    const std::string refused = probes_.refused_since(availability_.last_proof());
    if (!refused.empty()) doubts.paused += ": " + refused;
  } else if (versions_.lists_another_time(now)) {
    doubts.paused = lists_of_another_time;
  }
  return doubts;
}

}  // namespace nlc::controller

#include "controller/server/api_server_health.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "api/version.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

using api::older_version;

constexpr Duration probe_pause = std::chrono::seconds(1);

/// A watch of leases that says nothing for so long is asked about.
constexpr Duration question_after = std::chrono::seconds(5);

/// A server whose lists are of another time, or whose streams were opened anew, is asked again so
/// soon.
constexpr Duration question_again = std::chrono::seconds(1);

/// The deletion of a node comes on its watch within so long.
constexpr Duration node_deletion_shows_within = std::chrono::seconds(5);
/// That it was not found once says nothing any more after so long.
constexpr Duration missing_counts_for = std::chrono::minutes(2);

StreamCheck::Progress shown_by(const WatchProgress& watch) {
  return {.version = watch.version, .applied = watch.applied};
}

}  // namespace

std::string_view name_of(Watched what) {
  switch (what) {
    case Watched::Nodes:
      return "nodes";
    case Watched::Leases:
      return "leases";
    case Watched::Pods:
      return "pods";
  }
  return {};
}

ApiServerHealth::ApiServerHealth(View view, const Watches& watches, const Options& options,
                                 Instant start)
    : view_(view),
      watches_(watches),
      options_(options),
      availability_(options.blind_after, start),
      dated_(start),
      probe_again_(start),
      questioned_(start) {}

// --- proofs -------------------------------------------------------------------------------------

void ApiServerHealth::lease_written(const std::string& version, Instant now) {
  lock_is_no_lease_ = lock_is_no_lease_ || version.empty();
  if (!version.empty()) {
    availability_.prove(now);
    dated_ = now;
    if (versions_.lease_written(version, now)) {
      went_back("a lease of ours was written at version " + version + ", older than before",
                ServerVersions::Evidence::Write);
    }
  }
  if (leading_) order(unwitnessed_.lease_written(), &Orders::borne_out);
  orders_.hurry = true;
}

void ApiServerHealth::order(std::vector<UnwitnessedReads::Read> reads,
                            std::vector<UnwitnessedReads::Read> Orders::*what) {
  std::ranges::move(reads, std::back_inserter(orders_.*what));
}

/// Where somebody else led meanwhile, what was written since was perhaps written by him.
void ApiServerHealth::lead(bool leading) {
  leading_ = leading;
  undated_ = leading && dates_by_probe();
  if (!leading) order(unwitnessed_.take_all(), &Orders::of_no_use);
}

void ApiServerHealth::lock_went_back() {
  if (planted("rewind-of-lock-overlooked")) return;
  went_back("a read showed the leader's lock as it was before", ServerVersions::Evidence::Read);
}

/// Where leases were not renewed in the moments before this process came, the server may have just
/// come back, perhaps with a backup: its nodes have yet to say how they are. One in ten may have
/// died.
void ApiServerHealth::view_synced(const FirstLeases& leases) {
  if (planted("first-leases-believed")) return;
  if (leases.old > leases.fresh / 10) availability_.doubt();
}

/// A lock that is no Lease proves all the time that the server takes writes, and dates no list: who
/// is silent by a list of the past would be judged by it.
bool ApiServerHealth::dates_by_probe() const {
  return options_.probes && options_.follows_leases && lock_is_no_lease_;
}

std::optional<Instant> ApiServerHealth::next_probe() const {
  if (!options_.probes || probing_ || !leading_) return std::nullopt;
  if (undated_ || !unwitnessed_.empty()) return probe_again_;
  const Instant proof = availability_.last_proof();
  const Instant known = dates_by_probe() ? std::min(proof, dated_) : proof;
  return std::max(known + options_.probe_after, probe_again_);
}

void ApiServerHealth::probe_sent() {
  probing_ = true;
  probe_follows_ = watches_.progress(Watched::Leases).version;
}

void ApiServerHealth::probe_answered(const Result<WriteProbe::Written>& written, Instant now) {
  probing_ = false;
  probe_again_ = now + probe_pause;
  probe_refused_ = written ? std::string() : written.error().path;
  // Where only the leader writes it, what was read a moment ago and is refused was of the past.
  const bool read_of_the_past = !written && written.error().fault == Fault::Conflict;
  if (undated_ && !read_of_the_past) {
    undated_ = false;
    orders_.monitor_pass = true;
  }
  if (!written) return;
  if (written->went_back && !planted("rewind-of-probe-overlooked")) {
    went_back("a read showed the probe's lease as it was before our last write",
              ServerVersions::Evidence::Read);
  }
  // A stream that was resumed on a restored server is silent until that has come as far again.
  if (older_version(written->version, probe_follows_) && !planted("rewind-of-probe-overlooked")) {
    went_back("the probe's lease was written at version " + written->version +
                  " and leases were watched to " + probe_follows_,
              ServerVersions::Evidence::Write);
  }
  lease_written(written->version, now);
}

// --- the server's time --------------------------------------------------------------------------

/// A stream that goes on where another broke off says nothing of a restored server before that has
/// come as far again; what it takes meanwhile may be lost with the next restore.
std::optional<Instant> ApiServerHealth::next_question(Instant now) const {
  if (!options_.follows_leases || question_) return std::nullopt;
  if (versions_.lists_another_time(now)) return questioned_ + question_again;
  const WatchProgress watch = watches_.progress(Watched::Leases);
  const std::uint64_t compared = std::max(watch.restarts_at_list, restarts_questioned_);
  const bool opened_anew = watch.open && watch.restarts > compared;
  if (opened_anew) return questioned_ + question_again;
  return std::max(watch.last_heard, questioned_) + question_after;
}

void ApiServerHealth::question_sent(Instant now) {
  const WatchProgress watch = watches_.progress(Watched::Leases);
  question_ = Question{.reached = std::string(watch.version),
                       .expected = versions_.expected_of_lists(now),
                       .restarts = watch.restarts};
}

void ApiServerHealth::question_answered(const Result<LeasePage>& page, Instant now) {
  const Question asked = *std::exchange(question_, std::nullopt);
  questioned_ = now;
  if (!page) return;
  restarts_questioned_ = asked.restarts;
  const bool doubted = versions_.lists_another_time(now);
  if (versions_.leases_listed(page->resource_version, asked.expected, now)) return;
  if (doubted) orders_.monitor_pass = true;
  if (!asked.reached.empty() && older_version(page->resource_version, asked.reached)) {
    return went_back("the API server is at version " + page->resource_version + " and was at " +
                     asked.reached);
  }
  compare(page->items);
  orders_.hurry = true;
}

bool ApiServerHealth::leases_found(const std::vector<api::NodeLease>& leases,
                                   const std::string& version, Instant now) {
  const bool late = version.empty() ? versions_.lists_another_time(now)
                                    : versions_.leases_listed(version, leases_expected_, now);
  if (!late) compare(leases);
  return !late;
}

bool ApiServerHealth::stream_is_witness() const {
  const WatchProgress watch = watches_.progress(Watched::Leases);
  return watch.synced && watch.open;
}

void ApiServerHealth::keep(UnwitnessedReads::Read read) {
  if (leading_) return unwitnessed_.keep(std::move(read));
  orders_.of_no_use.push_back(std::move(read));
}

void ApiServerHealth::went_back(const std::string& how, ServerVersions::Evidence evidence) {
  if (!versions_.went_back(how, evidence, lists())) return;
  for (StreamCheck& check : checks_) check.forget();
  orders_.list_anew = true;
  order(unwitnessed_.take_all(), &Orders::of_no_use);
}

ServerVersions::Lists ApiServerHealth::lists() const {
  return {.nodes = watches_.progress(Watched::Nodes).lists,
          .leases = watches_.progress(Watched::Leases).lists,
          .pods = watches_.progress(Watched::Pods).lists};
}

/// What was remembered of heartbeats stays.
void ApiServerHealth::follow_rewinds(Instant now) {
  std::uint64_t seen = 0;
  for (const Watched what : all_watched) seen += watches_.progress(what).rewinds;
  if (std::exchange(rewinds_seen_, seen) != seen) {
    went_back("a list is older than what was seen", ServerVersions::Evidence::List);
  }
  const ServerVersions::Recovery recovery = versions_.follow(lists(), now);
  if (recovery == ServerVersions::Recovery::Listed) orders_.view_renewed = true;
  if (recovery != ServerVersions::Recovery::None) orders_.monitor_pass = true;
  // Meanwhile it may have gone back to where it had gone before: versions that watches had passed
  // were given a second time, and nothing shows it.
  const bool settled = recovery == ServerVersions::Recovery::Settled;
  if (settled && !planted("listed-once-after-restore")) orders_.list_anew = true;
}

/// What comes back after a gap may be a restored server that has come further meanwhile than it was
/// before: new streams go on where the old ones were, and no version shows it. A stream that is
/// still the same comes from a server that never went.
void ApiServerHealth::follow_gaps() {
  std::uint64_t restarts = 0;
  for (const Watched what : all_watched) restarts += watches_.progress(what).restarts;
  const Duration gaps = availability_.closed_gaps();
  const bool closed = std::exchange(gaps_seen_, gaps) != gaps;
  if (closed && restarts != restarts_at_proof_ && !planted("gap-bridged-by-watches")) {
    orders_.list_anew = true;
  }
  const Instant proof = availability_.last_proof();
  if (std::exchange(proof_seen_, proof) != proof) restarts_at_proof_ = restarts;
}

// --- watches ------------------------------------------------------------------------------------

/// The last proof stands for now: a server that is paused lets no watch be behind it.
void ApiServerHealth::follow(Instant now) {
  follow_rewinds(now);
  follow_gaps();
  if (stream_is_witness()) order(unwitnessed_.take_all(), &Orders::borne_out);
  stalled_.clear();
  for (const Watched what : all_watched) {
    const WatchProgress watch = watches_.progress(what);
    if (!watch.synced) continue;
    const StreamCheck::Verdict verdict =
        check_of(what).look(shown_by(watch), availability_.last_proof());
    if (verdict == StreamCheck::Verdict::Well || planted("stalled-watch-believed")) continue;
    if (verdict == StreamCheck::Verdict::Restart) orders_.begin_anew.push_back(what);
    stalled_ =
        "the watch of " + std::string(name_of(what)) + " is behind what reads and writes show";
  }
}

void ApiServerHealth::shown(Watched what, std::string_view version, Instant now) {
  check_of(what).found(version, shown_by(watches_.progress(what)), now);
}

void ApiServerHealth::node_missing(const std::string& uid, Instant now) {
  std::erase_if(missing_, [now](const auto& one) { return now - one.second > missing_counts_for; });
  const Instant since = missing_.try_emplace(uid, now).first->second;
  if (now - since < node_deletion_shows_within || planted("ghosts-stay")) return;
  missing_.clear();
  orders_.begin_anew.push_back(Watched::Nodes);
}

/// A quorum read of leases stands for their watch, and is held against it.
void ApiServerHealth::compare(const std::vector<api::NodeLease>& leases) {
  std::string_view newest;
  for (const api::NodeLease& lease : leases) {
    if (older_version(newest, lease.resource_version)) newest = lease.resource_version;
    const std::optional<api::NodeLease> known = view_.leases.find(lease.name);
    if (!known || known->uid != lease.uid) continue;
    if (lease.renewed > known->renewed &&
        older_version(lease.resource_version, known->resource_version)) {
      return went_back("the lease of " + lease.name + " was renewed in an older version");
    }
  }
  shown(Watched::Leases, newest, watches_.progress(Watched::Leases).last_heard);
}

// --- what is told -------------------------------------------------------------------------------

std::optional<Instant> ApiServerHealth::settles_at(Instant now) const {
  const std::optional<Instant> restored = versions_.settles_at();
  const std::optional<Instant> back = availability_.settles_at();
  if (!back || *back <= now) return restored;
  return restored ? std::min(*restored, *back) : back;
}

std::string ApiServerHealth::paused(Instant now) const {
  // Who judges no nodes and may probe waits for the first answer before it says anything.
  const bool asked_late = !options_.follows_leases && options_.probes && probe_refused_.empty();
  if (availability_.blind(now) && !asked_late) {
    const std::string why = "nothing proved that the API server takes writes";
    return probe_refused_.empty() ? why : why + ": " + probe_refused_;
  }
  return versions_.lists_another_time(now) ? std::string(lists_of_another_time) : "";
}

}  // namespace nlc::controller

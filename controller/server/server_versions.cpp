#include "controller/server/server_versions.h"

#include <algorithm>
#include <utility>

#include "api/version.h"
#include "controller/server/api_availability.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// A write of ours tells for so long where the server stands at least: after that the server may
/// have been restored, and our writes refused.
constexpr Duration write_counts_for = std::chrono::minutes(1);

/// And so long it dates a list that is asked for after it.
constexpr Duration lists_dated_for = std::chrono::seconds(10);

/// Where no list is answered for so long, nobody knows of what time the next would be.
constexpr Duration doubt_lasts = std::chrono::seconds(10);

/// So often what lists show is asked for where reads contradict it.
constexpr Duration listed_again = std::chrono::minutes(1);

/// A server that shows so many different reads of the past is late, whatever else it shows.
constexpr std::size_t most_reads = 1000;

ServerVersions::Ours other_than(ServerVersions::Ours lease) {
  using enum ServerVersions::Ours;
  return lease == Lock ? Probe : Lock;
}

bool all_listed_since(const ServerVersions::Lists& before, const ServerVersions::Lists& now) {
  return std::ranges::all_of(all_watched, [&](Watched what) {
    const bool nobody_watches = what == Watched::Leases && now.leases == 0;
    return now[what] > before[what] || nobody_watches;
  });
}

bool some_listed_since(const ServerVersions::Lists& before, const ServerVersions::Lists& now) {
  return std::ranges::any_of(all_watched, [&](Watched what) { return now[what] > before[what]; });
}

}  // namespace

/// That a list is older than what was seen shows the same when it is read for that reason.
bool ServerVersions::went_back(const std::string& how, Evidence evidence, const Lists& complete) {
  if (planted("rewind-overlooked")) return false;
  const bool borne_out = evidence != Evidence::Read;
  if (view_is_old()) {
    rewind_->borne_out = rewind_->borne_out || borne_out;
    const bool listed = some_listed_since(rewind_->before, complete);
    rewind_->once_more = rewind_->once_more || (listed && evidence != Evidence::List);
    return false;
  }
  if (borne_out) {
    read_.clear();
    stayed_ahead_.reset();
  }
  caches_.went_back(rewind_.has_value(), evidence == Evidence::List && asked_for_);
  const std::optional<Instant> settles_from = rewind_ ? rewind_->listed : std::nullopt;
  rewind_ =
      Rewind{.how = how, .before = complete, .borne_out = borne_out, .settles_from = settles_from};
  return true;
}

ServerVersions::ToList ServerVersions::read_of_the_past(const std::string& how,
                                                        const Lists& complete, Instant now) {
  const bool is_news = !stayed_ahead_ && read_.size() < most_reads && read_.insert(how).second;
  if (view_is_old() || is_news) {
    return went_back(how, Evidence::Read, complete) ? ToList::All : ToList::Nothing;
  }
  if (stayed_ahead_ && now - *stayed_ahead_ < listed_again) return ToList::Nothing;
  stayed_ahead_ = now;
  read_.clear();
  return ToList::ItsCollection;
}

/// Lists are of now again, and some of what is known was listed while they were not.
bool ServerVersions::listed_of_another_time(const Lists& complete, Instant now) {
  if (lists_another_time(now)) {
    if (!before_another_time_) before_another_time_ = rewind_ ? rewind_->before : complete;
    return false;
  }
  const std::optional<Lists> before = std::exchange(before_another_time_, std::nullopt);
  return before && some_listed_since(*before, complete);
}

ServerVersions::Recovery ServerVersions::follow(const Lists& complete, Instant now) {
  if (asked_for_ && all_listed_since(*asked_for_, complete)) asked_for_.reset();
  if (listed_of_another_time(complete, now)) {
    if (view_is_old()) rewind_->before = complete;
    return Recovery::Again;
  }
  if (view_is_old() && all_listed_since(rewind_->before, complete)) {
    if (std::exchange(rewind_->once_more, false)) {
      rewind_->before = complete;
      return Recovery::Again;
    }
    rewind_->listed = rewind_->borne_out ? now : rewind_->settles_from;
    if (!rewind_->listed) {
      rewind_.reset();
      caches_.settles_if_restored(now + settling);
    }
    return Recovery::Listed;
  }
  if (!rewind_) {
    const bool is_first = caches_.may_be_restored();
    if (!caches_.due(now)) return Recovery::None;
    if (!is_first) asked_for_ = complete;
    return Recovery::Settled;
  }
  const std::optional<Instant> settled = settles_at();
  if (!settled || now < *settled) return Recovery::None;
  rewind_.reset();
  if (!caches_.settled(now)) return Recovery::SettledBetweenLists;
  awaits_until_ = now + settling;
  asked_for_ = complete;
  return Recovery::Settled;
}

std::optional<Instant> ServerVersions::settles_at() const {
  if (!rewind_ || !rewind_->listed) return std::nullopt;
  return *rewind_->listed + (planted("no-settling-after-restore") ? Duration{0} : settling);
}

/// Lists may be refused, and the dead are not spared for that.
Instant ServerVersions::awaits_lists_until() const {
  return asked_for_ ? awaits_until_ : Instant::min();
}

/// A write that is sent after the one before was acknowledged is newer, and so it is than any list
/// that had been answered by then. The lock's and the probe's may be on their way together.
bool ServerVersions::lease_written(Ours lease, std::string_view version, std::uint64_t views,
                                   Instant sent, Instant now) {
  const std::uint64_t number = api::version_number(version);
  if (contradicted_ && sent >= *contradicted_) contradicted_.reset();
  const LeaseWrite& other = of_each_[static_cast<std::size_t>(other_than(lease))];
  const LeaseWrite own = std::exchange(of_each_[static_cast<std::size_t>(lease)],
                                       {.version = number, .acknowledged = now});
  if (sent < other.acknowledged) {
    written_ = std::max(written_, number);
    return number != 0 && number < own.version;
  }
  const std::uint64_t before = std::exchange(written_, number);
  written_at_ = now;
  ahead_ = written_ != 0 && written_ < listed_before_;
  if (ahead_) {
    another_time_ = now;
    newest_ahead_ = listed_before_;
  }
  listed_before_ = listed_;
  const bool older = written_ != 0 && written_ < before;
  // What shows that the server went back shows nothing of its caches, unless a read had shown it
  // and all has been listed since.
  caches_.written(older && !caches_.may_be_restored() ? 0 : written_, sent, views, now);
  return older;
}

bool ServerVersions::is_view_old(Watched what, const Lists& complete) const {
  return view_is_old() && complete[what] <= rewind_->before[what];
}

std::uint64_t ServerVersions::expected_of_lists(Instant now) const {
  return written_ != 0 && now - written_at_ <= write_counts_for ? written_ : 0;
}

bool ServerVersions::dates_lists(Instant now) const {
  return written_ != 0 && now - written_at_ <= lists_dated_for;
}

bool ServerVersions::leases_listed(std::string_view version, std::uint64_t expected, Instant now) {
  listed_ = api::version_number(version);
  // A server that does not follow stands where it stood, also while writes come to that version.
  const bool before_a_write = listed_ != 0 && listed_ < expected;
  const bool late = before_a_write || (listed_ != 0 && listed_ == newest_ahead_);
  if (planted("lists-of-another-time-believed") || planted("stale-list-believed")) return false;
  if (late) another_time_ = now;
  if (before_a_write && !contradicted_) contradicted_ = now;
  if (expected != 0 && !late && !ahead_) another_time_.reset();
  return lists_another_time(now);
}

bool ServerVersions::lists_another_time(Instant now) const {
  return another_time_ && now - *another_time_ <= doubt_lasts;
}

}  // namespace nlc::controller

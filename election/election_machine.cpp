#include "election/election_machine.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "runtime/planted.h"

namespace nlc::election {
namespace {

/// More than the server can hold would be refused, and nobody could ever take the lock again.
constexpr std::int64_t transitions_max = std::numeric_limits<std::int32_t>::max();

/// Between two tries to release a lock that others go on writing.
constexpr Duration release_pause = std::chrono::milliseconds(100);

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::floor<std::chrono::seconds>(duration).count();
}

/// The record as we would have it; `anew`: it begins a leadership. Strategy and preferred holder
/// are somebody else's and stay.
LockRecord claimed(const std::optional<LockRecord>& seen, bool anew, const ElectionOptions& options,
                   WallTime wall) {
  LockRecord record = seen.value_or(LockRecord{});
  if (anew && seen) ++record.transitions;
  record.transitions = std::clamp(record.transitions, std::int64_t{0}, transitions_max);
  if (anew || !record.acquired) record.acquired = wall;
  record.holder = options.identity;
  record.duration_seconds = whole_seconds(options.lease_duration);
  record.renewed = wall;
  return record;
}

LockRecord released(LockRecord record, WallTime wall) {
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquired = wall;
  record.renewed = wall;
  return record;
}

}  // namespace

ElectionMachine::ElectionMachine(ElectionOptions options, Random random)
    : options_(std::move(options)),
      claim_(options_.identity),
      validity_(options_),
      schedule_(options_, random) {
  assert(!check(options_));
}

/// The last instant of a foreign leadership that was seen; `Instant::min()`: there is none. Whoever
/// touches a lock without renewing it does not keep its leader for ever.
Instant ElectionMachine::foreign_until() const {
  if (holder().empty() || holds()) return Instant::min();
  if (planted("lock-taken-early")) return lock_.changed() + options_.lease_duration / 2;
  const Duration lease = lease_of(*lock_.record(), options_.lease_duration);
  return std::min(lock_.changed() + lease, lock_.moved() + 4 * lease);
}

Instant ElectionMachine::holder_until() const {
  return holds() ? validity_.until() : foreign_until();
}

std::optional<Duration> ElectionMachine::foreign_lease() const {
  const Instant until = foreign_until();
  if (until == Instant::min()) return std::nullopt;
  return until - lock_.changed();
}

/// Who claims an old lock looks at the others once more before he leads, as after one that ended.
LeaseValidity::Before ElectionMachine::before_a_claim() const {
  using enum LeaseValidity::Before;
  const bool is_free = !lock_.record() || is_released();
  return is_free && !is_old(options_.lock) ? Nobody : Ended;
}

/// Whoever releases a lock writes so, and leads no more. A holder whom somebody else erased may not
/// have read that yet; leases of a second say it always, which tells nothing.
bool ElectionMachine::is_released() const {
  const bool is_told = options_.lease_duration > std::chrono::seconds(1);
  return is_told && is_given_back(*lock_.record());
}

/// Whoever deleted the lock, or erased its holder, did not end the leadership of somebody who is
/// cut off and has not heard. But that may be done just because its record makes everybody wait for
/// ever.
Instant ElectionMachine::unheard_until() const {
  return std::min(foreign_until(), lock_.changed() + 4 * options_.lease_duration);
}

/// The same from whenever he renewed it last.
Duration ElectionMachine::unheard_for() const { return unheard_until() - lock_.changed(); }

/// Who was erased may have renewed after the last look began, at `looked`, if he led then; or after
/// a look from a cache that stands still, as a write showed that met his record.
void ElectionMachine::observe(LockRecord lock, Instant looked, Instant now) {
  const bool was_held = foreign_until() != Instant::min();
  const bool may_lead = was_held && (unheard_until() >= looked || lock_.is_met());
  const Instant last = may_lead ? now + unheard_for() : Instant::min();
  lock_.observe(std::move(lock), now);
  if (holder().empty() && !is_released()) schedule_.somebody_may_lead_until(last);
}

ElectionStep ElectionMachine::take(LeaseValidity::Before before, WallTime wall) {
  const bool anew = !holds();
  if (anew) follows_unread_ = lock_.is_met_unread();
  if (follows_unread_) before = LeaseValidity::Before::Unread;
  under_way_ = ClaimUnderWay{.anew = anew, .before = before};
  lock_.request_begins();
  LockRecord record = claimed(lock_.record(), anew, options_, wall);
  if (anew) claim_.begin(lock_.record(), record);
  if (!lock_.record()) return CreateLock{std::move(record)};
  return WriteLock{std::move(record)};
}

ElectionStep ElectionMachine::read() {
  lock_.request_begins();
  return ReadLock{};
}

/// Once for each try: where others write all the time, rereading at once would never end.
ElectionStep ElectionMachine::look_again(Instant now) {
  return std::exchange(reread_, true) ? wait(now) : read();
}

ElectionStep ElectionMachine::on_read(Result<LockRecord> lock, Instant now, WallTime wall) {
  if (stopping_) return read_while_stopping(std::move(lock), now, wall);
  const bool absent = !lock && lock.error().fault == Fault::NotFound;
  const Instant looked = schedule_.in_touch();
  const bool out_of_touch =
      (lock || absent) && schedule_.look_answered(validity_.respected_until(), now);
  if (absent && out_of_touch) missing_since_ = now;
  if (absent) return on_absent(now, wall);
  if (!lock) return wait(now);
  if (lock_.is_of_the_past(*lock)) return go_back(std::move(*lock), now);
  if (lock_.overtook(*lock)) return wait(now);
  const bool replaced = lock_.is_replaced_by(*lock);
  if (lock_.misses(&*lock)) ++rewinds_;
  observe(std::move(*lock), looked, now);
  missing_since_.reset();
  if (out_of_touch) lock_.wait_anew(now);
  replaced || !holds() ? validity_.end() : validity_.confirm();
  claim_.observe(lock_.record());
  if (leads(now)) ++slow_paths_;
  if (now <= foreign_until() || !schedule_.may_claim(now)) return wait(now);
  return take(before_a_claim(), wall);
}

ElectionStep ElectionMachine::on_absent(Instant now, WallTime wall) {
  const bool was_ours = holds() && now < validity_.respected_until();
  validity_.end();
  const bool may_have_gone_back = lock_.misses(nullptr);
  if (may_have_gone_back) {
    ++rewinds_;
    missing_since_ = now;
  }
  // For how long the leader of one that was never read leads nobody can say, nor how often the
  // leader of one that the server has lost renewed it unseen.
  const bool was_renewed = may_have_gone_back && foreign_until() != Instant::min();
  if (lock_.misses_what_a_write_met() || was_renewed) schedule_.others_may_lead(now);
  if (was_renewed) schedule_.somebody_may_lead_until(now + unheard_for());
  if (now <= unheard_until() || !schedule_.may_claim(now)) return wait(now);
  LeaseValidity::Before before = was_ours ? LeaseValidity::Before::Nobody : before_a_claim();
  if (missing_since_ && now > *missing_since_ + options_.lease_duration) {
    // What a restore lost has been waited out, and is no news when the new lock's version shows it.
    lock_.versions_begin_anew();
    before = LeaseValidity::Before::Ended;
  }
  lock_.is_absent();
  return take(before, wall);
}

/// Nothing is claimed for a lease duration, after which the validity of a leader whose record the
/// server has lost has ended.
ElectionStep ElectionMachine::go_back(LockRecord lock, Instant now) {
  ++rewinds_;
  validity_.end();
  claim_.forget();
  lock_.go_back_to(std::move(lock), now);
  if (!planted("lock-claimed-after-rewind")) schedule_.server_went_back(now);
  return wait(now);
}

ElectionStep ElectionMachine::read_while_stopping(Result<LockRecord> lock, Instant now,
                                                  WallTime wall) {
  const bool still_ours = lock && claim_.covers(*lock) && !lock_.is_replaced_by(*lock);
  // A late release must not blank a successor (spec/incidents.md "Late release").
  if (!still_ours && !planted("late-release")) {
    return Finished{.left_behind = !lock && lock.error().fault != Fault::NotFound};
  }
  lock_.observe(std::move(*lock), now);
  return WriteLock{released(*lock_.record(), wall)};
}

ElectionStep ElectionMachine::on_written(Result<LockRecord> lock, Instant sent, Instant now) {
  const std::optional<ClaimUnderWay> claim = std::exchange(under_way_, std::nullopt);
  if (stopping_) return written_while_stopping(lock, claim.has_value(), now);
  const auto [anew, before] = claim.value_or(ClaimUnderWay{});
  if (!lock) return not_written(lock.error().fault, anew, now);
  if (lock_.is_of_the_past(*lock)) return go_back(std::move(*lock), now);
  if (lock_.overtook(*lock)) return look_again(now);
  if (lock_.misses(&*lock)) ++rewinds_;
  if (lock->holder != options_.identity) {
    lock_.observe(std::move(*lock), now);
    validity_.end();
    claim_.observe(lock_.record());
    return wait(now);
  }
  if (missing_since_ && lock_.is_before_rewind(*lock)) ++rewinds_;
  missing_since_.reset();
  lock_.acknowledged();
  claim_.adopt(*lock);
  lock_.observe(std::move(*lock), now);
  schedule_.write_answered(sent);
  const Instant begun = planted("leads-from-the-answer-on") ? now : sent;
  const Instant renewal = validity_.renewed(begun, before, now);
  if (leads(now)) follows_unread_ = false;
  return Pause{renewal};
}

ElectionStep ElectionMachine::withhold(Instant now) {
  assert(under_way_ && !stopping_);
  if (std::exchange(under_way_, std::nullopt)->anew) claim_.forget();
  return wait(now);
}

/// The answer to a claim that was in flight when `stop` was called, or to the release.
ElectionStep ElectionMachine::written_while_stopping(const Result<LockRecord>& lock, bool claimed,
                                                     Instant now) {
  if (lock && claimed) {
    claim_.adopt(*lock);
    return ReadLock{};
  }
  if (lock) {
    lock_.left_as(*lock);
    return Finished{};
  }
  const Fault fault = lock.error().fault;
  if (!claimed && fault == Fault::Conflict) return look_again(now);
  if (!claimed) return Finished{.left_behind = fault != Fault::NotFound};
  const bool refused = fault == Fault::Conflict || fault == Fault::AlreadyExists ||
                       retry_for(fault) == Retry::Never || fault == Fault::Forbidden;
  return refused ? ElectionStep(Finished{}) : ReadLock{};
}

ElectionStep ElectionMachine::not_written(Fault fault, bool anew, Instant now) {
  if (fault == Fault::NotFound) validity_.end();
  if (anew && (fault == Fault::AlreadyExists || fault == Fault::Conflict)) lock_.met_by_a_write();
  if (anew && !may_have_been_applied(fault)) claim_.forget();
  // Somebody else may have written, or the answer to our own last write was lost: only a look can
  // tell, and until then nothing more is known than before.
  const bool raced = fault == Fault::Conflict || fault == Fault::AlreadyExists;
  if (!raced || !leads(now)) return wait(now);
  if (!reread_) validity_.question(now + options_.retry_period);
  return look_again(now);
}

ElectionStep ElectionMachine::wake(Instant now, WallTime wall, Work work) {
  schedule_.try_begins(now);
  reread_ = false;
  if (work == Work::Stuck) return wait(now);
  if (leads(now)) return take(before_a_claim(), wall);  // unread: one request a renewal
  return read();
}

ElectionStep ElectionMachine::look(Instant now) {
  schedule_.looks_early(now);
  schedule_.try_begins(now);
  reread_ = true;
  return read();
}

bool ElectionMachine::on_change(const LockRecord& seen, bool gone, Instant now) {
  if (stopping_ || !lock_.is_news(seen)) return false;
  const bool ours = claim_.covers(seen);
  const bool replaced = lock_.is_replaced_by(seen);
  const bool another = !ours && (holds() || seen.holder != holder());
  if (gone || replaced || !ours) doubt();
  if (lock_.misses(&seen)) ++rewinds_;
  gone ? lock_.observe_gone(seen, ours, now) : observe(seen, schedule_.in_touch(), now);
  claim_.observe(lock_.record());
  return gone || replaced || another;
}

bool ElectionMachine::on_half_change(const LockRecord& half, bool gone, const std::string& version,
                                     Instant now) {
  const bool led = leads(now);
  const bool odd = gone || !claim_.covers_half(half);
  if (odd) doubt();
  if (!stopping_) gone ? lock_.half_gone(version) : lock_.half_seen(version, now);
  return gone || half.holder != holder() || (odd && led);
}

void ElectionMachine::doubt() {
  validity_.lapse();
  lock_.doubt();
}

std::optional<ElectionStep> ElectionMachine::stop() {
  assert(!stopping_);
  stopping_ = true;
  reread_ = false;
  const bool held = validity_.respected_until() != Instant::min();
  validity_.end();
  if (held && holds()) {
    under_way_.reset();  // a renewal that comes after our look makes a conflict of the release
    return ReadLock{};
  }
  if (under_way_) return std::nullopt;
  return Finished{};
}

ElectionStep ElectionMachine::wait(Instant now) {
  if (stopping_) return Pause{now + release_pause};
  // There is no time for more than a try or two.
  const bool hurries = validity_.is_questioned() || validity_.is_of_a_period();
  if (leads(now) && hurries) return Pause{now + options_.retry_period / 4};
  return Pause{leads(now) ? schedule_.next_renewal(now)
                          : schedule_.next_look(foreign_until(), now)};
}

}  // namespace nlc::election

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

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::floor<std::chrono::seconds>(duration).count();
}

}  // namespace

ElectionMachine::ElectionMachine(ElectionOptions options, Random random)
    : options_(std::move(options)),
      random_(random),
      claim_(options_.identity),
      validity_(options_) {
  assert(!check(options_));
}

/// The last instant of the leadership that was seen. A foreign record's duration counts if it is
/// longer than ours; without one ours does (spec/incidents.md "Differing durations").
Instant ElectionMachine::expiry() const {
  constexpr std::int64_t year = 365 * 24 * 3600;  // any more would overflow an Instant in the end
  if (planted("lock-taken-early")) return lock_.changed() + options_.lease_duration / 2;
  const std::int64_t seconds = lock_.record()->duration_seconds.value_or(0);
  const Duration theirs = std::chrono::seconds(std::clamp(seconds, std::int64_t{0}, year));
  return lock_.changed() + std::max(theirs, options_.lease_duration);
}

Instant ElectionMachine::holder_until() const {
  if (holder().empty()) return Instant::min();
  return holds() ? validity_.until() : expiry();
}

std::optional<Duration> ElectionMachine::foreign_lease() const {
  if (holder().empty() || holds()) return std::nullopt;
  return expiry() - lock_.changed();
}

/// Others may have led meanwhile, by records that the server has lost again.
bool ElectionMachine::was_out_of_touch(Instant now) {
  const std::optional<Instant> before = std::exchange(in_touch_, try_began_);
  return before && now - *before > LeaseValidity::touch_max(options_) &&
         now >= validity_.respected_until();
}

void ElectionMachine::forget_what_is_over() {
  if (!holds()) claim_.forget_unless_it_may_arrive(lock_.version());
}

/// The record as we would have it. Strategy and preferred holder are somebody else's and stay.
LockRecord ElectionMachine::claimed(WallTime wall) const {
  LockRecord record = lock_.record().value_or(LockRecord{});
  const bool new_leadership = !holds();
  if (new_leadership && lock_.record()) ++record.transitions;
  record.transitions = std::clamp(record.transitions, std::int64_t{0}, transitions_max);
  if (new_leadership || !record.acquired) record.acquired = wall;
  record.holder = options_.identity;
  record.duration_seconds = whole_seconds(options_.lease_duration);
  record.renewed = wall;
  return record;
}

LockRecord ElectionMachine::released(WallTime wall) const {
  LockRecord record = *lock_.record();
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquired = wall;
  record.renewed = wall;
  return record;
}

/// Whoever deleted the lock did not end the leadership of somebody who is cut off and has not
/// heard. But a lock may be deleted just because its record makes everybody wait for ever.
bool ElectionMachine::foreign_leadership_outlives_its_lock(Instant now) const {
  if (holds() || holder().empty()) return false;
  return now <= std::min(expiry(), lock_.changed() + 4 * options_.lease_duration);
}

ElectionStep ElectionMachine::take(WallTime wall) {
  claiming_ = true;
  claims_anew_ = !holds();
  claims_free_ = holder().empty();
  lock_.request_begins();
  LockRecord record = claimed(wall);
  if (claims_anew_) claim_.begin(lock_.record(), record);
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
  const bool out_of_touch = (lock || absent) && was_out_of_touch(now);
  if (out_of_touch) contend_from_ = now + options_.lease_duration;
  if (absent) {
    validity_.end();
    if (foreign_leadership_outlives_its_lock(now) || now <= contend_from_) return wait(now);
    lock_.is_absent();
    return take(wall);
  }
  if (!lock) return wait(now);
  if (lock_.is_of_the_past(*lock)) return go_back(std::move(*lock), now);
  if (lock_.overtook(*lock)) return wait(now);
  const bool replaced = lock_.is_replaced_by(*lock);
  lock_.observe(std::move(*lock), now);
  if (out_of_touch) lock_.wait_anew(now);
  if (replaced || !holds()) validity_.end();
  forget_what_is_over();
  if (leads(now)) ++slow_paths_;
  const bool free = holds() || holder().empty() || now > expiry();
  return free && now > contend_from_ ? take(wall) : wait(now);
}

/// Somebody may lead by a record that the server has lost, and learns of it only when he renews. So
/// nothing is claimed for a lease duration, after which that leader's validity has ended.
ElectionStep ElectionMachine::go_back(LockRecord lock, Instant now) {
  ++rewinds_;
  validity_.end();
  claim_.forget();
  lock_.go_back_to(std::move(lock), now);
  if (!planted("lock-claimed-after-rewind")) {
    contend_from_ = rewound_until_ = now + options_.lease_duration;
  }
  return wait(now);
}

ElectionStep ElectionMachine::read_while_stopping(Result<LockRecord> lock, Instant now,
                                                  WallTime wall) {
  const bool still_ours = lock && claim_.covers(*lock) && !lock_.is_replaced_by(*lock);
  // A late release must not blank a successor (spec/incidents.md "Late release").
  if (!still_ours && !planted("late-release")) return Finished{};
  lock_.observe(std::move(*lock), now);
  return WriteLock{released(wall)};
}

ElectionStep ElectionMachine::on_written(Result<LockRecord> lock, Instant sent, Instant now) {
  const bool claimed = std::exchange(claiming_, false);
  if (stopping_) return written_while_stopping(lock, claimed);
  if (!lock) return not_written(lock.error().fault, now);
  if (lock_.is_of_the_past(*lock)) return go_back(std::move(*lock), now);
  if (lock_.overtook(*lock)) return look_again(now);
  if (lock->holder != options_.identity) {
    lock_.observe(std::move(*lock), now);
    validity_.end();
    forget_what_is_over();
    return wait(now);
  }
  lock_.acknowledged();
  claim_.adopt(*lock);
  lock_.observe(std::move(*lock), now);
  in_touch_ = std::max(in_touch_.value_or(sent), sent);
  const Instant begun = planted("leads-from-the-answer-on") ? now : sent;
  return Pause{validity_.renewed(begun, claims_free_, now)};
}

ElectionStep ElectionMachine::withhold(Instant now) {
  assert(claiming_ && !stopping_);
  claiming_ = false;
  if (claims_anew_) claim_.forget();
  return wait(now);
}

/// The answer to a claim that was in flight when `stop` was called, or to the release.
ElectionStep ElectionMachine::written_while_stopping(const Result<LockRecord>& lock, bool claimed) {
  if (lock && claimed) {
    claim_.adopt(*lock);
    return ReadLock{};
  }
  if (lock) {
    lock_.left_as(*lock);
    return Finished{};
  }
  const Fault fault = lock.error().fault;
  if (!claimed) return fault == Fault::Conflict ? ElectionStep(ReadLock{}) : Finished{};
  const bool refused = fault == Fault::Conflict || fault == Fault::AlreadyExists ||
                       retry_for(fault) == Retry::Never || fault == Fault::Forbidden;
  return refused ? ElectionStep(Finished{}) : ReadLock{};
}

ElectionStep ElectionMachine::not_written(Fault fault, Instant now) {
  if (fault == Fault::NotFound) validity_.end();
  if (claims_anew_ && !may_have_been_applied(fault)) claim_.forget();
  // Somebody else may have written, or the answer to our own last write was lost: only a look can
  // tell, and until then nothing more is known than before.
  const bool raced = fault == Fault::Conflict || fault == Fault::AlreadyExists;
  return raced && leads(now) ? look_again(now) : wait(now);
}

ElectionStep ElectionMachine::wake(Instant now, WallTime wall, Work work) {
  try_began_ = now;
  reread_ = false;
  if (work == Work::Stuck) return wait(now);
  if (leads(now)) return take(wall);  // without reading first: one request a renewal
  return read();
}

ElectionStep ElectionMachine::look(Instant now) {
  try_began_ = now;
  reread_ = true;
  return read();
}

bool ElectionMachine::on_change(const LockRecord& seen, bool gone, Instant now) {
  if (stopping_ || !lock_.is_news(seen)) return false;
  const bool ours = claim_.covers(seen);
  const bool replaced = lock_.is_replaced_by(seen);
  const bool another = !ours && (holds() || seen.holder != holder());
  if (gone || replaced || !ours) doubt();
  gone ? lock_.observe_gone(seen, ours, now) : lock_.observe(seen, now);
  forget_what_is_over();
  return gone || replaced || another;
}

void ElectionMachine::on_half_change(const std::string& version) {
  if (!stopping_) lock_.half_seen(version);
}

void ElectionMachine::doubt() {
  validity_.lapse();
  lock_.doubt();
}

std::optional<ElectionStep> ElectionMachine::stop() {
  assert(!stopping_);
  stopping_ = true;
  const bool held = validity_.respected_until() != Instant::min();
  validity_.end();
  if (held && holds()) {
    claiming_ = false;  // a renewal that comes after our look makes a conflict of the release
    return ReadLock{};
  }
  if (claiming_) return std::nullopt;
  return Finished{};
}

/// A leader tries again each period, counted from the beginning of the try, so that several fit
/// into what is left of its leadership; the others spread out, so that they do not meet, and look
/// when the leadership that they wait for has ended.
///
/// Their looks are counted from the beginning of a try, too, and are nearer together than
/// upstream's (up to 2.2 periods after its end): who was last renewed in the moment in which a
/// network healed has been seen 1.7 periods later at most, even if a look had just begun to hang
/// (for a third of the deadline, by default less than that), and is followed a lease and a quarter
/// of a period after that: within a lease and two periods.
ElectionStep ElectionMachine::wait(Instant now) {
  const Duration period = options_.retry_period;
  if (leads(now)) return Pause{std::max(now, try_began_ + period)};
  const Instant poll = std::max(now, try_began_ + random_.between(period, period * 17 / 10));
  const Instant leadership = holder().empty() || holds() ? Instant::min() : expiry();
  const Instant lapse = std::max(leadership, contend_from_);
  if (lapse < now) return Pause{poll};
  return Pause{std::min(poll, lapse + Duration{1} + random_.between({}, period / 4))};
}

}  // namespace nlc::election

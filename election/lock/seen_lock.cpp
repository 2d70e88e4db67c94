#include "election/lock/seen_lock.h"

#include <utility>

namespace nlc::election {

void SeenLock::request_begins() {
  asked_at_ = newest_;
  doubted_ = false;
}

bool SeenLock::is_of_the_past(const LockRecord& answer) const {
  return is_older_lock(answer.version, asked_at_);
}

bool SeenLock::overtook(const LockRecord& answer) const {
  if (is_older_lock(answer.version, newest_)) return true;
  return doubted_ && answer.version != newest_ && !is_older_lock(newest_, answer.version);
}

/// Whoever makes a pair makes its first half first.
bool SeenLock::misses(const LockRecord* in_its_place) {
  if (!record_) return false;
  if (in_its_place) {
    const std::string_view there = in_its_place->uid;
    const bool grown = first_of_joined(there) == record_->uid;
    if (grown || there == record_->uid) return false;
  }
  return !std::exchange(deleted_, true);
}

/// What was seen while that write was on its way may be what it met.
void SeenLock::met_by_a_write() {
  if (newest_ == asked_at_ && met_ == Met::No) met_ = Met::ByAWrite;
}

bool SeenLock::misses_what_a_write_met() {
  return std::exchange(met_, Met::No) == (record_ ? Met::NotShown : Met::ByAWrite);
}

void SeenLock::count_a_write(std::string_view version) {
  const bool written = !newest_.empty() && version != newest_;
  if (written && !is_older_lock(version, before_rewind_) && version != before_rewind_) ++writes_;
}

void SeenLock::observe(LockRecord lock, Instant now) {
  const bool is_known = record_ && record_->uid == lock.uid;
  const bool same = is_known && newest_ == lock.version;
  if (!is_known || election::moved(*record_, lock)) moved_ = now;
  count_a_write(lock.version);
  newest_ = lock.version;
  record_ = std::move(lock);
  deleted_ = false;
  if (!same) {
    changed_ = now;
    met_ = Met::No;
  } else if (met_ == Met::ByAWrite) {
    met_ = Met::NotShown;
  }
}

/// A foreign leader may go on until its lease has run out although the lock was deleted, also if
/// the deletion is the first that we see of it.
void SeenLock::observe_gone(const LockRecord& last, bool was_ours, Instant now) {
  const Instant changed = changed_;
  const bool same = record_ && record_->uid == last.uid && !election::moved(*record_, last);
  observe(last, now);
  deleted_ = true;
  if (same) changed_ = changed;
  if (was_ours) record_.reset();
}

void SeenLock::go_back_to(LockRecord lock, Instant now) {
  versions_begin_anew();
  newest_ = lock.version;
  record_ = std::move(lock);
  deleted_ = false;
  met_ = Met::No;
  wait_anew(now);
}

void SeenLock::versions_begin_anew() {
  if (newest_.empty()) return;
  if (!is_older_lock(newest_, before_rewind_)) before_rewind_ = newest_;
  newest_.clear();
}

void SeenLock::acknowledged() {
  if (newest_.empty()) ++writes_;
  before_rewind_.clear();
}

bool SeenLock::is_news(const LockRecord& seen) const {
  return !newest_.empty() && seen.version != newest_ && !is_older_lock(seen.version, newest_);
}

/// The write is told when the Lease shows it, the pair's second object: its version dates lists.
bool SeenLock::half_moves_to(const std::string& version) {
  if (newest_.empty() || version == newest_ || is_older_lock(version, newest_)) return false;
  if (first_of_joined(version) == first_of_joined(newest_)) count_a_write(version);
  newest_ = version;
  return true;
}

void SeenLock::half_seen(const std::string& version, Instant now) {
  if (!half_moves_to(version)) return;
  changed_ = now;
  met_ = Met::No;
}

void SeenLock::half_gone(const std::string& version) {
  half_moves_to(version);
  deleted_ = true;
}

}  // namespace nlc::election

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "election/lock/lock_record.h"
#include "runtime/time.h"

namespace nlc::election {

/// The lock as a candidate has seen it last, and how new that is. Change is told by version and
/// uid, not by times (spec/incidents.md "Whole seconds").
///
/// Pure.
class SeenLock {
 public:
  /// The last good record; nothing: there is no lock.
  const std::optional<LockRecord>& record() const { return record_; }
  /// Empty where there is none.
  const std::string& holder() const { return record_ ? record_->holder : nobody_; }
  /// When it was last seen to change.
  Instant changed() const { return changed_; }
  /// The same of what it says, and not of labels that somebody else wrote. The halves of a pair
  /// move by themselves, and who writes no renewTime may renew by whatever else: there it is the
  /// same.
  Instant moved() const {
    const bool is_told = record_ && record_->renewed && !is_joined(record_->uid);
    return is_told ? moved_ : changed_;
  }
  bool is_replaced_by(const LockRecord& other) const {
    return record_ && record_->uid != other.uid;
  }

  /// The server shows `in_its_place` (null: no lock at all). True, once for each lock: the one that
  /// was seen last, or a half of it, is missing there, and nobody saw it deleted, so the server may
  /// have gone back to before it was made.
  bool misses(const LockRecord* in_its_place);
  /// A lock was to be created, and there is one; or the one that is known was to be taken, and
  /// there is another record.
  void met_by_a_write();
  bool is_met() const { return met_ != Met::No; }
  /// A write met another record than the one that reads showed before it and show still.
  bool is_met_unread() const { return met_ == Met::NotShown; }
  /// No lock is there. True, once for each: a write met one that no read showed.
  bool misses_what_a_write_met();

  // --- answers

  void request_begins();
  /// Such an answer is older than what was known when its request was sent: the server went back.
  bool is_of_the_past(const LockRecord& answer) const;
  /// It is older than what was seen before versions began anew.
  bool is_before_rewind(const LockRecord& answer) const {
    return is_older_lock(answer.version, before_rewind_);
  }
  /// While this answer was on its way something newer was seen, or an end of leadership that cannot
  /// be ordered with it.
  bool overtook(const LockRecord& answer) const;
  /// Something was seen that ends leaderships.
  void doubt() { doubted_ = true; }

  void observe(LockRecord lock, Instant now);
  /// The lock was deleted; `was_ours`: nobody has to wait for its end.
  void observe_gone(const LockRecord& last, bool was_ours, Instant now);
  void go_back_to(LockRecord lock, Instant now);
  /// A write of ours was taken.
  void acknowledged();
  /// What was seen of it before counts for nothing.
  void wait_anew(Instant now) { changed_ = moved_ = now; }
  /// The server may give versions again that were seen: that shows no other restore.
  void versions_begin_anew();
  /// That there is none was read.
  void is_absent() { record_.reset(); }
  /// As our last write left it.
  void left_as(const LockRecord& record) { record_ = record; }

  // --- watches

  /// What they show counts only once something was read, and if it is newer than that.
  bool is_news(const LockRecord& seen) const;
  /// One object of a pair, with which the pair is at this version, or with whose deletion.
  void half_seen(const std::string& version, Instant now);
  void half_gone(const std::string& version);

  /// Writes that the server was seen to take, by whomever: the first that is seen is none.
  std::uint64_t writes() const { return writes_; }

 private:
  void count_a_write(std::string_view version);
  bool half_moves_to(const std::string& version);

  std::optional<LockRecord> record_;
  Instant changed_;
  Instant moved_;
  std::string newest_;    ///< version of the newest state that was seen, a deletion included
  std::string asked_at_;  ///< the same when the request in hand was sent
  bool doubted_ = false;  ///< since then
  bool deleted_ = false;  ///< it, or half of it, as it was seen last
  /// There is another record, of which nothing else is known; or reads go on showing this one.
  enum class Met : std::uint8_t { No, ByAWrite, NotShown };
  Met met_ = Met::No;
  /// The newest version before the server went back: until a write of ours was acknowledged, reads
  /// that show it again may come from another server that never went back, and tell of no write.
  std::string before_rewind_;
  std::uint64_t writes_ = 0;
  const std::string nobody_;
};

}  // namespace nlc::election

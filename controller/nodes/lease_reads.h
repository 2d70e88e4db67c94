#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Reads by quorum the leases of nodes whose grace has ended, before they are judged. There are two
/// forms: a GET for each lease, or one list of all. What is refused in one form, or comes too late,
/// is asked for in the other.
///
/// A read that failed tells nothing. A lease that was seen before counts as gone only when both
/// forms did not find it. Each lease that cannot be read has a back-off of its own; after a list
/// that failed the next list waits, whatever nodes it is for.
///
/// Pure, on one thread. It does not say who is silent, only what was read.
class LeaseReads {
 public:
  LeaseReads(View view, Instant start) : view_(view), read_again_(start) {}

  /// While so many leases are being read, nobody looks for the end of another grace.
  static constexpr std::size_t few = 8;

  // --- who is to be read

  /// A monitor pass begins: whoever is to be read is named anew.
  void begin_pass() { wanted_.clear(); }
  /// When a node's lease may be read again, if its last read failed a moment ago.
  std::optional<Instant> retry_at(Slot slot, Instant now) const;
  /// A node's lease is to be read, unless that is under way: its grace ended at `grace_end`, and
  /// `version` is the newest of its lease that was seen.
  void want(Slot slot, AvailableTime grace_end, std::uint64_t version);
  /// By what it is known how old an answer is: by the watch of leases beside it, or, where there is
  /// none, by the version of a list. Then a single lease is read in a list of its own too.
  enum class Dated { ByStream, ByLists };
  /// How leases are read from now on. When the watch is back, leases that failed in lists are read
  /// at once: it may be there for a moment only.
  void read_by(Dated dated, Instant now);
  /// Begins one read of all that are wanted, if a read may begin now. Those that have to wait for
  /// the answers of others are forgotten: the pass after these answers names them again.
  std::optional<ReadLeases> begin(Instant now);
  /// When a read may begin; nothing where none is wanted, or others have to be answered first.
  std::optional<Instant> next() const;
  /// So many are being read that further nodes wait, to be read together.
  bool busy() const { return asked_ >= few; }

  // --- answers

  /// What was found of each that was asked for.
  struct Answer {
    Slot slot;
    AvailableTime asked_end;  ///< the end of its grace when it was asked for
    bool missing = false;     ///< its lease, which was seen, is not there in either form
  };
  struct Learned {
    std::vector<Answer> answers;  ///< of those of which something was learned
    /// The first that was answered in an older version than had been seen; null: none.
    const api::NodeLease* behind = nullptr;
    std::optional<Instant> retry_at = {};  ///< the others are to be read again
  };
  /// `found`: what the server holds, absent ones left out.
  Learned read(const ReadLeases& asked, const std::vector<api::NodeLease>& found, Instant now);
  /// The lease is there, in whatever answer: it is missing no more.
  void shown(Slot slot);
  /// None of those leases was read. Says when the first of them is to be read again.
  std::optional<Instant> failed(const ReadLeases& asked, const Error& error, Instant now);

  // --- what is known by them

  /// The read showed the node's lease unmoved since its grace ended. False: the answer came too
  /// late to count, and the lease is read by itself.
  bool confirm(Slot slot, const ReadLeases& asked, Instant now);
  /// A read confirmed it, and still counts.
  bool is_confirmed(Slot slot, Instant now) const { return confirmed_until(slot, now).has_value(); }
  std::optional<Instant> confirmed_until(Slot slot, Instant now) const;
  /// What was read of it does not count any more.
  void doubt(Slot slot);
  /// The lease need not be read any more: it moved, or its node is Unknown already.
  void forget_failures(Slot slot);
  void forget_all_failures();
  void forget(Slot slot);

  /// Leases whose last read failed, and why one of them did.
  struct Unread {
    std::size_t leases = 0;
    std::string why;
    bool all = false;  ///< none has been read since the first of these failed
  };
  const Unread& unread() const { return unread_; }
  /// Calls `visit(slot, since)` for each whose lease is being read.
  template <typename Visit>
  void each_asked(Visit visit) const {
    if (asked_ == 0) return;
    for (const auto& [slot, known] : known_) {
      if (known.asked) visit(slot, *known.asked);
    }
  }

  /// How the reads of one lease stand.
  struct Progress {
    std::optional<Instant> asked;  ///< since then it is being read
    bool failing = false;          ///< the last read failed, or told nothing
    Instant read_after = Instant::min();
  };
  Progress progress(Slot slot) const {
    const auto found = known_.find(slot);
    if (found == known_.end()) return {};
    const Known& known = found->second;
    return {.asked = known.asked, .failing = known.failures > 0, .read_after = known.read_after};
  }

  /// Not the one that was seen under its name.
  bool is_another(const api::NodeLease& lease) const;

 private:
  struct Wanted {
    Slot slot;
    AvailableTime grace_end;
    std::uint64_t version = 0;
  };
  struct Known {
    std::optional<Instant> asked;            ///< since then its lease is being read
    AvailableTime asked_end;                 ///< for the end of that grace
    std::uint64_t asked_version = 0;         ///< of the lease, as it was known then
    std::optional<Instant> confirmed_until;  ///< silent by a read
    bool came_late = false;                  ///< the last read did that shows it unmoved
    bool absent_alone = false;               ///< not there by a single read, though it was seen
    bool absent_in_list = false;             ///< the same by a list: both together are believed
    int failures = 0;                        ///< of reads in a row
    Instant failing_since{};                 ///< the first of them
    Instant alone_barred_until = Instant::min();  ///< by itself it cannot be read
    Instant read_after = Instant::min();
    bool waits_for_list = false;  ///< until then
  };
  /// One way to read leases: one by one, or in a list.
  struct Form {
    int failures = 0;                       ///< in a row
    Instant barred_until = Instant::min();  ///< the other one is used meanwhile
  };
  Form& form_of(const ReadLeases& asked) { return asked.dated_by_stream() ? singles_ : lists_; }
  bool was_seen(Slot slot) const;  ///< its lease
  bool is_behind(const api::NodeLease& lease, std::uint64_t known) const;
  std::size_t singles_max() const;
  bool may_ask() const;
  bool in_one_list(Instant now) const;
  bool keep_those_to_be_read_alone(Instant now);
  std::vector<Slot> answered(const ReadLeases& asked);
  bool bars_its_form(const ReadLeases& asked, const Error& error);
  bool stops_all(const ReadLeases& asked, const Error& error) const;
  Instant note_failure(Slot slot, const std::string& why, Duration pause, Instant now);
  void note_success(Slot slot);

  const View view_;
  std::map<Slot, Known> known_;
  std::vector<Wanted> wanted_;
  std::size_t asked_ = 0;  ///< leases that are being read
  Unread unread_;
  Instant read_again_;
  Dated dated_ = Dated::ByStream;
  Form singles_;
  Form lists_;
};

}  // namespace nlc::controller

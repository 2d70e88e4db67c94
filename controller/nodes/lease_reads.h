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

/// Reads, by quorum, of the leases of nodes whose grace has ended, before anything is said of them:
/// one by one, or many in a list; what may not be read in one form, or not in time, is asked for in
/// the other.
///
/// A read that failed tells nothing. A lease that was seen and is not there is believed to be gone
/// only where both forms say so. Each that cannot be read waits for itself; a list that failed lets
/// the next one wait, whoever is in it.
///
/// Pure, on one thread. Who is silent is for its owner to say: here it is about what was read.
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
  /// A stream beside it says of what time a lease is that is read by itself. Without one it is read
  /// in a list of its own: then there is but one form, to be asked in one by one or of all.
  enum class Dated { ByStream, ByLists };
  /// How leases are read from now on. What failed in lists waits no longer where a stream dates
  /// single reads again: it may do so for a moment only.
  void read_by(Dated dated, Instant now);
  /// One read of all that are wanted, as soon as one may begin. Whoever has to wait for the answers
  /// of others is named anew in the pass that these call for.
  std::optional<ReadLeases> begin(Instant now);
  /// When that is; nothing where none is wanted, or others have to be answered first.
  std::optional<Instant> next() const;
  /// So many are being read that those whose grace ends gather for the next read.
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
  /// A lease that is there, also in an answer by which nobody is judged: it is missing no more.
  void shown(Slot slot);
  /// Says when the first of them is to be read again, if one is.
  std::optional<Instant> failed(const ReadLeases& asked, const Error& error, Instant now);

  // --- what is known by them

  /// A node's lease was read unmoved since its grace ended. False: too long ago, and it is read by
  /// itself.
  bool confirm(Slot slot, const ReadLeases& asked, Instant now);
  /// So it was, and not too long ago.
  bool is_confirmed(Slot slot, Instant now) const { return confirmed_until(slot, now).has_value(); }
  std::optional<Instant> confirmed_until(Slot slot, Instant now) const;
  /// What was read of it does not count any more.
  void doubt(Slot slot);
  /// Nobody wants to know whether it can be read: it moved, or is Unknown already.
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

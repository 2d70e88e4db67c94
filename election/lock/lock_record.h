#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

/// What a lock says, apart from how it says it: the election knows records alone
/// (spec/leader-election.md "Lock objects").
namespace nlc::election {

/// Who leads, and since when. Times that others wrote are data; nobody compares them with a clock.
struct LockRecord {
  std::string uid;      ///< of what carries the record: another one is another lock
  std::string version;  ///< its resourceVersion, by which a change is told
  std::string holder;   ///< empty: nobody
  std::optional<std::int64_t> duration_seconds;
  std::optional<WallTime> acquired;
  std::optional<WallTime> renewed;
  std::int64_t transitions = 0;
  std::string strategy;  ///< this and the next belong to coordinated election, and are kept
  std::string preferred_holder;
};

/// For how long after its last renewal a holder is to be waited for: its record's duration if that
/// is longer than ours; without one ours (spec/incidents.md "Differing durations"). What is longer
/// than a year counts as a year, for in the end it would overflow an Instant.
Duration lease_of(const LockRecord& record, Duration ours);

/// It names nobody, as whoever releases a lock writes it. Who merely erases a holder leaves the
/// duration that was there.
bool is_given_back(const LockRecord& record);

/// Whether one claim may have written both halves of a pair. An annotation has whole seconds.
bool is_of_one_leadership(const LockRecord& half, const LockRecord& other);

/// Whether somebody renewed, took or gave back the lock in between.
bool moved(const LockRecord& before, const LockRecord& now);

/// The versions of a pair as one, the primary's first, and so its uids.
std::string joined_versions(std::string_view primary, std::string_view secondary);
/// Of the primary, or of the only one.
std::string_view first_of_joined(std::string_view joined);
/// Of the secondary; empty where there is one only.
std::string_view second_of_joined(std::string_view joined);
bool is_joined(std::string_view text);

/// Whether `left` is an older state of a lock than `right`. Of a pair: of either half; a half that
/// is missing is not compared. Versions that are no numbers cannot be compared, and none is older.
bool is_older_lock(std::string_view left, std::string_view right);

}  // namespace nlc::election

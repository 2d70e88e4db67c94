#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/result.h"
#include "runtime/time.h"

/// What a lock says, apart from how it says it: the election knows records, this file knows the
/// objects that carry them (spec/leader-election.md "Lock objects").
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

/// Whether one claim may have written both halves of a pair. An annotation has whole seconds.
bool is_of_one_leadership(const LockRecord& half, const LockRecord& other);

/// Whether somebody renewed, took or gave back the lock in between.
bool moved(const LockRecord& before, const LockRecord& now);

enum class Carrier : std::uint8_t { Lease, Endpoints, ConfigMap };

/// Where the object stands, and the labels that it gets from us.
struct LockPlace {
  Carrier carrier = Carrier::Lease;
  std::string namespace_;
  std::string name;
  std::map<std::string, std::string> labels = {};
};

/// An object as the server had it. The whole text is kept, so that a PUT loses nothing of others.
struct LockObject {
  LockRecord record;
  std::string text;
};

inline constexpr std::string_view record_annotation = "control-plane.alpha.kubernetes.io/leader";

std::string_view kind_of(Carrier carrier);
std::string_view api_version_of(Carrier carrier);
std::string collection_path(const LockPlace& place);
std::string object_path(const LockPlace& place);

/// Malformed when the text is no such object, or its annotation is no record. Without an annotation
/// the record is empty.
Result<LockObject> decode_lock(Carrier carrier, std::string_view text);

/// The body of a POST when there is no object yet, else of a PUT at `record.version`.
std::string encode_lock(const LockPlace& place, const LockRecord& record,
                        const std::optional<LockObject>& before);

/// One line of a watch. Nothing: a bookmark, or something that cannot be read.
struct LockChange {
  LockObject object;
  bool gone = false;    ///< deleted at that version
  bool ended = false;   ///< no object but an error: the stream is of no more use
  std::string foreign;  ///< what was shown instead of our object; to be ignored
};
std::optional<LockChange> decode_lock_change(const LockPlace& place, std::string_view line);

/// The versions of a pair as one, the primary's first, and so its uids.
std::string joined_versions(std::string_view primary, std::string_view secondary);
/// Of the primary, or of the only one.
std::string_view first_of_joined(std::string_view joined);

/// Whether `left` is an older state of a lock than `right`. Of a pair: of either half; a half that
/// is missing is not compared. Versions that are no numbers cannot be compared, and none is older.
bool is_older_lock(std::string_view left, std::string_view right);

}  // namespace nlc::election

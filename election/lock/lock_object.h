#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "election/lock/lock_record.h"
#include "runtime/result.h"

/// The objects that carry records (spec/leader-election.md "Lock objects").
namespace nlc::election {

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

}  // namespace nlc::election

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "election/lock/lock_record.h"
#include "runtime/time.h"

namespace nlc::election {

/// What this process claimed last, by what no other record says: a record is ours if this process
/// wrote it since it last began to lead, which is told by uid, transitions and acquireTime. One
/// under our name that another process wrote, or an earlier life of this one, is foreign.
///
/// Pure.
class OwnClaim {
 public:
  explicit OwnClaim(std::string identity) : identity_(std::move(identity)) {}

  /// `record` is about to be written over `seen`; nothing: there is no lock yet.
  void begin(const std::optional<LockRecord>& seen, const LockRecord& record);
  /// What the server took is what later records of this leadership are compared with: it may keep
  /// times in whole seconds.
  void adopt(const LockRecord& acknowledged);
  void forget() { claimed_.reset(); }
  /// The lock stands so; nothing: there is none. What is not ours ends our claim, save one whose
  /// answer was lost: it may still be applied for as long as the version that it overwrites is the
  /// current one, so until then it must be recognised.
  void observe(const std::optional<LockRecord>& lock);

  bool covers(const LockRecord& lock) const;
  /// The same of half of a pair, which may keep times in whole seconds and has a uid of its own.
  bool covers_half(const LockRecord& half) const;

 private:
  struct Claimed {
    std::string uid;   ///< empty: the lock was yet to be made
    std::string base;  ///< the version that was to be overwritten; empty where `uid` is
    std::optional<WallTime> acquired;
    std::int64_t transitions = 0;
    bool acknowledged = false;
  };

  const std::string identity_;
  std::optional<Claimed> claimed_;
};

}  // namespace nlc::election

#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "api/version.h"

namespace nlc::informer {

/// How far a collection is known, by resourceVersions: where a watch would resume, and whether a
/// list shows that the server went back in time. Pure.
class ReachedVersion {
 public:
  /// Empty: the next thing needed is a list.
  const std::string& version() const { return version_; }
  void forget() { version_.clear(); }

  /// A stream has come so far. False: it had come further, and tells again of what may be gone
  /// since; whether the server went back in time the next list or probe shows. A stream that goes
  /// on until a list takes its place is compared with all that was seen, and `version` stays empty.
  bool reach(std::string_view version) {
    if (version.empty()) return true;
    const bool is_replaced = version_.empty();
    if (api::older_version(version, is_replaced ? newest_ : version_)) return false;
    if (!is_replaced) version_ = version;
    if (api::older_version(newest_, version)) newest_ = version;
    return true;
  }
  /// A list is complete.
  void listed(std::string_view version) {
    if (api::older_version(version, newest_)) ++rewinds_;
    version_ = version;
    newest_ = version;
    listed_ = true;
  }

  bool was_listed() const { return listed_; }
  /// How often a list was older than what had been seen before it.
  std::uint64_t rewinds() const { return rewinds_; }

 private:
  std::string version_;
  std::string newest_;  ///< seen since the last complete list
  std::uint64_t rewinds_ = 0;
  bool listed_ = false;
};

}  // namespace nlc::informer

#pragma once

#include <map>
#include <optional>
#include <string>

#include "runtime/time.h"

namespace nlc::controller {

/// Nodes and pods that their watch shows and a read or a write did not find, or found another of
/// that name: if that is still so when their deletion would long have come, the watch has told of
/// one that was gone before, or missed that it went. Of one collection.
///
/// Pure, on one thread.
class MissingObjects {
 public:
  /// An object was not found. True: its collection is to be listed anew.
  bool not_found(const std::string& uid, Instant now);

 private:
  std::map<std::string, Instant> since_;  ///< by uid
  std::optional<Instant> swept_;          ///< of those that count no more
  std::optional<Instant> listed_;         ///< the last time that it was called for
};

}  // namespace nlc::controller

#pragma once

#include <string>
#include <string_view>

#include "runtime/result.h"

namespace nlc::net {

/// A new folder PREFIX-XXXXXX of the user's own, where temporary files go: in $TMPDIR, or in /tmp
/// where that says nothing, as mktemp(1) has it. The error is a line that names the place.
Result<std::string> make_temporary_folder(std::string_view prefix);

/// One that is gone at the end of this value, with all that is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(std::string_view prefix) : path_(make_temporary_folder(prefix)) {}
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  /// The error says why there is none.
  const Result<std::string>& path() const { return path_; }

 private:
  const Result<std::string> path_;
};

}  // namespace nlc::net

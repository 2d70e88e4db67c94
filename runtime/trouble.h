#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

namespace nlc {

/// Decides when a lasting problem is logged: each kind of it when it first occurs and once a minute
/// while it goes on, and its end once. A kind is one of a few (the name of a fault), never a
/// server's text, which may differ each time.
///
/// Pure: says whether to tell now, and tells nothing itself.
class Trouble {
 public:
  /// It was met, perhaps again. True: to be told now.
  bool met(std::string_view kind, Instant now);

  /// It lasts, and nothing of it was told for a minute. True: to be told now.
  bool remind(Instant now);

  /// All is well. How long the trouble lasted, if any of it was told; nothing else is to be told.
  std::optional<Duration> over(Instant now);

  bool lasts() const { return began_.has_value(); }
  /// How often it was met since it was last told.
  std::uint64_t untold() const { return untold_; }

 private:
  std::optional<Instant> began_;
  bool told_ = false;  ///< of the trouble that lasts
  std::uint64_t untold_ = 0;
  Instant last_;                                           ///< when anything of it was told
  std::map<std::string, Instant, std::less<>> last_told_;  ///< by kind; outlives an end
};

}  // namespace nlc

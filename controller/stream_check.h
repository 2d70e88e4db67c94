#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

namespace nlc::controller {

/// Holds a watch to what direct reads and acknowledged writes have shown: whatever a server told
/// us directly has to come on the stream as well, soon after. A stream that stays behind is stuck,
/// or served by a server that lags.
///
/// Pure. Versions are of one collection; those of single objects will do.
class StreamCheck {
 public:
  explicit StreamCheck(Duration patience = std::chrono::seconds(5)) : patience_(patience) {}

  /// The server showed this version; the stream has come to `reached`.
  void found(std::string_view version, std::string_view reached, Instant now);

  /// Whether the stream has been behind for longer than it may be.
  bool stalled(std::string_view reached, Instant now);

  /// Of a stalled stream: whether it is time to begin it anew, once in each span of patience.
  bool take_restart(Instant now);

  /// What was awaited before the server went back in time will never come.
  void forget() { awaited_.clear(); }

 private:
  const Duration patience_;
  std::string awaited_;  ///< empty: nothing
  Instant since_;
  std::optional<Instant> restarted_;
};

}  // namespace nlc::controller

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/time.h"

namespace nlc::controller {

/// Holds a watch to what direct reads and acknowledged writes have shown: whatever a server told
/// us directly has to come on the stream as well, soon after. A stream that stays behind is stuck,
/// or served by a server that lags.
///
/// A stream that was stalled is well again when it has brought something by itself, or has not been
/// found behind for a minute: a list in between catches up, but moves nothing on. A list that does
/// not even catch up, begun after that was shown, is of a server that no longer has it.
///
/// Pure. Versions are of one collection; those of single objects will do.
class StreamCheck {
 public:
  struct Progress {
    std::string_view version;   ///< how far the stream has come
    std::uint64_t applied = 0;  ///< changes that it has brought
    std::uint64_t lists = 0;    ///< complete ones
  };
  enum class StreamState {
    Well,
    Stalled,
    Restart,  ///< stalled, and to be begun anew; said once in each span of it
    WentBack  ///< a list begun since does not have what was awaited, which is forgotten
  };

  /// The server showed this version, and the stream could have brought it since then.
  void found(std::string_view version, const Progress& progress, Instant since);

  StreamState look(const Progress& progress, Instant now);

  /// The stream was stalled when it was last looked at, or has not been well again since.
  bool stalled() const { return stalled_; }

  /// What was awaited before the server went back in time will never come.
  void forget();

 private:
  bool listed_since(const Progress& progress) const;

  std::string awaited_;  ///< empty: nothing
  Instant since_;
  std::optional<std::uint64_t> lists_before_;  ///< it was begun anew for what is awaited
  bool stalled_ = false;
  Instant restarted_ = Instant::min();
  Instant behind_;  ///< when it was last seen to be
  std::uint64_t applied_ = 0;
};

}  // namespace nlc::controller

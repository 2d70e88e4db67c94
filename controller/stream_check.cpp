#include "controller/stream_check.h"

#include "informer/version.h"

namespace nlc::controller {

using informer::older_version;

void StreamCheck::found(std::string_view version, std::string_view reached, Instant now) {
  if (!older_version(reached, version)) return;
  if (awaited_.empty()) {
    since_ = now;
    restarted_.reset();
  }
  if (older_version(awaited_, version)) awaited_ = version;
}

bool StreamCheck::stalled(std::string_view reached, Instant now) {
  if (awaited_.empty()) return false;
  if (!older_version(reached, awaited_)) {
    awaited_.clear();
    return false;
  }
  return now - since_ > patience_;
}

bool StreamCheck::take_restart(Instant now) {
  if (restarted_ && now - *restarted_ <= patience_) return false;
  restarted_ = now;
  return true;
}

}  // namespace nlc::controller

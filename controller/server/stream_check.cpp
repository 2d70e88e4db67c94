#include "controller/server/stream_check.h"

#include "api/version.h"

namespace nlc::controller {
namespace {

using api::older_version;

/// So late a stream may be, behind what was shown.
constexpr Duration tolerance = std::chrono::seconds(5);

constexpr Duration quiet = std::chrono::minutes(1);

}  // namespace

void StreamCheck::found(std::string_view version, const Progress& progress, Instant since) {
  if (!older_version(progress.version, version)) return;
  if (awaited_.empty()) since_ = since;
  if (!older_version(awaited_, version)) return;
  awaited_ = version;
  lists_before_.reset();
}

/// A list that is under way when the stream is to be begun anew may be older than what was shown.
bool StreamCheck::listed_since(const Progress& progress) const {
  return lists_before_ && progress.lists > *lists_before_ && !progress.version.empty();
}

StreamCheck::StreamState StreamCheck::look(const Progress& progress, Instant now) {
  if (!older_version(progress.version, awaited_)) forget();
  if (listed_since(progress)) {
    forget();
    return StreamState::WentBack;
  }
  if (!awaited_.empty() && now > since_ + tolerance) {
    stalled_ = true;
    behind_ = now;
    applied_ = progress.applied;
    if (restarted_ != Instant::min() && now <= restarted_ + tolerance) return StreamState::Stalled;
    restarted_ = now;
    if (!progress.version.empty() && !lists_before_) lists_before_ = progress.lists;
    return StreamState::Restart;
  }
  const bool flows = progress.applied != applied_ && awaited_.empty();
  if (flows || now > behind_ + quiet) stalled_ = false;
  return stalled_ ? StreamState::Stalled : StreamState::Well;
}

void StreamCheck::forget() {
  awaited_.clear();
  lists_before_.reset();
}

}  // namespace nlc::controller

#include "controller/server/probe_schedule.h"

#include <algorithm>
#include <utility>

namespace nlc::controller {
namespace {

constexpr Duration pause = std::chrono::seconds(1);
constexpr Duration pause_without_right = std::chrono::seconds(10);

}  // namespace

void ProbeSchedule::lead(bool leading) {
  leading_ = leading;
  undated_ = leading && is_for_lists({});
}

void ProbeSchedule::lease_written(std::string_view version, Instant now) {
  if (version.empty()) {
    lock_is_no_lease_ = true;
  } else {
    dated_ = now;
  }
}

/// While kubelets prove that the server takes writes none would be made, and a lock that is no
/// Lease dates no list: who is silent by a list of the past would be judged by it.
bool ProbeSchedule::is_for_lists(const Wish& wish) const {
  return options_.probes && options_.dates_lists && (lock_is_no_lease_ || wish.lists_decide);
}

/// Where a write takes seconds the next one is sent as much earlier, or two proofs would lie
/// further apart than what is blind, and no time would ever count as silence.
std::optional<Instant> ProbeSchedule::next(Instant last_proof, const Wish& wish) const {
  if (!options_.probes || under_way_ || !leading_) return std::nullopt;
  if (undated_ || wish.awaited) return not_before_;
  const Instant known = is_for_lists(wish) ? std::min(last_proof, dated_) : last_proof;
  return std::max(known + std::max(options_.after - takes_, Duration{0}), not_before_);
}

void ProbeSchedule::sent(std::string_view leases_reached) {
  under_way_ = true;
  leases_reached_ = leases_reached;
}

bool ProbeSchedule::answered(const Result<WriteProbe::Written>& written, Instant now) {
  under_way_ = false;
  answered_ = now;
  const bool forbidden = !written && written.error().fault == Fault::Forbidden;
  not_before_ = now + (forbidden ? pause_without_right : pause);
  takes_ = written ? std::chrono::floor<std::chrono::seconds>(now - written->sent) : Duration{0};
  refused_ = written ? std::string() : written.error().path;
  // Where only the leader writes it, what was read a moment ago and is refused was of the past.
  const bool read_of_the_past = !written && written.error().fault == Fault::Conflict;
  return !read_of_the_past && std::exchange(undated_, false);
}

}  // namespace nlc::controller

#include "sim/kubelet/hollow_lease.h"

#include <algorithm>
#include <utility>

namespace nlc::sim {

LeaseStep LeaseKeeper::begin(Duration first_rest) {
  first_rest_ = first_rest;
  version_.clear();
  tries_ = 0;
  reread_ = true;
  return read();
}

LeaseStep LeaseKeeper::wake() {
  if (!std::exchange(resting_, false)) return {LeaseAction::Read};
  tries_ = 0;
  reread_ = version_.empty();
  return version_.empty() ? read() : LeaseStep{LeaseAction::Update};
}

LeaseStep LeaseKeeper::on_read(const Result<api::Lease>& answer, Random& random) {
  if (answer) {
    backoff_ = backoff_min;
    version_ = answer->resource_version;
    return tries_ < quick_tries ? LeaseStep{LeaseAction::Update} : rest(random);
  }
  return answer.error().fault == Fault::NotFound ? LeaseStep{LeaseAction::ReadOwner} : back_off();
}

// Without its Node a lease would have no owner and outlive it; a kubelet leaves it for the next
// time.
LeaseStep LeaseKeeper::on_owner(bool exists, Random& random) {
  if (exists) return {LeaseAction::Create};
  version_.clear();
  return rest(random);
}

LeaseStep LeaseKeeper::on_created(const Result<api::Lease>& answer, Random& random) {
  if (!answer) return back_off();
  version_ = answer->resource_version;
  return rest(random);
}

LeaseStep LeaseKeeper::on_updated(const Result<api::Lease>& answer, Random& random) {
  if (answer) {
    version_ = answer->resource_version;
    return rest(random);
  }
  ++tries_;
  if (answer.error().fault == Fault::Conflict) return read();
  if (tries_ < quick_tries) return {LeaseAction::Update};
  if (std::exchange(reread_, true)) return rest(random);
  tries_ = 0;
  return read();
}

LeaseStep LeaseKeeper::rest(Random& random) {
  resting_ = true;
  backoff_ = backoff_min;
  if (const Duration first = std::exchange(first_rest_, Duration{0}); first > Duration{0}) {
    return {LeaseAction::Wait, first};
  }
  return {LeaseAction::Wait, interval_ + random.between(Duration{0}, interval_ / 25)};
}

LeaseStep LeaseKeeper::back_off() {
  resting_ = false;
  return {LeaseAction::Wait, std::exchange(backoff_, std::min(backoff_ * 2, backoff_max))};
}

LeaseStep LeaseKeeper::read() {
  backoff_ = backoff_min;
  return {LeaseAction::Read};
}

}  // namespace nlc::sim

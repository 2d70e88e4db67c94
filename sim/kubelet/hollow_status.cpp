#include "sim/kubelet/hollow_status.h"

#include <cassert>

namespace nlc::sim {

StatusStep StatusRounds::begin() {
  tries_ = 0;
  return {StatusAction::ReadCached};
}

StatusStep StatusRounds::on_read(bool status_differs, Instant now, Random& random) {
  const bool never_reported = last_report_ == Instant::min();
  if (status_differs || never_reported || now - last_report_ >= timing_.report_frequency) {
    return {StatusAction::Patch};
  }
  return rest(random);
}

StatusStep StatusRounds::on_patched(bool accepted, Instant now, Random& random) {
  if (!accepted) return next_try(random);
  last_report_ = now;
  return rest(random);
}

StatusStep StatusRounds::next_try(Random& random) {
  assert(tries_ < tries_per_round);
  ++tries_;
  return tries_ < tries_per_round ? StatusStep{StatusAction::ReadNewest} : rest(random);
}

StatusStep StatusRounds::rest(Random& random) const {
  const Duration pause = timing_.update_frequency;
  return {StatusAction::Wait, pause + random.between(Duration{0}, pause / 25)};
}

}  // namespace nlc::sim

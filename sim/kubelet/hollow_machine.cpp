#include "sim/kubelet/hollow_machine.h"

namespace nlc::sim {

Timer HollowMachine::after(Duration wait, std::function<void()> work) {
  Instant when = env_.clock.now() + wait;
  if (const Duration tick = env_.options.tick; tick > Duration{0}) {
    const Duration behind = when.time_since_epoch() % tick;
    if (behind > Duration{0}) when += tick - behind;
  }
  return env_.executor.run_at(when, std::move(work));
}

}  // namespace nlc::sim

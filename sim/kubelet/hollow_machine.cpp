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

WallTime HollowMachine::wall_now() const {
  return env_.clock.wall_now() + std::chrono::floor<std::chrono::microseconds>(clock_offset_);
}

}  // namespace nlc::sim

#include "sim/virtual_time.h"

#include <algorithm>

namespace nlc::sim {

// An arbitrary uptime: a machine that has just booted would hide mistakes about instants before
// `start`.
VirtualTime::VirtualTime(WallTime wall_start)
    : start_(Instant{std::chrono::hours(1000)}), wall_start_(wall_start), now_(start_) {}

WallTime VirtualTime::wall_now() const {
  return wall_start_ + std::chrono::floor<std::chrono::microseconds>(now_ - start_ + wall_step_);
}

void VirtualTime::post(std::function<void()> work) { schedule(now_, std::move(work)); }

Timer VirtualTime::run_at(Instant when, std::function<void()> work) {
  const Key key = schedule(std::max(when, now_), std::move(work));
  return Timer([this, key] { agenda_.erase(key); });
}

void VirtualTime::run_for(Duration span) {
  const Instant end = now_ + span;
  while (!agenda_.empty() && agenda_.begin()->first.first <= end) {
    auto entry = agenda_.extract(agenda_.begin());
    now_ = entry.key().first;
    ++steps_;
    entry.mapped()();
  }
  now_ = end;
}

std::optional<Instant> VirtualTime::next_due() const {
  if (agenda_.empty()) return std::nullopt;
  return agenda_.begin()->first.first;
}

VirtualTime::Key VirtualTime::schedule(Instant when, std::function<void()> work) {
  const Key key{when, next_number_++};
  agenda_.emplace(key, std::move(work));
  return key;
}

}  // namespace nlc::sim

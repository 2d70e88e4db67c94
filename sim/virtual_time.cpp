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

void VirtualTime::post(std::function<void()> work) { (void)schedule(now_, std::move(work)); }

Timer VirtualTime::run_at(Instant when, std::function<void()> work) {
  const std::uint64_t number = schedule(std::max(when, now_), std::move(work));
  return Timer([this, number] { cancel(number); });
}

void VirtualTime::run_for(Duration span) {
  const Instant end = now_ + span;
  while (!queue_.empty() && queue_.front().when <= end) {
    now_ = queue_.front().when;
    ++steps_;
    const auto work = agenda_.take(queue_.front().number);
    drop_cancelled();
    (*work)();
  }
  now_ = end;
}

std::optional<Instant> VirtualTime::next_due() const {
  if (queue_.empty()) return std::nullopt;
  return queue_.front().when;
}

std::uint64_t VirtualTime::schedule(Instant when, std::function<void()> work) {
  const std::uint64_t number = agenda_.add(std::move(work));
  queue_.push_back({when, number});
  std::ranges::push_heap(queue_, std::ranges::greater());
  return number;
}

void VirtualTime::cancel(std::uint64_t number) {
  const auto cancelled = agenda_.take(number);  // goes last: what it holds may cancel other work
  if (cancelled) drop_cancelled();
}

/// The first of the queue is always to be done. The others that were cancelled stay until their
/// turn comes, or until they are most of it.
void VirtualTime::drop_cancelled() {
  const auto is_cancelled = [this](const Due& due) { return agenda_.find(due.number) == nullptr; };
  if (queue_.size() > 64 && queue_.size() > 4 * agenda_.size()) {
    std::erase_if(queue_, is_cancelled);
    std::ranges::make_heap(queue_, std::ranges::greater());
  }
  while (!queue_.empty() && is_cancelled(queue_.front())) {
    std::ranges::pop_heap(queue_, std::ranges::greater());
    queue_.pop_back();
  }
}

}  // namespace nlc::sim

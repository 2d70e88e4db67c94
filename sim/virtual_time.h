#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "runtime/clock.h"
#include "runtime/executor.h"
#include "sim/agenda.h"

namespace nlc::sim {

/// Clock and executor of a simulated world in one: time stands still while work runs and jumps to
/// the next timer when there is no work. Work that is due at the same moment runs in the order in
/// which it was scheduled, so two runs of the same world are equal to the last step.
/// Single-threaded.
class VirtualTime final : public Clock, public Executor {
 public:
  explicit VirtualTime(WallTime wall_start);

  Instant now() const override { return now_; }
  WallTime wall_now() const override;

  void post(std::function<void()> work) override;
  Timer run_at(Instant when, std::function<void()> work) override;

  /// Runs everything that is due until `span` has passed; the clock stands exactly there
  /// afterwards.
  void run_for(Duration span);

  /// Runs what is due now, without letting time pass.
  void run_ready() { run_for(Duration{0}); }

  /// When the next work is due; nothing when there is none.
  std::optional<Instant> next_due() const;

  /// Moves calendar time alone, as an operator's `date -s` would.
  void step_wall_clock(Duration step) { wall_step_ += step; }

  std::uint64_t steps() const { return steps_; }

 private:
  struct Due {
    Instant when;
    std::uint64_t number;  ///< makes ties deterministic
    auto operator<=>(const Due&) const = default;
  };

  std::uint64_t schedule(Instant when, std::function<void()> work);
  void cancel(std::uint64_t number);
  void drop_cancelled();

  const Instant start_;
  const WallTime wall_start_;
  Duration wall_step_{0};
  Instant now_;
  std::uint64_t steps_ = 0;
  std::vector<Due> queue_;  ///< a heap
  Agenda<std::function<void()>> agenda_;
};

}  // namespace nlc::sim

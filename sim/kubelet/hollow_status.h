#pragma once

#include "runtime/random.h"
#include "runtime/time.h"

namespace nlc::sim {

/// What the rounds of a kubelet's node status want next: a wait after which `wake` is called, or a
/// request.
enum class StatusAction { Wait, ReadCached, ReadNewest, Patch };

struct StatusStep {
  StatusAction action = StatusAction::Wait;
  Duration wait{0};
};

struct StatusTiming {
  Duration update_frequency = std::chrono::seconds(10);  ///< how often it is computed
  Duration report_frequency = std::chrono::minutes(5);   ///< how often it is posted unchanged
};

/// When a kubelet reads its Node and posts its status: each round reads what the server has and
/// posts only if that differs or the last post is older than the report frequency. A round has five
/// tries without a pause, the first of them may read from the server's cache.
///
/// Pure. Calls follow: begin (wake | on_read | on_read_failed | on_patched)*, each the answer to
/// the step that was returned last.
class StatusRounds {
 public:
  static constexpr int tries_per_round = 5;

  explicit StatusRounds(StatusTiming timing) : timing_(timing) {}

  StatusStep begin();
  StatusStep wake() { return begin(); }
  StatusStep on_read(bool status_differs, Instant now, Random& random);
  StatusStep on_read_failed(Random& random) { return next_try(random); }
  StatusStep on_patched(bool accepted, Instant now, Random& random);

 private:
  StatusStep next_try(Random& random);
  StatusStep rest(Random& random) const;

  StatusTiming timing_;
  int tries_ = 0;
  Instant last_report_{Instant::min()};
};

}  // namespace nlc::sim

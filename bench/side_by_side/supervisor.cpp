#include "bench/side_by_side/supervisor.h"

#include <algorithm>
#include <utility>

#include "tests/real/rig/waiting.h"

namespace nlc::bench {

using namespace std::chrono_literals;

Duration pause_before_restart(std::size_t restarts_before) {
  Duration pause = restarts_before == 0 ? 0s : 10s;
  for (std::size_t more = 1; more < restarts_before && pause < 5min; ++more) pause *= 2;
  return std::min<Duration>(pause, 5min);
}

Supervisor::Supervisor(Start start, std::string name)
    : start_(std::move(start)), name_(std::move(name)), contender_(start_(name_)) {}

void Supervisor::look() {
  if (contender_->process().running()) return;
  if (!ended_) ended_ = real::wall_now();
  if (real::wall_now() - *ended_ < pause_before_restart(restarts_)) return;
  ++restarts_;
  contender_.reset();
  contender_.emplace(start_(name_ + "-" + std::to_string(restarts_)));
  ended_.reset();
}

}  // namespace nlc::bench

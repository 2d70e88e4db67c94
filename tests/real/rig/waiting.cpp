#include "waiting.h"

#include <thread>

namespace nlc::real {
namespace {

using Stopwatch = std::chrono::steady_clock;

}  // namespace

WallTime wall_now() {
  return std::chrono::time_point_cast<WallTime::duration>(std::chrono::system_clock::now());
}

std::optional<Duration> await(Duration limit, const std::function<bool()>& holds, Duration pause) {
  const Stopwatch::time_point begin = Stopwatch::now();
  while (true) {
    const bool yes = holds();
    const Duration elapsed = Stopwatch::now() - begin;
    if (yes) return elapsed;
    if (elapsed >= limit) return std::nullopt;
    std::this_thread::sleep_for(pause);
  }
}

bool stays(Duration length, const std::function<bool()>& holds, Duration pause) {
  return !await(
      length, [&holds] { return !holds(); }, pause);
}

}  // namespace nlc::real

#include "runtime/random.h"

namespace nlc {

std::uint64_t Random::next() {
  state_ += 0x9e3779b97f4a7c15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31U);
}

double Random::fraction() { return static_cast<double>(next() >> 11U) * 0x1.0p-53; }

Duration Random::between(Duration low, Duration high) {
  if (high <= low) return low;
  const double width = static_cast<double>((high - low).count());
  return low + Duration{static_cast<Duration::rep>(fraction() * width)};
}

std::uint64_t Random::below(std::uint64_t count) { return count == 0 ? 0 : next() % count; }

}  // namespace nlc

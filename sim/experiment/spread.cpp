#include "sim/experiment/spread.h"

#include <algorithm>
#include <numeric>

namespace nlc::sim::experiment {
namespace {

Duration percentile(const std::vector<Duration>& sorted, std::size_t percent) {
  const std::size_t rank = (sorted.size() * percent + 99) / 100;
  return sorted[std::max<std::size_t>(rank, 1) - 1];
}

}  // namespace

Spread spread_of(std::vector<Duration> times) {
  if (times.empty()) return {};
  std::ranges::sort(times);
  return {.count = times.size(),
          .least = times.front(),
          .p50 = percentile(times, 50),
          .p99 = percentile(times, 99),
          .most = times.back()};
}

Tally tally_of(const std::vector<std::size_t>& counts) {
  if (counts.empty()) return {};
  const std::size_t total = std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  return {.mean = static_cast<double>(total) / static_cast<double>(counts.size()),
          .total = total,
          .least = *std::ranges::min_element(counts),
          .most = *std::ranges::max_element(counts)};
}

}  // namespace nlc::sim::experiment

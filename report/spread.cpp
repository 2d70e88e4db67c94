#include "report/spread.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace nlc::report {
namespace {

/// Of sorted values. What the multiplication adds to a whole number is no reason for the next one.
template <typename T>
T covering(const std::vector<T>& sorted, double share) {
  const double rank = std::ceil(share * static_cast<double>(sorted.size()) - 1e-9);
  return sorted[static_cast<std::size_t>(std::max(rank, 1.0)) - 1];
}

}  // namespace

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(values);
  return covering(values, share);
}

Spread spread_of(std::vector<Duration> times) {
  if (times.empty()) return {};
  std::ranges::sort(times);
  return {.count = times.size(),
          .least = times.front(),
          .p50 = covering(times, 0.5),
          .p99 = covering(times, 0.99),
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

}  // namespace nlc::report

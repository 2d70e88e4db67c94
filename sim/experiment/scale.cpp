#include "sim/experiment/scale.h"

#include <cmath>

#include "report/text_table.h"

namespace nlc::sim::experiment {

std::vector<double> Scale::ticks() const {
  std::vector<double> result;
  for (int i = 0; i * step <= top * 1.0001; ++i) result.push_back(i * step);
  return result;
}

std::string Scale::label(double tick) const {
  const int decimals = step >= 1 ? 0 : static_cast<int>(std::ceil(-std::log10(step) - 0.001));
  return report::fixed(tick, decimals);
}

Scale scale_for(double most) {
  if (!(most > 0)) return {};
  double power = std::pow(10, std::floor(std::log10(most / 5)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    const double step = factor * power;
    if (most <= 5 * step * 1.0001) {
      return {.step = step, .top = step * std::ceil(most / step - 0.0001)};
    }
  }
  return {.step = 10 * power, .top = 50 * power};
}

}  // namespace nlc::sim::experiment

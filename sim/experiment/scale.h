#pragma once

#include <string>
#include <vector>

namespace nlc::sim::experiment {

/// A vertical axis from 0 to a round number, with a tick at every round step.
struct Scale {
  double step = 1;
  double top = 1;

  std::vector<double> ticks() const;
  std::string label(double tick) const;
};

/// At most five steps; `top` is not below `most`.
Scale scale_for(double most);

}  // namespace nlc::sim::experiment

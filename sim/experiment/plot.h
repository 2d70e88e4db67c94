#pragma once

#include <string>

#include "sim/experiment/results.h"

namespace nlc::sim::experiment {

/// The outcome as an SVG picture: one panel per measure. The first axis runs to the right, every
/// combination of the others is a series with a colour and a shape of its own; the colours are
/// those of Okabe and Ito, which do not depend on seeing red and green apart.
std::string plot_of(const Results& results);

}  // namespace nlc::sim::experiment

#pragma once

#include <string>
#include <vector>

namespace nlc::bench {

/// How many of the nodes were called Unknown by which moment, one line for each program.
struct DelayLine {
  std::string name;
  std::vector<double> milliseconds;  ///< after the end of the grace
};

/// An SVG picture of them over a logarithmic axis from 10 ms on; what came earlier stands at its
/// beginning.
std::string picture_of(const std::string& title, const std::vector<DelayLine>& lines);

}  // namespace nlc::bench

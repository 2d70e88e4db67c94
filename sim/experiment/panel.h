#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/svg.h"
#include "sim/experiment/results.h"

namespace nlc::sim::experiment {

using report::Shape;
using report::Svg;

/// One measured point: what is usual, and how far it goes.
struct Reading {
  double least;
  double middle;
  double most;
  std::optional<double> p99;
};

/// One measure of all settings.
struct Panel {
  std::string title;
  std::string unit;
  std::string axis;                                         ///< what runs to the right
  std::vector<std::string> places;                          ///< its values
  std::vector<std::vector<std::optional<Reading>>> series;  ///< by series, then by place
};

/// The panels of an experiment; of times only where a node died.
std::vector<Panel> panels_of(const Results& results);

/// The values of all axes but the first, as each series has them; one empty name when there is no
/// second axis.
std::vector<std::string> series_names(const Results& results);

struct Look {
  std::string_view colour;
  Shape shape;
};
Look look_of(std::size_t series);

struct Box {
  double x;
  double y;
  double width;
  double height;
};
void draw(Svg& svg, const Panel& panel, const Box& box);

}  // namespace nlc::sim::experiment

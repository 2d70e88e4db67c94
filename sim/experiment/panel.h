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
  std::string measure;                                      ///< of a time: " s"
  std::string axis;                                         ///< what runs to the right
  std::vector<std::string> places;                          ///< its values
  std::vector<std::vector<std::optional<Reading>>> series;  ///< by series, then by place
  std::vector<std::vector<std::size_t>> never;  ///< the same: dead nodes to which it never came
  std::vector<std::string> names;               ///< of the series
};

/// Nobody could tell them apart in the drawing of that panel.
bool are_alike(const std::optional<Reading>& left, const std::optional<Reading>& right,
               const Panel& panel);

/// Panels of all measures, those first whose differences are most worth telling.
std::vector<Panel> panels_of(const Results& results);

/// What is drawn: panels that say something, and a sentence for each of the others.
struct Figure {
  std::vector<Panel> panels;
  std::vector<std::string> left_out;
  std::vector<std::string> names;  ///< of the series; one where there is nothing to tell apart
};

/// Leaves out what never happened and what is the same with every setting. Series that are alike in
/// all panels become one.
Figure figure_of(const Results& results);

struct Look {
  std::string_view colour;
  Shape shape;
};
Look look_of(std::size_t series);
/// Of all series together, where they are alike.
Look common_look();

struct Box {
  double x;
  double y;
  double width;
  double height;
};
void draw(Svg& svg, const Panel& panel, const Box& box);

}  // namespace nlc::sim::experiment

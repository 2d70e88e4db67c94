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

/// Of the dead nodes of one setting: to how many the moment came, and to how many it never did.
struct Reach {
  std::size_t came = 0;
  std::size_t never = 0;

  friend bool operator==(const Reach&, const Reach&) = default;
};

/// One measure of all settings.
struct Panel {
  std::string title;
  std::string unit;
  std::string measure;                                      ///< of a time: " s"
  std::string axis;                                         ///< what runs to the right
  std::vector<std::string> places;                          ///< its values
  std::vector<std::vector<std::optional<Reading>>> series;  ///< by series, then by place
  std::vector<std::vector<Reach>> reach;                    ///< the same; of a count all zero
  std::vector<std::string> names;                           ///< of the series
};

/// Marks are of different numbers of dead nodes, or of fewer than died: it is told above them.
bool tells_reach(const Panel& panel);

/// Where a setting's mark stands in a panel.
struct Spot {
  std::size_t series;
  std::size_t place;
};
/// Nobody could tell the marks apart in the drawing of that panel.
bool are_alike(const Panel& panel, Spot a, Spot b);

/// Panels of all measures, those first whose differences are most worth telling.
std::vector<Panel> panels_of(const Results& results);

/// What is drawn: panels that say something, and a sentence for each of the others.
struct Figure {
  std::vector<Panel> panels;
  std::vector<std::string> left_out;
  std::vector<std::string> names;  ///< of the series; one where there is nothing to tell apart
};

/// Leaves out what never happened and what is the same with every setting: that may be everything.
/// Series that are alike in all panels become one.
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

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/svg.h"
#include "runtime/time.h"

/// What happened to many things in the same span of time, each in a row of its own: as values, and
/// as a drawing.
namespace nlc::report {

/// A stretch of time in a row. Levels tell apart what colours alone would not.
struct GanttBar {
  enum class Level : std::uint8_t {
    Line,      ///< in the middle, thin: all is well
    Block,     ///< in the middle, thick
    Under,     ///< below it, thin
    UnderBig,  ///< below it, thicker
    Band       ///< of the whole height, with words on it
  };
  Duration from{0};
  Duration until{0};
  Level level = Level::Block;
  std::string_view colour;
  std::string words;  ///< shown to who points at it
};

/// A moment in a row.
struct GanttMark {
  Duration at{0};
  Shape shape = Shape::Circle;
  std::string_view colour;
  std::string words;
  std::string label{};  ///< beside it, where there is room
};

struct GanttRow {
  std::string name;
  std::vector<GanttBar> bars{};
  std::vector<GanttMark> marks{};
  std::vector<Duration> ticks{};       ///< small, above the bars
  std::vector<Duration> lost_ticks{};  ///< the same of what did not arrive
  std::string words{};                 ///< beside the last bar, cut to what has room
};

struct GanttGroup {
  std::string name;
  std::vector<GanttRow> rows;
};

/// What a colour or a shape means.
struct GanttKey {
  std::string words;
  std::optional<Shape> shape{};
  GanttBar::Level level = GanttBar::Level::Block;
  std::string_view colour;
  bool tick = false;
};

struct Gantt {
  std::string title;
  std::string finding;  ///< below the title
  Duration end{0};      ///< it begins at 0
  std::vector<GanttGroup> groups;
  std::vector<GanttKey> keys;
};

std::string svg_of(const Gantt& gantt);

}  // namespace nlc::report

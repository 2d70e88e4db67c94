#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nlc::report {

struct XY {
  double x;
  double y;
};

struct TextStyle {
  double size = 12;
  std::string_view colour = "#333333";
  std::string_view anchor = "start";  ///< start middle end
  bool bold = false;
};

struct LineStyle {
  std::string_view colour = "#333333";
  double width = 1;
  double opacity = 1;
};

/// Marks that can be told apart without their colours.
enum class Shape { Circle, Triangle, Square, Diamond, TriangleDown, Cross };

/// A drawing in the making. Coordinates are pixels from the upper left corner, written with one
/// decimal so that the same drawing is the same text everywhere. Colours are those of a light
/// ground; who wants it dark gets for each of them another.
class Svg {
 public:
  Svg(double width, double height, std::string_view title);

  void text(XY at, std::string_view words, const TextStyle& style);
  void line(XY from, XY to, const LineStyle& style);
  void path(const std::vector<XY>& points, const LineStyle& style);
  /// Many short upright lines.
  void ticks(const std::vector<double>& places, double top, double height, const LineStyle& style);
  /// `words` are shown to who points at it.
  void rectangle(XY at, XY size, std::string_view colour, std::string_view words = "");
  /// A mark around `at`, set off from what lies beneath by a thin rim.
  void mark(XY at, Shape shape, std::string_view colour, std::string_view words = "");

  std::string finish() &&;

 private:
  /// An element that ends with what `words` say of it.
  void element(std::string text, std::string_view kind, std::string_view words);

  std::string text_;
};

}  // namespace nlc::report

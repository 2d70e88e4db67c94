#include "report/svg.h"

#include <absl/strings/str_replace.h>
#include <array>
#include <cstdio>
#include <utility>

namespace nlc::report {
namespace {

constexpr double radius = 4.5;

std::string number(double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  const std::string_view shown(text.data());
  return std::string(shown.ends_with(".0") ? shown.substr(0, shown.size() - 2) : shown);
}

std::string escaped(std::string_view words) {
  return absl::StrReplaceAll(std::string(words), {{"&", "&amp;"}, {"<", "&lt;"}, {"\"", "&quot;"}});
}

std::string attribute(std::string_view name, std::string_view value) {
  return " " + std::string(name) + "=\"" + std::string(value) + "\"";
}

std::string attribute(std::string_view name, double value) {
  return attribute(name, std::string_view(number(value)));
}

std::string stroke(const LineStyle& style) {
  std::string text = attribute("stroke", style.colour) + attribute("stroke-width", style.width);
  if (style.opacity < 1) text += attribute("stroke-opacity", style.opacity);
  return text;
}

std::string coordinates(const std::vector<XY>& points) {
  std::string text;
  for (const XY& point : points) {
    text += (text.empty() ? "" : " ") + number(point.x) + "," + number(point.y);
  }
  return text;
}

struct Colours {
  std::string_view light;
  std::string_view dark;
};
/// Ground and words, those of Okabe and Ito, and those of the live page.
constexpr std::array in_the_dark{
    Colours{"#ffffff", "#15191f"}, Colours{"#222222", "#e3e9f0"}, Colours{"#333333", "#d5dce5"},
    Colours{"#666666", "#9aa7b5"}, Colours{"#888888", "#7b8794"}, Colours{"#e4e4e4", "#2b343f"},
    Colours{"#0072b2", "#4aa8e0"}, Colours{"#d55e00", "#f0813a"}, Colours{"#009e73", "#2cc79a"},
    Colours{"#9fcfbb", "#2f6b59"}, Colours{"#f6b04a", "#d98d1f"}, Colours{"#e0602a", "#ef7440"},
    Colours{"#d9bd2b", "#b9a23e"}, Colours{"#8e2a63", "#cf5fa0"}, Colours{"#1f6f5c", "#6cc7ac"},
    Colours{"#b9c6d6", "#5d6d80"}, Colours{"#cfe0f5", "#27415f"}, Colours{"#f7cfc4", "#6b2c1c"}};

std::string style_for_the_dark() {
  std::string style = "<style>@media (prefers-color-scheme: dark) {";
  for (const auto& [light, dark] : in_the_dark) {
    for (const char* what : {"fill", "stroke"}) {
      style += "[" + std::string(what) + attribute("", light).substr(1) + "]{" + what + ":" +
               std::string(dark) + "}";
    }
  }
  return style + "}</style>\n";
}

/// Corners around the origin, for marks of radius 1.
std::vector<XY> corners(Shape shape) {
  switch (shape) {
    case Shape::Circle:
      return {};
    case Shape::Triangle:
      return {{0, -1.15}, {1.1, 0.85}, {-1.1, 0.85}};
    case Shape::Square:
      return {{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}};
    case Shape::Diamond:
      return {{0, -1.3}, {1.1, 0}, {0, 1.3}, {-1.1, 0}};
    case Shape::TriangleDown:
      return {{0, 1.15}, {1.1, -0.85}, {-1.1, -0.85}};
    case Shape::Cross:
      return {{-0.4, -1.2}, {0.4, -1.2}, {0.4, -0.4}, {1.2, -0.4}, {1.2, 0.4},   {0.4, 0.4},
              {0.4, 1.2},   {-0.4, 1.2}, {-0.4, 0.4}, {-1.2, 0.4}, {-1.2, -0.4}, {-0.4, -0.4}};
  }
  return {};
}

}  // namespace

Svg::Svg(double width, double height, std::string_view title) {
  text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("width", width) +
          attribute("height", height) + " viewBox=\"0 0 " + number(width) + " " + number(height) +
          "\" role=\"img\" font-family=\"'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif\">\n" +
          "<title>" + escaped(title) + "</title>\n" + style_for_the_dark() +
          "<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n";
}

void Svg::text(XY at, std::string_view words, const TextStyle& style) {
  text_ += "<text" + attribute("x", at.x) + attribute("y", at.y) +
           attribute("font-size", style.size) + attribute("fill", style.colour);
  if (style.anchor != "start") text_ += attribute("text-anchor", style.anchor);
  if (style.bold) text_ += attribute("font-weight", "bold");
  text_ += ">" + escaped(words) + "</text>\n";
}

void Svg::line(XY from, XY to, const LineStyle& style) {
  text_ += "<line" + attribute("x1", from.x) + attribute("y1", from.y) + attribute("x2", to.x) +
           attribute("y2", to.y) + stroke(style) + "/>\n";
}

void Svg::path(const std::vector<XY>& points, const LineStyle& style) {
  if (points.size() < 2) return;
  text_ += "<polyline" + attribute("points", coordinates(points)) + attribute("fill", "none") +
           stroke(style) + "/>\n";
}

void Svg::ticks(const std::vector<double>& places, double top, double height,
                const LineStyle& style) {
  if (places.empty()) return;
  std::string strokes;
  for (const double place : places) {
    strokes += "M" + number(place) + " " + number(top) + "v" + number(height);
  }
  text_ += "<path" + attribute("d", strokes) + stroke(style) + "/>\n";
}

void Svg::rectangle(XY at, XY size, std::string_view colour, std::string_view words) {
  element("<rect" + attribute("x", at.x) + attribute("y", at.y) + attribute("width", size.x) +
              attribute("height", size.y) + attribute("fill", colour),
          "rect", words);
}

void Svg::mark(XY at, Shape shape, std::string_view colour, std::string_view words) {
  const std::string dress = attribute("fill", colour) + stroke({.colour = "#ffffff"});
  if (shape == Shape::Circle) {
    return element(
        "<circle" + attribute("cx", at.x) + attribute("cy", at.y) + attribute("r", radius) + dress,
        "circle", words);
  }
  std::vector<XY> points = corners(shape);
  for (XY& point : points) point = {at.x + radius * point.x, at.y + radius * point.y};
  element("<polygon" + attribute("points", coordinates(points)) + dress, "polygon", words);
}

void Svg::element(std::string text, std::string_view kind, std::string_view words) {
  text_ += std::move(text);
  text_ += words.empty() ? "/>\n"
                         : "><title>" + escaped(words) + "</title></" + std::string(kind) + ">\n";
}

std::string Svg::finish() && { return std::move(text_) + "</svg>\n"; }

}  // namespace nlc::report

#include "bench/side_by_side/picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "report/svg.h"

namespace nlc::bench {
namespace {

using report::Svg;
using report::XY;

constexpr double width = 640;
constexpr double height = 360;
constexpr double left = 60;
constexpr double right = 20;
constexpr double top = 70;
constexpr double bottom = 50;
constexpr double least_ms = 10;
/// Of Okabe and Ito: told apart without seeing red and green apart.
constexpr std::array<std::string_view, 3> colours{"#d55e00", "#0072b2", "#009e73"};

/// Powers of ten from `least_ms` on.
double decades_of(const std::vector<DelayLine>& lines) {
  double most = least_ms * 100;
  for (const DelayLine& line : lines) {
    for (const double value : line.milliseconds) most = std::max(most, value);
  }
  return std::ceil(std::log10(most / least_ms));
}

class Frame {
 public:
  explicit Frame(double decades) : decades_(decades) {}

  XY at(double ms, double share) const {
    const double place = std::log10(std::max(ms, least_ms) / least_ms) / decades_;
    return {left + place * (width - left - right),
            height - bottom - share * (height - top - bottom)};
  }

  void draw(Svg& svg) const {
    constexpr std::array<std::string_view, 7> words{"10 ms", "100 ms",  "1 s",     "10 s",
                                                    "100 s", "1,000 s", "10,000 s"};
    const auto last = std::min(static_cast<std::size_t>(decades_), words.size() - 1);
    for (std::size_t decade = 0; decade <= last; ++decade) {
      const double ms = least_ms * std::pow(10, static_cast<double>(decade));
      svg.line(at(ms, 0), at(ms, 1), {.colour = "#cccccc"});
      svg.text({at(ms, 0).x, height - bottom + 18}, words.at(decade), {.anchor = "middle"});
    }
    for (const double share : {0.0, 0.5, 1.0}) {
      svg.line(at(0, share), {width - right, at(0, share).y}, {.colour = "#cccccc"});
      const std::string percent = std::to_string(static_cast<int>(share * 100)) + " %";
      svg.text({left - 8, at(0, share).y + 4}, percent, {.anchor = "end"});
    }
  }

 private:
  double decades_;
};

void draw(Svg& svg, const Frame& frame, const DelayLine& line, std::string_view colour) {
  std::vector<double> sorted = line.milliseconds;
  std::ranges::sort(sorted);
  if (sorted.empty()) return;
  const auto count = static_cast<double>(sorted.size());
  std::vector<XY> points{frame.at(sorted.front(), 0)};
  for (std::size_t at = 0; at < sorted.size(); ++at) {
    points.push_back(frame.at(sorted[at], static_cast<double>(at) / count));
    points.push_back(frame.at(sorted[at], static_cast<double>(at + 1) / count));
  }
  svg.path(points, {.colour = colour, .width = 2.5});
}

}  // namespace

std::string picture_of(const std::string& title, const std::vector<DelayLine>& lines) {
  Svg svg(width, height, title);
  svg.text({left, 24}, title, {.size = 14, .bold = true});
  const Frame frame(decades_of(lines));
  frame.draw(svg);
  double place = left;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    const std::string_view colour = colours.at(at % colours.size());
    draw(svg, frame, lines[at], colour);
    svg.line({place, 46}, {place + 24, 46}, {.colour = colour, .width = 2.5});
    svg.text({place + 30, 50}, lines[at].name, {});
    place += 250;
  }
  svg.text({(left + width - right) / 2, height - 10},
           "from the end of a node's grace until it was called Unknown", {.anchor = "middle"});
  return std::move(svg).finish();
}

}  // namespace nlc::bench

#include "sim/experiment/plot.h"

#include <algorithm>

#include "sim/experiment/panel.h"

namespace nlc::sim::experiment {
namespace {

constexpr double margin = 20;
constexpr double panel_width = 272;
constexpr double panel_height = 232;
constexpr double panel_gap = 14;
constexpr std::size_t panels_per_row = 4;
constexpr double title_height = 58;
constexpr double legend_line = 22;
constexpr double letter_width = 6.6;  // of text of size 12, on the generous side

using report::XY;

struct LegendEntry {
  XY at;
  std::size_t series;
};

/// Entries beside each other, and on further lines when they need more than one.
class Legend {
 public:
  Legend(const Results& results, XY at, double width) {
    names_ = series_names(results);
    if (names_.size() < 2) return;
    for (std::size_t i = 1; i < results.axes.size(); ++i) {
      title_ += (i > 1 ? ", " : "") + results.axes[i].flag;
    }
    const double left = at.x + length(title_) + 18;
    XY place{left, at.y};
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const double needed = 14 + length(names_[i]) + 18;
      if (place.x > left && place.x + needed > at.x + width) place = {left, place.y + legend_line};
      entries_.push_back({place, i});
      place.x += needed;
    }
    at_ = at;
    height_ = place.y - at.y + legend_line;
  }

  double height() const { return height_; }

  void draw(Svg& svg) const {
    svg.text(at_, title_, {.size = 12, .colour = "#666666"});
    for (const LegendEntry& entry : entries_) {
      const Look look = look_of(entry.series);
      svg.mark({entry.at.x + 5, entry.at.y - 4}, look.shape, look.colour);
      svg.text({entry.at.x + 14, entry.at.y}, names_[entry.series], {.size = 12});
    }
  }

 private:
  static double length(const std::string& text) {
    return letter_width * static_cast<double>(text.size());
  }

  std::vector<std::string> names_;
  std::string title_;
  std::vector<LegendEntry> entries_;
  XY at_{0, 0};
  double height_ = 0;
};

std::string explanation(const Results& results) {
  const std::string seeds =
      std::to_string(results.seeds) + (results.seeds == 1 ? " run" : " runs") + " per setting";
  const std::string counted = "mark at the mean, line from the least to the most";
  if (deaths_in(results) == 0) return seeds + ". Counts: " + counted;
  return seeds +
         ". Times: mark at the median, line from the shortest to the longest, tick at the "
         "99th percentile. Counts: " +
         counted;
}

}  // namespace

std::string plot_of(const Results& results) {
  const std::vector<Panel> panels = panels_of(results);
  const std::size_t columns = std::min(panels.size(), panels_per_row);
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const double inner = static_cast<double>(columns) * (panel_width + panel_gap) - panel_gap;
  const Legend legend(results, {margin + 6, margin + title_height + 8}, inner);
  const double top = margin + title_height + legend.height();
  const double height = top + static_cast<double>(rows) * (panel_height + panel_gap) + 4;

  Svg svg(inner + 2 * margin, height, results.id + ": " + results.title);
  svg.text({margin + 6, margin + 16}, results.title,
           {.size = 17, .colour = "#222222", .bold = true});
  svg.text({margin + 6, margin + 37}, explanation(results), {.size = 12, .colour = "#666666"});
  if (legend.height() > 0) legend.draw(svg);
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const double column = static_cast<double>(i % columns);
    const double row = static_cast<double>(i / columns);
    draw(svg, panels[i],
         {.x = margin + column * (panel_width + panel_gap),
          .y = top + row * (panel_height + panel_gap),
          .width = panel_width,
          .height = panel_height});
  }
  return std::move(svg).finish();
}

}  // namespace nlc::sim::experiment

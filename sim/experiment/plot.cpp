#include "sim/experiment/plot.h"

#include <algorithm>
#include <functional>

#include "sim/experiment/finding.h"
#include "sim/experiment/panel.h"

namespace nlc::sim::experiment {
namespace {

constexpr double margin = 20;
constexpr double panel_width = 272;
constexpr double panel_height = 232;
constexpr double panel_gap = 14;
constexpr std::size_t panels_per_row = 4;
constexpr double title_line = 21;
constexpr double remark_line = 17;
constexpr double title_letter = 8.6;  // of bold text of size 16
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
  Legend(const Results& results, std::vector<std::string> names, XY at, double width)
      : names_(std::move(names)) {
    if (results.axes.size() < 2 || names_.empty()) return;
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

/// Lines of whole words.
std::vector<std::string> broken(const std::string& text, double width, double letter) {
  std::vector<std::string> lines{""};
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t end = std::min(text.find(' ', from), text.size());
    const std::string word = text.substr(from, end - from);
    const double needed = static_cast<double>(lines.back().size() + 1 + word.size()) * letter;
    if (!lines.back().empty() && needed > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    from = end + 1;
  }
  return lines;
}

/// "5 dead nodes": the same for all settings, or from the least to the most.
std::string dead_nodes(const Results& results) {
  std::size_t least = results.rows.front().summary.deaths;
  std::size_t most = least;
  for (const Row& row : results.rows) {
    least = std::min(least, row.summary.deaths);
    most = std::max(most, row.summary.deaths);
  }
  const std::string count = std::to_string(least);
  return (least == most ? count : count + " … " + std::to_string(most)) +
         (most == 1 ? " dead node" : " dead nodes");
}

bool is_of_times(const Panel& panel) { return !panel.measure.empty(); }

std::vector<std::string> remarks(const Results& results, const Figure& figure, double width) {
  const std::string runs = std::to_string(results.seeds) + (results.seeds == 1 ? " run" : " runs");
  std::string text = results.id + ": " + results.title + ". n = " + runs +
                     (deaths_in(results) > 0 ? ", " + dead_nodes(results) : "") + " per setting.";
  if (std::ranges::any_of(figure.panels, std::not_fn(is_of_times))) {
    text += " Counts: mark at the mean, line from the least to the most.";
  }
  if (std::ranges::any_of(figure.panels, is_of_times)) {
    const bool told = std::ranges::any_of(figure.panels, tells_reach);
    text +=
        std::string(" Times: mark at the median") + (told ? " of those that got there" : "") +
        ", line from the shortest to the longest, tick at the 99th percentile" +
        (told ? "; above, n/never: how many dead nodes got there, and how many never did." : ".");
  }
  if (!figure.left_out.empty()) text += " Not drawn:";
  for (const std::string& panel : figure.left_out) {
    text += " " + panel + (&panel == &figure.left_out.back() ? "." : ";");
  }
  return broken(text, width, letter_width - 0.4);
}

}  // namespace

std::string plot_of(const Results& results) {
  const Figure figure = figure_of(results);
  const std::vector<Panel>& panels = figure.panels;
  const bool spare = panels.size() == 5 || panels.size() == 6;  // rows that are filled look better
  const std::size_t columns = spare ? 3 : std::clamp<std::size_t>(panels.size(), 1, panels_per_row);
  const std::size_t rows = (panels.size() + columns - 1) / columns;
  const auto wide = static_cast<double>(std::max<std::size_t>(columns, 3));
  const double inner = wide * (panel_width + panel_gap) - panel_gap;
  const std::string finding = finding_of(results, panels_of(results));
  const std::vector<std::string> title =
      broken(finding.empty() ? results.title : finding, inner, title_letter);
  const std::vector<std::string> words = remarks(results, figure, inner);
  const double words_at = margin + 16 + title_line * static_cast<double>(title.size());
  const double legend_at = words_at + remark_line * static_cast<double>(words.size()) + 10;
  const Legend legend(results, figure.names, {margin + 6, legend_at}, inner);
  const double top = legend_at + legend.height();
  const double height = top + static_cast<double>(rows) * (panel_height + panel_gap) + 4;

  Svg svg(inner + 2 * margin, height, results.id + ": " + results.title);
  for (std::size_t i = 0; i < title.size(); ++i) {
    svg.text({margin + 6, margin + 16 + title_line * static_cast<double>(i)}, title[i],
             {.size = 16, .colour = "#222222", .bold = true});
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    svg.text({margin + 6, words_at + remark_line * static_cast<double>(i)}, words[i],
             {.size = 12, .colour = "#666666"});
  }
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

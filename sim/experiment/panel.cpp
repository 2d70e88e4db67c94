#include "sim/experiment/panel.h"

#include <algorithm>
#include <array>

#include "sim/experiment/scale.h"

namespace nlc::sim::experiment {
namespace {

using report::seconds;

constexpr std::array<std::string_view, 6> colours{"#0072b2", "#d55e00", "#009e73",
                                                  "#cc79a7", "#e69f00", "#56b4e9"};
constexpr std::array shapes{Shape::Circle,  Shape::Triangle,     Shape::Square,
                            Shape::Diamond, Shape::TriangleDown, Shape::Cross};
constexpr std::string_view ink = "#222222";
constexpr std::string_view pale_ink = "#666666";
constexpr std::string_view grid = "#e4e4e4";

std::size_t place_count(const Results& results) {
  return results.axes.empty() ? 1 : results.axes.front().values.size();
}

/// Rows are ordered with the first axis slowest, so series lie beside each other.
template <typename Read>
Panel panel_of(const Results& results, std::string title, std::string unit, Read read) {
  Panel panel{.title = std::move(title), .unit = std::move(unit)};
  if (!results.axes.empty()) {
    panel.axis = results.axes.front().flag;
    panel.places = results.axes.front().values;
  } else {
    panel.places = {""};
  }
  const std::size_t count = results.rows.size() / place_count(results);
  panel.series.resize(count);
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    panel.series[i % count].push_back(read(results.rows[i].summary));
  }
  return panel;
}

bool takes_minutes(const Results& results, Moment moment) {
  return std::ranges::any_of(results.rows, [moment](const Row& row) {
    return row.summary.since_beat[index_of(moment)].most > std::chrono::minutes(5);
  });
}

Panel time_panel(const Results& results, Moment moment, std::string title) {
  const bool minutes = takes_minutes(results, moment);
  const double unit = minutes ? 60 : 1;
  const std::string whose = came_to_all(results, moment) ? "" : ", where it came";
  return panel_of(results, std::move(title),
                  (minutes ? "minutes" : "seconds") + (" after the last heartbeat" + whose),
                  [=](const Summary& summary) -> std::optional<Reading> {
                    const Spread& spread = summary.since_beat[index_of(moment)];
                    if (spread.count == 0) return std::nullopt;
                    return Reading{.least = seconds(spread.least) / unit,
                                   .middle = seconds(spread.p50) / unit,
                                   .most = seconds(spread.most) / unit,
                                   .p99 = seconds(spread.p99) / unit};
                  });
}

Panel count_panel(const Results& results, std::string title, std::string unit,
                  Tally Summary::*what) {
  return panel_of(results, std::move(title), std::move(unit),
                  [what](const Summary& summary) -> std::optional<Reading> {
                    const Tally& tally = summary.*what;
                    return Reading{.least = static_cast<double>(tally.least),
                                   .middle = tally.mean,
                                   .most = static_cast<double>(tally.most),
                                   .p99 = std::nullopt};
                  });
}

/// Where in a panel things are drawn.
class Ground {
 public:
  Ground(const Panel& panel, const Box& box)
      : panel_(panel),
        left_(box.x + 42),
        right_(box.x + box.width - 8),
        top_(box.y + 46),
        bottom_(box.y + box.height - 42),
        scale_(scale_for(most(panel))) {}

  const Scale& scale() const { return scale_; }
  double left() const { return left_; }
  double right() const { return right_; }
  double bottom() const { return bottom_; }
  double middle() const { return (left_ + right_) / 2; }
  double y(double value) const { return bottom_ - value / scale_.top * (bottom_ - top_); }
  double x(std::size_t place) const { return left_ + (static_cast<double>(place) + 0.5) * room(); }
  /// Series stand beside each other so that none hides another.
  double x(std::size_t place, std::size_t series) const {
    const double count = static_cast<double>(panel_.series.size());
    const double apart = std::min(13.0, 0.8 * room() / count);
    return x(place) + (static_cast<double>(series) - (count - 1) / 2) * apart;
  }

 private:
  double room() const { return (right_ - left_) / static_cast<double>(panel_.places.size()); }

  static double most(const Panel& panel) {
    double most = 0;
    for (const auto& series : panel.series) {
      for (const auto& reading : series) {
        if (reading) most = std::max(most, reading->most);
      }
    }
    return most;
  }

  const Panel& panel_;
  const double left_;
  const double right_;
  const double top_;
  const double bottom_;
  const Scale scale_;
};

void draw_axes(Svg& svg, const Panel& panel, const Ground& ground) {
  for (const double tick : ground.scale().ticks()) {
    const double y = ground.y(tick);
    const bool base = tick == 0;
    svg.line({ground.left(), y}, {ground.right(), y}, {.colour = base ? "#888888" : grid});
    svg.text({ground.left() - 6, y + 4}, ground.scale().label(tick),
             {.size = 11, .colour = pale_ink, .anchor = "end"});
  }
  for (std::size_t i = 0; i < panel.places.size(); ++i) {
    svg.text({ground.x(i), ground.bottom() + 16}, panel.places[i],
             {.size = 11, .colour = ink, .anchor = "middle"});
  }
  svg.text({ground.middle(), ground.bottom() + 33}, panel.axis,
           {.size = 11, .colour = pale_ink, .anchor = "middle"});
}

void draw_reading(Svg& svg, const Reading& reading, double x, const Ground& ground,
                  const Look& look) {
  svg.line({x, ground.y(reading.least)}, {x, ground.y(reading.most)},
           {.colour = look.colour, .width = 2, .opacity = 0.6});
  if (reading.p99) {
    const double y = ground.y(*reading.p99);
    svg.line({x - 4, y}, {x + 4, y}, {.colour = look.colour, .width = 2});
  }
  svg.mark({x, ground.y(reading.middle)}, look.shape, look.colour);
}

void draw_series(Svg& svg, const Panel& panel, std::size_t number, const Ground& ground) {
  const Look look = look_of(number);
  std::vector<report::XY> middles;
  for (std::size_t i = 0; i < panel.series[number].size(); ++i) {
    const auto& reading = panel.series[number][i];
    if (reading) middles.push_back({ground.x(i, number), ground.y(reading->middle)});
  }
  svg.path(middles, {.colour = look.colour, .width = 1, .opacity = 0.4});
  for (std::size_t i = 0; i < panel.series[number].size(); ++i) {
    const auto& reading = panel.series[number][i];
    if (reading) draw_reading(svg, *reading, ground.x(i, number), ground, look);
  }
}

bool is_empty(const Panel& panel) {
  return std::ranges::all_of(panel.series, [](const auto& series) {
    return std::ranges::none_of(series, [](const auto& reading) { return reading.has_value(); });
  });
}

}  // namespace

Look look_of(std::size_t series) {
  // Beyond six the pairs differ: no colour meets the same shape again before the 36th.
  const std::size_t shift = series / colours.size();
  return {colours[series % colours.size()], shapes[(series + shift) % shapes.size()]};
}

std::vector<Panel> panels_of(const Results& results) {
  std::vector<Panel> panels;
  if (deaths_in(results) > 0) {
    panels.push_back(time_panel(results, Moment::Unknown, "Marked Unknown"));
    panels.push_back(time_panel(results, Moment::NoSchedule, "Taint NoSchedule"));
    panels.push_back(time_panel(results, Moment::NoExecute, "Taint NoExecute"));
    panels.push_back(time_panel(results, Moment::PodMarked, "Last of its pods deleted"));
  }
  panels.push_back(
      count_panel(results, "False positives", "times per run", &Summary::false_positives));
  panels.push_back(
      count_panel(results, "Evictions", "nodes tainted NoExecute, per run", &Summary::evictions));
  panels.push_back(count_panel(results, "Pods deleted", "per run", &Summary::pods_deleted));
  panels.push_back(count_panel(results, "API writes", "per run", &Summary::api_writes));
  return panels;
}

std::vector<std::string> series_names(const Results& results) {
  std::vector<std::string> names;
  const std::size_t count = results.rows.size() / place_count(results);
  for (std::size_t i = 0; i < count; ++i) {
    Setting others = results.rows[i].setting;
    if (!others.empty()) others.erase(others.begin());
    names.push_back(values_of(others));
  }
  return names;
}

void draw(Svg& svg, const Panel& panel, const Box& box) {
  const Ground ground(panel, box);
  svg.text({box.x + 6, box.y + 16}, panel.title, {.size = 13, .colour = ink, .bold = true});
  svg.text({box.x + 6, box.y + 31}, panel.unit, {.size = 11, .colour = pale_ink});
  draw_axes(svg, panel, ground);
  if (is_empty(panel)) {
    svg.text({ground.middle(), ground.y(ground.scale().top / 2)}, "in no run",
             {.size = 12, .colour = pale_ink, .anchor = "middle"});
  }
  for (std::size_t i = 0; i < panel.series.size(); ++i) draw_series(svg, panel, i, ground);
}

}  // namespace nlc::sim::experiment

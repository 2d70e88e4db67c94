#include "sim/experiment/panel.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text_table.h"
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
constexpr double reach_height = 12;

std::size_t place_count(const Results& results) {
  return results.axes.empty() ? 1 : results.axes.front().values.size();
}

/// The values of all axes but the first, as each series has them; one empty name when there is no
/// second axis.
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

/// Rows are ordered with the first axis slowest, so series lie beside each other.
template <typename Read>
Panel panel_of(const Results& results, std::string title, std::string unit, Read read) {
  Panel panel{.title = std::move(title), .unit = std::move(unit), .names = series_names(results)};
  if (!results.axes.empty()) {
    panel.axis = results.axes.front().flag;
    panel.places = results.axes.front().values;
  } else {
    panel.places = {""};
  }
  const std::size_t count = panel.names.size();
  panel.series.resize(count);
  panel.reach.resize(count);
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    panel.series[i % count].push_back(read(results.rows[i].summary));
    panel.reach[i % count].emplace_back();
  }
  return panel;
}

bool takes_minutes(const Results& results, Moment moment) {
  return std::ranges::any_of(results.rows, [moment](const Row& row) {
    return row.summary.since_heartbeat[index_of(moment)].most > std::chrono::minutes(5);
  });
}

Panel time_panel(const Results& results, Moment moment, std::string title) {
  const bool minutes = takes_minutes(results, moment);
  const double unit = minutes ? 60 : 1;
  Panel panel = panel_of(results, std::move(title),
                         std::string(minutes ? "minutes" : "seconds") + " after the last heartbeat",
                         [=](const Summary& summary) -> std::optional<Reading> {
                           const Spread& spread = summary.since_heartbeat[index_of(moment)];
                           if (spread.count == 0) return std::nullopt;
                           return Reading{.least = seconds(spread.least) / unit,
                                          .middle = seconds(spread.p50) / unit,
                                          .most = seconds(spread.most) / unit,
                                          .p99 = seconds(spread.p99) / unit};
                         });
  panel.measure = minutes ? " min" : " s";
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    const Summary& summary = results.rows[i].summary;
    const std::size_t came = summary.since_heartbeat[index_of(moment)].count;
    panel.reach[i % panel.reach.size()][i / panel.reach.size()] = {
        .came = came, .never = summary.deaths - std::min(summary.deaths, came)};
  }
  if (tells_reach(panel)) panel.unit += "; above: n/never";
  return panel;
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

double most_of(const Panel& panel) {
  double most = 0;
  for (const auto& series : panel.series) {
    for (const auto& reading : series) {
      if (reading) most = std::max(most, reading->most);
    }
  }
  return most;
}

/// The place in `panel` of the first series that is like it.
std::size_t first_like(const Panel& panel, std::size_t number) {
  for (std::size_t i = 0; i < number; ++i) {
    bool alike = true;
    for (std::size_t place = 0; place < panel.places.size(); ++place) {
      alike = alike && are_alike(panel, {i, place}, {number, place});
    }
    if (alike) return i;
  }
  return number;
}

/// Those that are drawn: the first of each that are alike.
std::vector<std::size_t> distinct(const Panel& panel) {
  std::vector<std::size_t> numbers;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    if (first_like(panel, i) == i) numbers.push_back(i);
  }
  return numbers;
}

/// "5s like 2s": what is not drawn, and where it would be seen.
std::string likeness(const Panel& panel) {
  const std::vector<std::size_t> drawn = distinct(panel);
  if (drawn.size() == panel.series.size()) return {};
  if (drawn.size() == 1) return "all alike";
  std::string text;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    const std::size_t like = first_like(panel, i);
    if (like == i) continue;
    text += (text.empty() ? "" : "; ") + panel.names[i] + " like " + panel.names[like];
  }
  return text;
}

bool is_empty(const Panel& panel) { return most_of(panel) == 0; }

bool is_the_same_everywhere(const Panel& panel) {
  if (panel.places.size() * panel.series.size() < 2) return false;
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    for (std::size_t place = 0; place < panel.places.size(); ++place) {
      if (!are_alike(panel, {i, place}, {0, 0})) return false;
    }
  }
  return true;
}

void keep_series(Panel& panel, const std::vector<std::size_t>& numbers,
                 const std::vector<std::string>& names) {
  Panel kept = panel;
  kept.series.clear();
  kept.reach.clear();
  for (const std::size_t number : numbers) {
    kept.series.push_back(panel.series[number]);
    kept.reach.push_back(panel.reach[number]);
  }
  kept.names = names;
  panel = std::move(kept);
}

/// Series that are alike in all panels become one with the names of all.
void join_series(std::vector<Panel>& panels) {
  std::vector<std::size_t> numbers;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < panels.front().names.size(); ++i) {
    const auto like = std::ranges::find_if(numbers, [&](std::size_t other) {
      return std::ranges::all_of(panels, [&](const Panel& panel) {
        return first_like(panel, i) == first_like(panel, other);
      });
    });
    if (like == numbers.end()) {
      numbers.push_back(i);
      names.push_back(panels.front().names[i]);
    } else {
      names[static_cast<std::size_t>(like - numbers.begin())] += " = " + panels.front().names[i];
    }
  }
  for (Panel& panel : panels) keep_series(panel, numbers, names);
}

std::string text_of(const Reach& reach) {
  return std::to_string(reach.came) + "/" + std::to_string(reach.never);
}

/// Of a panel that is the same everywhere: what it would have shown.
std::string sameness(const Panel& panel) {
  return panel.title + ": " + report::fixed(panel.series[0][0]->middle, 1) + panel.measure +
         " with every setting" +
         (tells_reach(panel) ? " (n/never: " + text_of(panel.reach[0][0]) + ")" : "");
}

/// Where in a panel things are drawn.
class Ground {
 public:
  Ground(const Panel& panel, const Box& box)
      : panel_(panel),
        left_(box.x + 42),
        right_(box.x + box.width - 8),
        top_(box.y + 46 + reach_lines(panel) * reach_height),
        bottom_(box.y + box.height - 42),
        drawn_(distinct(panel)),
        scale_(scale_for(most_of(panel))) {}

  const Scale& scale() const { return scale_; }
  double left() const { return left_; }
  double right() const { return right_; }
  double bottom() const { return bottom_; }
  double middle() const { return (left_ + right_) / 2; }
  /// Where it is told of a series that is drawn how many nodes its marks are of.
  double reach_y(std::size_t drawn) const {
    return top_ - 5 - reach_height * static_cast<double>(drawn_.size() - 1 - drawn);
  }
  const std::vector<std::size_t>& drawn() const { return drawn_; }
  double y(double value) const { return bottom_ - value / scale_.top * (bottom_ - top_); }
  double x(std::size_t place) const { return left_ + (static_cast<double>(place) + 0.5) * room(); }
  /// Series that differ stand beside each other so that none hides another.
  double x(std::size_t place, std::size_t drawn) const {
    const double count = static_cast<double>(drawn_.size());
    const double apart = std::min(13.0, 0.8 * room() / count);
    return x(place) + (static_cast<double>(drawn) - (count - 1) / 2) * apart;
  }

 private:
  double room() const { return (right_ - left_) / static_cast<double>(panel_.places.size()); }

  static double reach_lines(const Panel& panel) {
    return tells_reach(panel) ? static_cast<double>(distinct(panel).size()) : 0;
  }

  const Panel& panel_;
  const double left_;
  const double right_;
  const double top_;
  const double bottom_;
  const std::vector<std::size_t> drawn_;
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

void draw_series(Svg& svg, const Panel& panel, std::size_t drawn, const Ground& ground) {
  const std::size_t number = ground.drawn()[drawn];
  const bool common = ground.drawn().size() < panel.series.size() && ground.drawn().size() == 1;
  const Look look = common ? common_look() : look_of(number);
  std::vector<report::XY> middles;
  for (std::size_t i = 0; i < panel.places.size(); ++i) {
    const auto& reading = panel.series[number][i];
    if (reading) middles.push_back({ground.x(i, drawn), ground.y(reading->middle)});
    if (!tells_reach(panel)) continue;
    svg.text({ground.x(i), ground.reach_y(drawn)}, text_of(panel.reach[number][i]),
             {.size = 10, .colour = look.colour, .anchor = "middle"});
  }
  svg.path(middles, {.colour = look.colour, .width = 1, .opacity = 0.4});
  for (std::size_t i = 0; i < panel.places.size(); ++i) {
    const auto& reading = panel.series[number][i];
    if (reading) draw_reading(svg, *reading, ground.x(i, drawn), ground, look);
  }
}

}  // namespace

Look look_of(std::size_t series) {
  // Beyond six the pairs differ: no colour meets the same shape again before the 36th.
  const std::size_t shift = series / colours.size();
  return {colours[series % colours.size()], shapes[(series + shift) % shapes.size()]};
}

Look common_look() { return {"#666666", Shape::Circle}; }

bool tells_reach(const Panel& panel) {
  return std::ranges::any_of(panel.reach, [&](const auto& series) {
    return std::ranges::any_of(series, [&](const Reach& reach) {
      return reach.never > 0 || reach != panel.reach.front().front();
    });
  });
}

bool are_alike(const Panel& panel, Spot a, Spot b) {
  if (panel.reach[a.series][a.place] != panel.reach[b.series][b.place]) return false;
  const std::optional<Reading>& left = panel.series[a.series][a.place];
  const std::optional<Reading>& right = panel.series[b.series][b.place];
  if (!left || !right) return left.has_value() == right.has_value();
  const double told_apart = most_of(panel) / 300;  // half a pixel
  const auto near = [=](double one, double other) { return std::abs(one - other) <= told_apart; };
  return near(left->least, right->least) && near(left->middle, right->middle) &&
         near(left->most, right->most) && near(left->p99.value_or(0), right->p99.value_or(0));
}

std::vector<Panel> panels_of(const Results& results) {
  std::vector<Panel> panels{
      count_panel(results, "False positives", "times per run", &Summary::false_positives),
      count_panel(results, "Evictions", "nodes tainted NoExecute, per run", &Summary::evictions),
      count_panel(results, "Pods deleted", "per run", &Summary::pods_deleted)};
  if (deaths_in(results) > 0) {
    panels.push_back(time_panel(results, Moment::Unknown, "Marked Unknown"));
    panels.push_back(time_panel(results, Moment::NoSchedule, "Taint NoSchedule"));
    panels.push_back(time_panel(results, Moment::NoExecute, "Taint NoExecute"));
    panels.push_back(time_panel(results, Moment::PodMarked, "Last of its pods deleted"));
  }
  panels.push_back(count_panel(results, "API writes", "per run", &Summary::api_writes));
  return panels;
}

Figure figure_of(const Results& results) {
  Figure figure;
  std::vector<Panel> same;
  for (Panel& panel : panels_of(results)) {
    if (is_empty(panel)) {
      figure.left_out.push_back(panel.title + ": in no run");
    } else if (is_the_same_everywhere(panel)) {
      same.push_back(std::move(panel));
    } else {
      figure.panels.push_back(std::move(panel));
    }
  }
  for (const Panel& panel : same) figure.left_out.push_back(sameness(panel));
  if (figure.panels.empty()) return figure;
  join_series(figure.panels);
  figure.names = figure.panels.front().names;
  return figure;
}

void draw(Svg& svg, const Panel& panel, const Box& box) {
  const Ground ground(panel, box);
  svg.text({box.x + 6, box.y + 16}, panel.title, {.size = 13, .colour = ink, .bold = true});
  svg.text({box.x + 6, box.y + 31}, panel.unit, {.size = 11, .colour = pale_ink});
  draw_axes(svg, panel, ground);
  svg.text({box.x + box.width - 8, box.y + 16}, likeness(panel),
           {.size = 11, .colour = pale_ink, .anchor = "end"});
  for (std::size_t i = 0; i < ground.drawn().size(); ++i) draw_series(svg, panel, i, ground);
}

}  // namespace nlc::sim::experiment

#include "report/gantt.h"

#include <algorithm>
#include <array>

#include "report/text_table.h"
#include "runtime/go_duration.h"

namespace nlc::report {
namespace {

using namespace std::chrono_literals;

constexpr double margin = 20;
constexpr double names_width = 150;
constexpr double time_width = 980;
constexpr double row_height = 18;
constexpr double group_height = 24;
constexpr double title_height = 62;
constexpr double axis_height = 22;
constexpr double key_height = 22;
constexpr double letter_width = 5.9;  // of text of size 11, on the generous side
constexpr std::string_view ink = "#222222";
constexpr std::string_view pale_ink = "#666666";
constexpr std::string_view grid = "#e4e4e4";
constexpr std::string_view lost = "#d55e00";

double width_of(std::string_view words) {
  return letter_width * static_cast<double>(shown_width(words));
}

/// Not within a letter of several bytes.
std::string cut(const std::string& words, double room) {
  if (width_of(words) <= room) return words;
  auto end =
      std::min(words.size(), static_cast<std::size_t>(std::max(room / letter_width, 2.0)) - 1);
  while (end > 0 && (words[end] & 0xC0) == 0x80) --end;
  return words.substr(0, end) + "…";
}

/// At most ten ticks, at moments that people count in.
Duration step_for(Duration end) {
  constexpr std::array<Duration, 16> steps{1s,   2s,    5s,    10s, 20s, 30s, 1min, 2min,
                                           5min, 10min, 30min, 1h,  2h,  6h,  12h,  24h};
  const auto* const found =
      std::ranges::find_if(steps, [end](Duration step) { return end <= 10 * step; });
  return found == steps.end() ? steps.back() : *found;
}

struct Stripe {
  double top;
  double height;
};
Stripe stripe_of(GanttBar::Level level) {
  switch (level) {
    case GanttBar::Level::Line:
      return {7.5, 2};
    case GanttBar::Level::Block:
      return {5, 7};
    case GanttBar::Level::Under:
      return {13, 2};
    case GanttBar::Level::UnderBig:
      return {13, 4};
    case GanttBar::Level::Band:
      return {2, 15};
  }
  return {};
}

class Drawing {
 public:
  explicit Drawing(const Gantt& gantt)
      : gantt_(gantt),
        svg_(2.5 * margin + names_width + time_width, height(), gantt.title),
        y_(margin + title_height) {}

  std::string finish() && {
    svg_.text({margin, margin + 16}, cut(gantt_.title, 0.66 * (names_width + time_width)),
              {.size = 17, .colour = ink, .bold = true});
    svg_.text({margin, margin + 37}, gantt_.finding, {.size = 12, .colour = pale_ink});
    draw_axis();
    for (const GanttGroup& group : gantt_.groups) draw(group);
    draw_keys();
    return std::move(svg_).finish();
  }

 private:
  double height() const {
    double height = 2 * margin + title_height + axis_height + key_height * key_lines();
    for (const GanttGroup& group : gantt_.groups) {
      height += group_height + row_height * static_cast<double>(group.rows.size());
    }
    return height;
  }

  static double room_of(const GanttKey& key) { return 42 + width_of(key.words); }
  double key_lines() const {
    double lines = 1;
    double x = 0;
    for (const GanttKey& key : gantt_.keys) {
      if (x + room_of(key) > names_width + time_width) {
        ++lines;
        x = 0;
      }
      x += room_of(key);
    }
    return lines;
  }

  static constexpr double left = margin + names_width;
  static constexpr double right = left + time_width;

  double keys_top() const { return height() - margin - key_height * key_lines(); }
  double x(Duration at) const {
    const Duration end = std::max<Duration>(gantt_.end, 1ns);
    const Duration within = std::clamp<Duration>(at, 0ns, end);
    return left +
           time_width * static_cast<double>(within.count()) / static_cast<double>(end.count());
  }

  void draw_axis() {
    const double bottom = keys_top();
    for (Duration at{0}; at <= gantt_.end; at += step_for(gantt_.end)) {
      svg_.text({x(at), y_ - 6}, go_duration(at),
                {.size = 11, .colour = pale_ink, .anchor = "middle"});
      svg_.line({x(at), y_}, {x(at), bottom - 8}, {.colour = grid});
    }
  }

  void draw(const GanttGroup& group) {
    svg_.text({margin, y_ + 17}, group.name, {.size = 12, .colour = ink, .bold = true});
    y_ += group_height;
    for (const GanttRow& row : group.rows) {
      draw(row);
      y_ += row_height;
    }
  }

  void draw(const GanttRow& row) {
    svg_.text({left - 8, y_ + 12}, cut(row.name, names_width - 12),
              {.size = 11, .colour = pale_ink, .anchor = "end"});
    draw_ticks(row.ticks, pale_ink);
    draw_ticks(row.lost_ticks, lost);
    for (const GanttBar& bar : row.bars) draw(bar);
    for (std::size_t i = 0; i < row.marks.size(); ++i) {
      draw(row.marks[i], i + 1 < row.marks.size() ? x(row.marks[i + 1].at) : right);
    }
    if (!row.words.empty()) draw_words(row);
  }

  /// Closer than a pixel nobody could tell them apart.
  void draw_ticks(std::vector<Duration> ticks, std::string_view colour) {
    std::ranges::sort(ticks);
    std::vector<double> places;
    for (const Duration at : ticks) {
      if (places.empty() || x(at) - places.back() >= 1) places.push_back(x(at));
    }
    svg_.ticks(places, y_ + 1, 3, {.colour = colour});
  }

  void draw(const GanttBar& bar) {
    const Stripe stripe = stripe_of(bar.level);
    const double width = std::max(x(bar.until) - x(bar.from), 1.5);
    svg_.rectangle({x(bar.from), y_ + stripe.top}, {width, stripe.height}, bar.colour, bar.words);
  }

  void draw(const GanttMark& mark, double until) {
    svg_.mark({x(mark.at), y_ + 9}, mark.shape, mark.colour, mark.words);
    const double room = until - x(mark.at) - 16;
    if (mark.label.empty() || room < 30) return;
    svg_.text({x(mark.at) + 8, y_ + 13}, cut(mark.label, room), {.size = 11, .colour = ink});
  }

  /// Where there is more room: behind the bars, or before them.
  void draw_words(const GanttRow& row) {
    double first = right;
    double last = left;
    for (const GanttBar& bar : row.bars) {
      first = std::min(first, x(bar.from));
      last = std::max(last, x(bar.until));
    }
    const double behind = right - last - 8;
    const double before = first - left - 8;
    if (std::max(before, behind) < 160) {  // on them
      svg_.text({first + 6, y_ + 13}, cut(row.words, last - first - 12),
                {.size = 11, .colour = ink});
    } else if (behind >= std::min(before, width_of(row.words))) {
      svg_.text({last + 8, y_ + 13}, cut(row.words, behind), {.size = 11, .colour = ink});
    } else {
      svg_.text({first - 8, y_ + 13}, cut(row.words, before),
                {.size = 11, .colour = ink, .anchor = "end"});
    }
  }

  void draw_keys() {
    double at = margin;
    double y = keys_top();
    for (const GanttKey& key : gantt_.keys) {
      if (at + room_of(key) > right) {
        at = margin;
        y += key_height;
      }
      if (key.tick) {
        svg_.ticks({at + 3, at + 8, at + 13}, y + 6, 6, {.colour = key.colour});
      } else if (key.shape) {
        svg_.mark({at + 8, y + 9}, *key.shape, key.colour);
      } else {
        const Stripe stripe = stripe_of(key.level);
        svg_.rectangle({at, y + 9 - stripe.height / 2}, {16, stripe.height}, key.colour);
      }
      svg_.text({at + 22, y + 13}, key.words, {.size = 11, .colour = pale_ink});
      at += room_of(key);
    }
  }

  const Gantt& gantt_;
  Svg svg_;
  double y_;
};

}  // namespace

std::string svg_of(const Gantt& gantt) { return Drawing(gantt).finish(); }

}  // namespace nlc::report

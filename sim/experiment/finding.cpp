#include "sim/experiment/finding.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/text_table.h"

namespace nlc::sim::experiment {
namespace {

/// Where a row of the results stands; rows are ordered with the first axis slowest.
Spot spot_of(const Panel& panel, std::size_t row) {
  return {.series = row % panel.series.size(), .place = row / panel.series.size()};
}

const std::optional<Reading>& reading_of(const Panel& panel, std::size_t row) {
  const Spot spot = spot_of(panel, row);
  return panel.series[spot.series][spot.place];
}

bool differ_only_in(std::size_t axis, const Setting& left, const Setting& right) {
  for (std::size_t i = 0; i < left.size(); ++i) {
    if ((left[i].second != right[i].second) != (i == axis)) return false;
  }
  return true;
}

bool matters(std::size_t axis, const Results& results, const std::vector<Panel>& panels) {
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    for (std::size_t j = i + 1; j < results.rows.size(); ++j) {
      if (!differ_only_in(axis, results.rows[i].setting, results.rows[j].setting)) continue;
      const auto differs = [&](const Panel& panel) {
        return !are_alike(panel, spot_of(panel, i), spot_of(panel, j));
      };
      if (std::ranges::any_of(panels, differs)) return true;
    }
  }
  return false;
}

/// The rows in which a measure is least and most.
struct Ends {
  const Panel* panel = nullptr;
  std::size_t least = 0;
  std::size_t most = 0;
  double share = 0;  ///< how far apart they are, of the most
};

std::size_t shared_values(const Setting& left, const Setting& right) {
  std::size_t shared = 0;
  for (std::size_t i = 0; i < left.size(); ++i) shared += left[i] == right[i] ? 1 : 0;
  return shared;
}

/// Of rows that are alike at an end those that share the most values, for they are told shortest.
std::optional<Ends> ends_of(const Panel& panel, const Results& results) {
  std::optional<Ends> ends;
  std::size_t shared = 0;
  for (std::size_t i = 0; i < results.rows.size(); ++i) {
    for (std::size_t j = 0; j < results.rows.size(); ++j) {
      const auto& low = reading_of(panel, i);
      const auto& high = reading_of(panel, j);
      if (!low || !high || low->middle >= high->middle) continue;
      const double share = (high->middle - low->middle) / high->middle;
      const std::size_t alike = shared_values(results.rows[i].setting, results.rows[j].setting);
      const bool better =
          !ends || share > ends->share + 1e-9 || (share > ends->share - 1e-9 && alike > shared);
      if (!better) continue;
      ends = Ends{.panel = &panel, .least = i, .most = j, .share = share};
      shared = alike;
    }
  }
  return ends;
}

std::string value_text(double value) {
  return report::fixed(value, std::abs(value - std::round(value)) < 0.05 ? 0 : 1);
}

void join(std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; }

std::string flags_of(const Results& results) {
  std::string flags;
  for (const auto& [flag, value] : results.rows.front().setting) join(flags, flag);
  return flags;
}

std::string text_of(const Ends& ends, const Results& results) {
  const Setting& least = results.rows[ends.least].setting;
  const Setting& most = results.rows[ends.most].setting;
  std::string low;
  std::string high;
  std::string both;
  for (std::size_t i = 0; i < least.size(); ++i) {
    const bool same = least[i] == most[i];
    join(same ? both : low, least[i].first + "=" + least[i].second);
    if (!same) join(high, most[i].second);
  }
  const auto value = [&](std::size_t row) {
    return value_text(reading_of(*ends.panel, row)->middle) + ends.panel->measure;
  };
  return ends.panel->title + (ends.panel->measure.empty() ? " per run: " : " after ") +
         value(ends.least) + " with " + low + ", " + value(ends.most) + " with " + high +
         (both.empty() ? "" : ", at " + both);
}

}  // namespace

std::string finding_of(const Results& results, const std::vector<Panel>& panels) {
  if (results.rows.size() < 2) return {};
  std::string idle;
  Results told = results;  // without the flags that do not matter
  for (std::size_t axis = results.axes.size(); axis-- > 0;) {
    if (results.axes[axis].values.size() > 1 && matters(axis, results, panels)) continue;
    if (results.axes[axis].values.size() > 1) join(idle, results.axes[axis].flag);
    for (Row& row : told.rows) {
      row.setting.erase(row.setting.begin() + static_cast<std::ptrdiff_t>(axis));
    }
  }
  std::optional<Ends> widest;
  for (const Panel& panel : panels) {
    const std::optional<Ends> ends = ends_of(panel, told);
    if (ends && (!widest || ends->share > widest->share + 1e-9)) widest = ends;
  }
  if (told.rows.front().setting.empty()) return idle + ": no value makes a difference";
  return (widest ? text_of(*widest, told) : flags_of(told) + " moves no mean and no median") +
         (idle.empty() ? "" : "; " + idle + " makes no difference");
}

}  // namespace nlc::sim::experiment

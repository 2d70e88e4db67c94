#include "sim/experiment/table.h"

#include <algorithm>

#include "report/text_table.h"

namespace nlc::sim::experiment {
namespace {

constexpr std::size_t heading_width = 14;

using report::fixed;
using report::seconds;
using report::TextColumn;

/// "node-monitor-grace-period" on several lines, broken behind its dashes.
std::vector<std::string> broken(const std::string& flag) {
  std::vector<std::string> lines{""};
  for (std::size_t from = 0; from < flag.size();) {
    const std::size_t end = std::min(flag.find('-', from), flag.size() - 1) + 1;
    const std::string word = flag.substr(from, end - from);
    if (!lines.back().empty() && lines.back().size() + word.size() > heading_width) {
      lines.emplace_back();
    }
    lines.back() += word;
    from = end;
  }
  return lines;
}

std::vector<TextColumn> flag_columns(const Results& results) {
  std::vector<TextColumn> columns;
  for (std::size_t i = 0; i < results.axes.size(); ++i) {
    TextColumn column{.heading = broken(results.axes[i].flag)};
    for (const Row& row : results.rows) column.cells.push_back(row.setting[i].second);
    columns.push_back(std::move(column));
  }
  return columns;
}

template <typename Text>
TextColumn column(const Results& results, std::string group, std::string heading, Text text) {
  TextColumn column{.heading = {std::move(heading)}, .group = std::move(group)};
  for (const Row& row : results.rows) column.cells.push_back(text(row.summary));
  return column;
}

/// Milliseconds are told of times that are short, in all of a group's columns alike.
int decimals_of(const Results& results, PerMark<Spread> Summary::*what, Moment moment) {
  Duration most{0};
  for (const Row& row : results.rows) {
    most = std::max(most, (row.summary.*what)[index_of(moment)].most);
  }
  return most < std::chrono::seconds(10) ? 3 : 1;
}

enum class Nodes { Counted, LeftOut };

std::string times_part(const Results& results, PerMark<Spread> Summary::*what, Nodes nodes) {
  std::vector<TextColumn> columns = flag_columns(results);
  for (const Moment moment : marks) {
    const int decimals = decimals_of(results, what, moment);
    const auto add = [&](const std::string& heading, Duration Spread::*number) {
      columns.push_back(
          column(results, std::string(title_of(moment)), heading, [&](const Summary& summary) {
            const Spread& spread = (summary.*what)[index_of(moment)];
            return spread.count == 0 ? "-" : fixed(seconds(spread.*number), decimals);
          }));
    };
    if (nodes == Nodes::Counted && !came_to_all(results, moment)) {
      columns.push_back(
          column(results, std::string(title_of(moment)), "nodes", [&](const Summary& summary) {
            return std::to_string((summary.*what)[index_of(moment)].count);
          }));
    }
    add("p50", &Spread::p50);
    add("p99", &Spread::p99);
    add("max", &Spread::most);
  }
  return text_table(columns);
}

std::string counts_part(const Results& results) {
  std::vector<TextColumn> columns = flag_columns(results);
  const auto add = [&](const std::string& group, Tally Summary::*what) {
    columns.push_back(column(results, group, "mean", [&](const Summary& summary) {
      return fixed((summary.*what).mean, 1);
    }));
    columns.push_back(column(results, group, "max", [&](const Summary& summary) {
      return std::to_string((summary.*what).most);
    }));
  };
  columns.push_back(column(results, " ", "nodes died", [](const Summary& summary) {
    return fixed(static_cast<double>(summary.deaths) / static_cast<double>(summary.runs), 1);
  }));
  add("false positives", &Summary::false_positives);
  add("evictions", &Summary::evictions);
  add("pods deleted", &Summary::pods_deleted);
  add("API writes", &Summary::api_writes);
  return text_table(columns);
}

std::string plural(std::size_t count, const std::string& noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

}  // namespace

std::string table_of(const Results& results) {
  std::string text = results.id + ": " + results.title + "\n" +
                     plural(results.rows.size(), "setting") + ", " + plural(results.seeds, "seed") +
                     " each\n";
  if (deaths_in(results) > 0) {
    text += "\nSeconds from a dead node's last heartbeat\n\n" +
            times_part(results, &Summary::since_heartbeat, Nodes::Counted);
    text += "\nSeconds from the end of a dead node's grace\n\n" +
            times_part(results, &Summary::since_grace, Nodes::LeftOut);
  } else {
    text += "\nNo node died.\n";
  }
  return text + "\nPer run\n\n" + counts_part(results);
}

}  // namespace nlc::sim::experiment

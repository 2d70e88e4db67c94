#include "program/observe_summary.h"

#include <sstream>

#include "report/spread.h"
#include "report/text_table.h"

namespace nlc::program {
namespace {

using controller::observe::Agreement;
using controller::observe::agreements;
using controller::observe::Cause;
using controller::observe::causes;
using controller::observe::change_kinds;
using controller::observe::ChangeKind;
using controller::observe::Record;

std::string lead_of(const Record::OfKind& kind, Duration report::Spread::*which) {
  if (kind.leads.empty()) return "-";
  const report::Spread spread = report::spread_of({kind.leads.begin(), kind.leads.end()});
  return report::fixed(report::seconds(spread.*which), 2);
}

/// "held 3, upstream_defect 2 (D-TE-1 2)"; empty when all agree.
std::string causes_of(const Record& record) {
  std::string text;
  for (const Cause cause : causes) {
    if (record.count(cause) == 0) continue;
    text += (text.empty() ? "" : ", ") + std::string(name_of(cause)) + " " +
            std::to_string(record.count(cause));
  }
  std::string defects;
  for (const auto& [id, count] : record.by_defect) {
    defects += (defects.empty() ? "" : ", ") + id + " " + std::to_string(count);
  }
  return defects.empty() ? text : text + " (" + defects + ")";
}

}  // namespace

std::vector<std::string> observe_summary(const Record& record) {
  report::TextColumn name{.heading = {"change"}, .flush = report::Flush::Left};
  std::vector<report::TextColumn> counts{
      {.heading = {"agree"}}, {.heading = {"only ours"}}, {.heading = {"only theirs"}}};
  std::vector<report::TextColumn> leads{{.heading = {"least"}, .group = "ours earlier by [s]"},
                                        {.heading = {"median"}, .group = "ours earlier by [s]"},
                                        {.heading = {"most"}, .group = "ours earlier by [s]"}};
  for (const ChangeKind kind : change_kinds) {
    const Record::OfKind& row = record.of(kind);
    name.cells.emplace_back(name_of(kind));
    for (const Agreement agreement : agreements) {
      counts[static_cast<std::size_t>(agreement)].cells.push_back(
          std::to_string(row.count(agreement)));
    }
    leads[0].cells.push_back(lead_of(row, &report::Spread::least));
    leads[1].cells.push_back(lead_of(row, &report::Spread::p50));
    leads[2].cells.push_back(lead_of(row, &report::Spread::most));
  }
  std::vector<report::TextColumn> columns{name};
  columns.insert(columns.end(), counts.begin(), counts.end());
  columns.insert(columns.end(), leads.begin(), leads.end());
  std::vector<std::string> lines;
  std::istringstream table(report::text_table(columns));
  for (std::string line; std::getline(table, line);) lines.push_back(line);
  const std::string disagreements = causes_of(record);
  if (!disagreements.empty()) lines.push_back("disagreements: " + disagreements);
  if (record.open > 0) lines.push_back("not met yet: " + std::to_string(record.open));
  if (record.overlooked > 0) lines.push_back("overlooked: " + std::to_string(record.overlooked));
  return lines;
}

}  // namespace nlc::program

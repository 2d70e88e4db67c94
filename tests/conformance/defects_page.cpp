#include "tests/conformance/defects_page.h"

#include <algorithm>

namespace nlc::conformance {
namespace {

using sim::scenario::Deviations;
using sim::scenario::Reason;
using Units = std::vector<UnitDeviation>;

constexpr std::string_view head =
    "# Where upstream goes wrong, and what ours does\n"
    "\n"
    "<!-- Made from tests/conformance/deviations.yaml. A test compares; `make docs` writes it. "
    "-->\n"
    "\n"
    "Compatible means the same API objects, reasons, messages, flags, metrics and rates. It does "
    "not mean the same\n"
    "faults. Every row is proved by conformance cases: as they are written they describe upstream "
    "and fail here, and in\n"
    "their place our own expectations are run and hold. `nlc scenario FILE --deviations "
    "tests/conformance/deviations.yaml`\n"
    "runs both; `--only ID --trace` shows one.\n"
    "\n"
    "| Upstream | Issues | What it does to users | What ours does | Why that is better | Proved by "
    "|\n"
    "| --- | --- | --- | --- | --- | --- |\n";

constexpr std::string_view units_head =
    "\n"
    "## Components that ours does not have\n"
    "\n"
    "Some cases look into one component of upstream. What stands in its place here:\n"
    "\n"
    "| Case | Instead |\n"
    "| --- | --- |\n";

/// A bar would end the cell, and a line break the row.
std::string cell(const std::string& text) {
  std::string safe;
  for (const char letter : text) {
    if (letter == '|') {
      safe += "\\|";
    } else {
      safe += letter == '\n' ? ' ' : letter;
    }
  }
  while (!safe.empty() && safe.back() == ' ') safe.pop_back();
  return safe;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string issue_links(const Reason& reason) {
  std::vector<std::string> links;
  for (const long long number : reason.issues) {
    const std::string digits = std::to_string(number);
    links.push_back("[#" + digits + "](https://github.com/kubernetes/kubernetes/issues/" + digits +
                    ")");
  }
  return joined(links);
}

std::string cases_of(const Deviations& deviations, const Units& units, const Reason& reason) {
  std::vector<std::string> ids;
  const auto note = [&](const auto& each) {
    if (each.reason == reason.name) ids.push_back(each.id);
  };
  std::ranges::for_each(units, note);
  std::ranges::for_each(deviations.cases, note);
  return joined(ids);
}

std::string row_of(const Deviations& deviations, const Units& units, const Reason& reason) {
  const std::string defects = joined(reason.defects);
  return "| **" + cell(reason.title) + "**" + (defects.empty() ? "" : " (" + defects + ")") +
         " | " + issue_links(reason) + " | " + cell(reason.users) + " | " + cell(reason.ours) +
         " | " + cell(reason.better) + " | " + cases_of(deviations, units, reason) + " |\n";
}

}  // namespace

std::string defects_page(const Deviations& deviations, const Units& units) {
  std::string page(head);
  for (const Reason& reason : deviations.reasons) page += row_of(deviations, units, reason);
  std::string rows;
  for (const UnitDeviation& unit : units) {
    if (!unit.instead.empty()) rows += "| " + unit.id + " | " + cell(unit.instead) + " |\n";
  }
  if (!rows.empty()) page += std::string(units_head) + rows;
  return page;
}

}  // namespace nlc::conformance

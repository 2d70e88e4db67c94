#include "tests/conformance/defects_page.h"

#include <algorithm>

namespace nlc::conformance {
namespace {

using sim::scenario::Deviations;
using sim::scenario::Reason;
using sim::scenario::Releases;
using Units = std::vector<UnitDeviation>;

constexpr std::string_view head =
    "# Where upstream goes wrong, and what ours does\n"
    "\n"
    "<!-- Made from tests/conformance/deviations.yaml. A test compares; `make docs` writes it. "
    "-->\n"
    "\n"
    "Compatible means the same API objects, reasons, messages, flags, metrics and rates. It does "
    "not mean the same\n"
    "faults. Rows are proved by conformance cases: as they are written they describe upstream and "
    "fail here, and in\n"
    "their place our own expectations are run and hold. `nlc scenario FILE --deviations "
    "tests/conformance/deviations.yaml`\n"
    "runs both; `--only ID --trace` shows one. Where no case can deviate, cases and scenarios "
    "(`tests/scenarios/`) are named\n"
    "that hold here as they are written.\n"
    "\n"
    "Releases are those of kube-controller-manager that have it, from 1.16 to 1.37.1; an open end "
    "is 1.37.1.\n"
    "\n"
    "## What 1.36 or 1.37 have\n"
    "\n";

constexpr std::string_view mended_head =
    "\n"
    "## What is mended in both\n"
    "\n";

constexpr std::string_view table_head =
    "| Upstream | Releases | Issues | What it does to users | What ours does | Why that is better "
    "| Proved by |\n"
    "| --- | --- | --- | --- | --- | --- | --- |\n";

/// The older of the two that are looked at.
constexpr int looked_at = 36;

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
  ids.insert(ids.end(), reason.proved_by.begin(), reason.proved_by.end());
  return joined(ids);
}

/// "all", "from 1.37", "up to 1.36", "1.18 – 1.20".
std::string words_of(const Releases& releases) {
  const auto minor = [](int number) { return "1." + std::to_string(number); };
  const bool from_first = releases.first == sim::scenario::all_releases.first;
  const bool to_last = releases.last == sim::scenario::all_releases.last;
  if (from_first && to_last) return "all";
  if (to_last) return "from " + minor(releases.first);
  if (from_first) return "up to " + minor(releases.last);
  return minor(releases.first) + " – " + minor(releases.last);
}

std::string row_of(const Deviations& deviations, const Units& units, const Reason& reason) {
  const std::string defects = joined(reason.defects);
  return "| **" + cell(reason.title) + "**" + (defects.empty() ? "" : " (" + defects + ")") +
         " | " + words_of(reason.releases) + " | " + issue_links(reason) + " | " +
         cell(reason.users) + " | " + cell(reason.ours) + " | " + cell(reason.better) + " | " +
         cases_of(deviations, units, reason) + " |\n";
}

}  // namespace

std::string defects_page(const Deviations& deviations, const Units& units) {
  std::string page(head);
  std::string mended;
  page += table_head;
  for (const Reason& reason : deviations.reasons) {
    (reason.releases.last >= looked_at ? page : mended) += row_of(deviations, units, reason);
  }
  if (!mended.empty()) page.append(mended_head).append(table_head).append(mended);
  std::string rows;
  for (const UnitDeviation& unit : units) {
    if (!unit.instead.empty()) rows += "| " + unit.id + " | " + cell(unit.instead) + " |\n";
  }
  if (!rows.empty()) page += std::string(units_head) + rows;
  return page;
}

}  // namespace nlc::conformance

#include "sim/scenario/gantt_rows.h"

#include <algorithm>
#include <cstdlib>

#include "runtime/go_duration.h"
#include "sim/scenario/model/chance.h"
#include "sim/scenario/model/releases.h"
#include "sim/scenario/report.h"

namespace nlc::sim::scenario {
namespace {

using report::GanttGroup;
using report::GanttKey;
using report::GanttMark;
using report::GanttRow;
using report::Shape;
using Level = report::GanttBar::Level;

constexpr std::size_t expectations_max = 40;

/// As a file says it, without the braces around it.
std::string bare(const std::string& text) {
  const bool braced = text.size() > 1 && text.front() == '{' && text.back() == '}';
  return braced ? text.substr(1, text.size() - 2) : text;
}

std::string_view name_of(When::Kind kind) {
  switch (kind) {
    case When::Kind::Holds:
      return "holds";
    case When::Kind::Becomes:
      return "becomes";
    case When::Kind::At:
      return "at";
    case When::Kind::CountedIn:
      return "counted in";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

GanttRow row_of(const Expectation& expectation, const Failure* failure) {
  std::string text;
  for (const Check& check : expectation.that) text += (text.empty() ? "" : "; ") + bare(check.text);
  if (failure != nullptr) text = failure->seen + " – expected: " + text;
  const std::string mark = failure != nullptr ? "✗ " : "✓ ";
  return {.name = mark + std::string(name_of(expectation.when.kind)) + " " +
                  go_duration(expectation.when.from),
          .bars = {{.from = expectation.when.from,
                    .until = expectation.when.until,
                    .level = Level::Band,
                    .colour = failure != nullptr ? colours::fails : colours::holds,
                    .words = text}},
          .words = text};
}

}  // namespace

std::string span_text(Duration from, Duration until) {
  return go_duration(from) + " – " + go_duration(until);
}

GanttGroup steps_of(const Scenario& scenario, Duration end) {
  GanttGroup group{.name = "timeline", .rows = {{.name = "steps"}}};
  for (const Step& step : scenario.timeline) {
    if (!heartbeat_nodes(step).empty() || std::holds_alternative<Remark>(step.action)) continue;
    const bool lasts = step.until > step.from && !step.every;
    if (lasts) {
      const Duration until = std::min(step.until, end);
      const std::string words = bare(step.text) + ", " + span_text(step.from, until);
      group.rows.push_back({.name = go_duration(step.from),
                            .bars = {{.from = step.from,
                                      .until = until,
                                      .level = Level::Block,
                                      .colour = colours::fault,
                                      .words = words}},
                            .words = bare(step.text)});
    } else {
      group.rows.front().marks.push_back(
          {.at = step.from,
           .shape = Shape::Diamond,
           .colour = colours::step,
           .words = bare(step.text) + " at " + go_duration(step.from),
           .label = bare(step.text)});
    }
  }
  std::ranges::stable_sort(group.rows.front().marks, {}, &GanttMark::at);
  return group;
}

GanttGroup expectations_of(const Scenario& scenario, const Outcome& outcome) {
  GanttGroup group{.name = "expectations", .rows = {}};
  std::vector<GanttRow> held;
  for (const Expectation& expectation : scenario.expect) {
    if (!concerns_us(expectation.only_for)) continue;
    const auto failure = std::ranges::find(outcome.failures, expectation.line, &Failure::line);
    const bool failed = failure != outcome.failures.end() && expectation.line != 0;
    (failed ? group.rows : held).push_back(row_of(expectation, failed ? &*failure : nullptr));
  }
  const std::size_t all = group.rows.size() + held.size();
  std::ranges::move(held, std::back_inserter(group.rows));
  if (all > expectations_max) {
    group.rows.resize(expectations_max);
    group.name += " (" + std::to_string(expectations_max) + " of " + std::to_string(all) + ")";
  }
  return group;
}

std::string finding_of(const Scenario& scenario, const Outcome& outcome, const Settings& flags) {
  std::string flags_text;
  for (const auto& [name, value] : flags) flags_text += " --" + name + "=" + value;
  const std::string with = flags_text.empty() ? "" : ", with" + flags_text;
  const std::size_t failed = outcome.failures.size();
  const std::string all = std::to_string(scenario.expect.size());
  const std::string how = failed == 0 ? "all " + all + " expectations hold"
                                      : std::to_string(failed) + " of " + all + " expectations " +
                                            (failed == 1 ? "does not hold" : "do not hold");
  return std::string(name_of(outcome.verdict)) + ": " + how + with;
}

std::vector<GanttKey> keys_of_gantt() {
  return {{.words = "heartbeat", .colour = "#666666", .tick = true},
          {.words = "lost one", .colour = colours::fault, .tick = true},
          {.words = "Ready", .level = Level::Line, .colour = colours::ready},
          {.words = "Ready is False", .colour = colours::not_ready},
          {.words = "Ready is Unknown", .colour = colours::unknown},
          {.words = "NoSchedule", .level = Level::Under, .colour = colours::no_schedule},
          {.words = "NoExecute", .level = Level::UnderBig, .colour = colours::no_execute},
          {.words = "pods NotReady", .shape = Shape::TriangleDown, .colour = colours::pods},
          {.words = "pods deleted", .shape = Shape::Cross, .colour = colours::pods},
          {.words = "replica runs", .level = Level::Line, .colour = colours::runs},
          {.words = "and leads", .colour = colours::leads},
          {.words = "fault", .colour = colours::fault},
          {.words = "step", .shape = Shape::Diamond, .colour = colours::step},
          {.words = "expectation that holds", .level = Level::Band, .colour = colours::holds},
          {.words = "that does not", .level = Level::Band, .colour = colours::fails}};
}

}  // namespace nlc::sim::scenario

#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/gantt.h"
#include "sim/scenario/model/outcome.h"
#include "sim/scenario/model/scenario.h"

/// The rows of a Gantt chart that need no run: the timeline, the expectations, what colours mean.
namespace nlc::sim::scenario {

/// Those of the live page, and of the plots.
namespace colours {
constexpr std::string_view ready = "#9fcfbb";
constexpr std::string_view not_ready = "#f6b04a";
constexpr std::string_view unknown = "#e0602a";
constexpr std::string_view no_schedule = "#d9bd2b";
constexpr std::string_view no_execute = "#8e2a63";
constexpr std::string_view leads = "#1f6f5c";
constexpr std::string_view runs = "#b9c6d6";
constexpr std::string_view fault = "#d55e00";
constexpr std::string_view step = "#0072b2";
constexpr std::string_view pods = "#222222";
constexpr std::string_view holds = "#cfe0f5";
constexpr std::string_view fails = "#f7cfc4";
}  // namespace colours

/// "1m0s – 2m0s"
std::string span_text(Duration from, Duration until);

/// What the timeline brought, but for heartbeats: what lasts in a row each, all else in one.
report::GanttGroup steps_of(const Scenario& scenario, Duration end);

/// Those that failed first.
report::GanttGroup expectations_of(const Scenario& scenario, const Outcome& outcome);

/// "failed: 1 of 3 expectations does not hold, with --flag=value"
std::string finding_of(const Scenario& scenario, const Outcome& outcome, const Settings& flags);

std::vector<report::GanttKey> keys_of_gantt();

}  // namespace nlc::sim::scenario

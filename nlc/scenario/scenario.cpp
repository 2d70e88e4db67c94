#include "nlc/scenario/scenario.h"

#include <algorithm>
#include <optional>

#include "nlc/console/console.h"
#include "nlc/scenario/run_page.h"
#include "runtime/utf8.h"
#include "sim/scenario/deviations.h"
#include "sim/scenario/gantt.h"
#include "sim/scenario/report.h"
#include "sim/scenario/stage/program_flags.h"

namespace nlc::workbench {
namespace {

using namespace sim::scenario;

using Cases = std::vector<const Scenario*>;

/// "NX-001", or "NX" for the whole area.
bool is_named(const std::string& id, const std::string& name) {
  return id == name || id.starts_with(name + "-");
}

/// Everything that is to be run, and by what.
class Programme {
 public:
  /// The error is a complete line.
  static Result<Programme> read(const ScenarioFlags& flags) {
    Programme programme;
    for (const std::string& path : flags.files) {
      Result<ScenarioFile> file = read_scenarios(path);
      if (!file) return std::move(file.error());
      programme.files_.push_back(std::move(*file));
    }
    if (!flags.deviations.empty()) {
      Result<Deviations> read = read_deviations(flags.deviations);
      if (!read) return std::move(read.error());
      programme.deviations_ = std::move(*read);
    }
    return programme;
  }

  /// In the order of the files.
  Cases cases(const std::vector<std::string>& only) const {
    Cases chosen;
    for (const ScenarioFile& file : files_) {
      for (const Scenario& each : file.cases) {
        const auto named = [&](const std::string& name) { return is_named(each.id, name); };
        if (only.empty() || std::ranges::any_of(only, named)) chosen.push_back(&each);
      }
    }
    return chosen;
  }

  /// Of all files.
  std::size_t units() const {
    std::size_t count = 0;
    for (const ScenarioFile& file : files_) count += file.units;
    return count;
  }

  const Deviation* listed(const std::string& id) const { return deviations_.find(id); }

 private:
  std::vector<ScenarioFile> files_;
  Deviations deviations_;
};

/// The name that no case has.
std::optional<std::string> unknown_name(const std::vector<std::string>& only, const Cases& chosen) {
  for (const std::string& name : only) {
    const auto named = [&](const Scenario* each) { return is_named(each->id, name); };
    if (std::ranges::none_of(chosen, named)) return name;
  }
  return std::nullopt;
}

/// What the controller would say to these flags on its command line; empty when it takes them.
std::string refusal_of(const ScenarioFlags& flags) {
  const program::CommandLine read = read_program_flags(flags.flags);
  if (read.flags) return {};
  return read.text.substr(0, read.text.find('\n'));
}

/// What shows one run, of several that were chosen.
std::string several(const char* flag, const Cases& cases) {
  std::vector<std::string> ids;
  for (const Scenario* each : cases) ids.push_back(each->id);
  return std::string(flag) + " shows one case, and " + std::to_string(cases.size()) +
         " are chosen; --only names the one: " + listed(std::move(ids), 10);
}

/// The same run once more: in virtual time it goes the same way.
bool write_page(const Scenario& scenario, const Outcome& outcome, const ScenarioFlags& flags) {
  if (flags.page.empty()) return true;
  return write_run_page(flags.page, scenario,
                        {.flags = flags.flags,
                         .seed = scenario.seed,
                         .title = scenario.id + " " + scenario.title,
                         .outcome = std::string(name_of(outcome.verdict)),
                         .detail = outcome.failures.empty() ? "" : failure_line(outcome)});
}

bool write_gantt(const Scenario& scenario, const Outcome& outcome, const ScenarioFlags& flags) {
  if (flags.gantt.empty()) return true;
  const Result<report::Gantt> gantt = gantt_of(scenario, flags.flags, outcome);
  if (gantt) return write_file(flags.gantt, report::svg_of(*gantt));
  complain("--gantt: " + gantt.error().path);
  return false;
}

class Run {
 public:
  Run(const Programme& programme, const ScenarioFlags& flags)
      : programme_(programme), flags_(flags) {
    options_.flags = flags.flags;
    if (flags.trace) options_.trace = [this](std::string_view line) { tell(line); };
  }

  void all(const Cases& cases) {
    for (const Scenario* each : cases) {
      show_progress(std::to_string(outcomes_.size() + 1) + "/" + std::to_string(cases.size()) +
                    " " + each->id);
      one(*each);
    }
    show_progress("");
  }

  const std::vector<Outcome>& outcomes() const { return outcomes_; }

  /// With --json nothing but JSON goes to stdout.
  void tell(std::string_view line) const {
    show_progress("");
    const std::string shown = one_line(line);
    flags_.json ? say_aside(shown) : say(shown);
  }

 private:
  void one(const Scenario& scenario) {
    if (flags_.trace) tell("== " + scenario.id + " " + scenario.title);
    outcomes_.push_back(run_listed(scenario, programme_.listed(scenario.id), options_));
    if (!scenario.problems.empty()) return complain(problem_line(scenario.problems));
    if (outcomes_.back().verdict != Verdict::Failed || flags_.json) return;
    show_progress("");
    say(failure_line(outcomes_.back()));
  }

  const Programme& programme_;
  const ScenarioFlags& flags_;
  RunOptions options_;
  std::vector<Outcome> outcomes_;
};

}  // namespace

int run_scenarios(const ScenarioFlags& flags) {
  if (const std::string refused = refusal_of(flags); !refused.empty()) {
    complain("--flag: " + refused);
    return exit_usage;
  }
  const Result<Programme> programme = Programme::read(flags);
  if (!programme) {
    complain(programme.error().path);
    return exit_usage;
  }
  const Cases cases = programme->cases(flags.only);
  if (const auto unknown = unknown_name(flags.only, cases)) {
    complain("--only: no case is called " + *unknown + ", and no area");
    return exit_usage;
  }
  const bool draws = !flags.page.empty() || !flags.gantt.empty();
  if (draws && cases.size() != 1) {
    complain(several(flags.page.empty() ? "--gantt" : "--page", cases));
    return exit_usage;
  }
  std::vector<std::string> read = flags.files;
  if (!flags.deviations.empty()) read.push_back(flags.deviations);
  if (!can_write({flags.page, flags.gantt}, read)) return exit_failed;
  Run run(*programme, flags);
  run.all(cases);
  const Tally tally = tally_of(run.outcomes());
  if (const std::size_t units = programme->units(); units > 0) {
    run.tell(std::to_string(units) + " unit cases left alone; tests/conformance runs them");
  }
  const auto understood = [](const Scenario* each) { return each->problems.empty(); };
  // Where nothing was played there is nothing to count.
  const bool played = cases.empty() || std::ranges::any_of(cases, understood);
  if (flags.json) {
    say(report_json(run.outcomes())
            .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  } else if (played) {
    say(tally_line(tally));
  }
  const bool drawn = draws && cases.front()->problems.empty();
  const bool written = !drawn || (write_page(*cases.front(), run.outcomes().front(), flags) &&
                                  write_gantt(*cases.front(), run.outcomes().front(), flags));
  if (!std::ranges::all_of(cases, understood)) return exit_usage;
  return written && tally.failed == 0 ? 0 : exit_failed;
}

}  // namespace nlc::workbench

#include "nlc/scenario.h"

#include <algorithm>
#include <optional>
#include <variant>

#include "nlc/console.h"
#include "sim/scenario/program_flags.h"
#include "sim/scenario/report.h"
#include "sim/scenario/suite.h"

namespace nlc::sim {
namespace {

using namespace scenario;

constexpr int exit_failed = 1;
constexpr int exit_usage = 2;

using AnyCase = std::variant<const Scenario*, const UnitCase*>;

const std::string& id_of(const AnyCase& any) {
  return std::visit([](const auto* each) -> const std::string& { return each->id; }, any);
}
const std::string& title_of(const AnyCase& any) {
  return std::visit([](const auto* each) -> const std::string& { return each->title; }, any);
}

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
  std::vector<AnyCase> cases(const std::vector<std::string>& only) const {
    std::vector<AnyCase> chosen;
    const auto add = [&](const auto& each) {
      const auto named = [&](const std::string& name) { return is_named(each.id, name); };
      if (only.empty() || std::ranges::any_of(only, named)) chosen.emplace_back(&each);
    };
    for (const ScenarioFile& file : files_) {
      std::ranges::for_each(file.cases, add);
      std::ranges::for_each(file.units, add);
    }
    return chosen;
  }

  const Deviation* listed(const std::string& id) const { return deviations_.find(id); }

 private:
  std::vector<ScenarioFile> files_;
  Deviations deviations_;
};

/// The name that no case has.
std::optional<std::string> unknown_name(const std::vector<std::string>& only,
                                        const std::vector<AnyCase>& chosen) {
  for (const std::string& name : only) {
    const auto named = [&](const AnyCase& any) { return is_named(id_of(any), name); };
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

class Run {
 public:
  Run(const Programme& programme, const ScenarioFlags& flags)
      : programme_(programme), flags_(flags) {
    options_.flags = flags.flags;
    if (flags.trace) options_.trace = [this](std::string_view line) { tell(line); };
  }

  void all(const std::vector<AnyCase>& cases) {
    for (const AnyCase& any : cases) {
      show_progress(std::to_string(outcomes_.size() + 1) + "/" + std::to_string(cases.size()) +
                    " " + id_of(any));
      one(any);
    }
    show_progress("");
  }

  const std::vector<Outcome>& outcomes() const { return outcomes_; }

 private:
  void one(const AnyCase& any) {
    if (flags_.trace) tell("== " + id_of(any) + " " + title_of(any));
    const Deviation* listed = programme_.listed(id_of(any));
    const auto* scenario = std::get_if<const Scenario*>(&any);
    outcomes_.push_back(scenario != nullptr ? run_listed(**scenario, listed, options_)
                                            : run_listed(*std::get<const UnitCase*>(any), listed));
    if (outcomes_.back().verdict != Verdict::Failed || flags_.json) return;
    show_progress("");
    say(failure_line(outcomes_.back()));
  }

  /// With --json nothing but JSON goes to stdout.
  void tell(std::string_view line) const {
    show_progress("");
    flags_.json ? say_aside(line) : say(line);
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
  const std::vector<AnyCase> cases = programme->cases(flags.only);
  if (const auto unknown = unknown_name(flags.only, cases)) {
    complain("--only: no case is called " + *unknown + ", and no area");
    return exit_usage;
  }
  Run run(*programme, flags);
  run.all(cases);
  const Tally tally = tally_of(run.outcomes());
  say(flags.json ? report_json(run.outcomes())
                       .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                 : tally_line(tally));
  return tally.failed == 0 ? 0 : exit_failed;
}

}  // namespace nlc::sim

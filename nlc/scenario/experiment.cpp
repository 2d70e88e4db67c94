#include "nlc/scenario/experiment.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <ctime>
#include <thread>

#include "nlc/console/console.h"
#include "nlc/scenario/run_page.h"
#include "runtime/result.h"
#include "sim/experiment/export.h"
#include "sim/experiment/plot.h"
#include "sim/experiment/results.h"
#include "sim/experiment/run.h"
#include "sim/experiment/table.h"

namespace nlc::workbench {
namespace {

using namespace sim::experiment;

constexpr std::size_t most_runs = 1'000'000;

/// What is to be done, all of it proven to be possible.
struct Plan {
  sim::scenario::Scenario scenario;
  std::vector<Axis> axes;
  std::vector<Setting> settings;
  std::vector<Duration> graces;  ///< by setting
  std::size_t seeds;

  std::size_t runs() const { return settings.size() * seeds; }
};

Result<std::vector<Axis>> axes_of(const ExperimentFlags& flags) {
  std::vector<Axis> axes;
  for (const std::string& text : flags.vary) {
    Result<Axis> axis = axis_of(text);
    if (!axis) return std::move(axis.error());
    if (std::ranges::find(axes, axis->flag, &Axis::flag) != axes.end()) {
      return bad_input("--vary " + text + ": --" + axis->flag + " varies already");
    }
    axes.push_back(std::move(*axis));
  }
  return axes;
}

Result<Plan> plan_of(const ExperimentFlags& flags) {
  Result<std::vector<Axis>> axes = axes_of(flags);
  if (!axes) return std::move(axes.error());
  Result<sim::scenario::Scenario> scenario = scenario_in(flags.file, flags.only);
  if (!scenario) return std::move(scenario.error());
  Plan plan{.scenario = std::move(*scenario), .axes = std::move(*axes), .seeds = flags.seeds};
  plan.settings = settings_of(plan.axes);
  if (plan.runs() > most_runs) {
    return bad_input(std::to_string(plan.settings.size()) + " settings with " +
                     std::to_string(plan.seeds) + " seeds are more than a million runs");
  }
  for (const Setting& setting : plan.settings) {
    const Result<controller::Policy> policy = policy_of(plan.scenario.flags, setting);
    if (!policy) return Error(policy.error());
    plan.graces.push_back(policy->monitor_grace);
  }
  return plan;
}

/// Runs are shared out among threads; each is a world of its own, so they meet only here. Which
/// thread makes which run makes no difference to the outcome.
class Runs {
 public:
  Runs(const Plan& plan, std::size_t jobs) : plan_(plan), measures_(plan.runs()) {
    const std::size_t processors = std::max(1U, std::thread::hardware_concurrency());
    const std::size_t wanted = std::min(jobs == 0 ? processors : jobs, plan.runs());
    for (std::size_t i = 0; i < wanted; ++i) threads_.emplace_back([this] { work(); });
  }
  ~Runs() {
    stop();
    for (std::thread& thread : threads_) thread.join();
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  void stop() { stopped_ = true; }
  std::size_t done() const { return done_; }
  bool finished() const { return done_ == plan_.runs(); }

  /// Of one setting, by seed; only when finished.
  std::vector<Measures> of(std::size_t setting) const {
    const auto first = measures_.begin() + static_cast<std::ptrdiff_t>(setting * plan_.seeds);
    return {first, first + static_cast<std::ptrdiff_t>(plan_.seeds)};
  }

 private:
  void work() {
    while (!stopped_) {
      const std::size_t run = next_++;
      if (run >= plan_.runs()) return;
      measures_[run] =
          measured_run(plan_.scenario, plan_.settings[run / plan_.seeds], run % plan_.seeds + 1);
      ++done_;
    }
  }

  const Plan& plan_;
  std::vector<Measures> measures_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<std::size_t> done_ = 0;
  std::atomic<bool> stopped_ = false;
  std::vector<std::thread> threads_;
};

/// "[===   ] 3 of 6 runs"
std::string progress_text(std::size_t done, std::size_t runs) {
  constexpr std::size_t width = 30;
  const std::size_t full = done * width / runs;
  return "[" + std::string(full, '=') + std::string(width - full, ' ') + "] " +
         std::to_string(done) + " of " + std::to_string(runs) + " runs";
}

/// While this lives, SIGINT and SIGTERM are waited for instead of ending the process. Made before
/// any thread, so that none of them is hit.
class SignalWait {
 public:
  SignalWait() {
    ::sigemptyset(&signals_);
    ::sigaddset(&signals_, SIGINT);
    ::sigaddset(&signals_, SIGTERM);
    ::pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~SignalWait() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalWait(const SignalWait&) = delete;
  SignalWait& operator=(const SignalWait&) = delete;

  /// Waits for that long; true when one came.
  bool wait(std::chrono::milliseconds span) const {
    const timespec timeout{.tv_sec = 0, .tv_nsec = std::chrono::nanoseconds(span).count()};
    return ::sigtimedwait(&signals_, nullptr, &timeout) > 0;
  }

 private:
  sigset_t signals_{};
  sigset_t before_{};
};

std::optional<Results> results_of(const Plan& plan, std::size_t jobs) {
  const SignalWait signals;
  Runs runs(plan, jobs);
  while (!runs.finished()) {
    show_progress(progress_text(runs.done(), plan.runs()));
    if (!signals.wait(std::chrono::milliseconds(runs.done() == 0 ? 5 : 50))) continue;
    runs.stop();
    return std::nullopt;
  }
  Results results{
      .id = plan.scenario.id, .title = plan.scenario.title, .seeds = plan.seeds, .axes = plan.axes};
  for (std::size_t i = 0; i < plan.settings.size(); ++i) {
    results.rows.push_back(
        {.setting = plan.settings[i], .summary = summarize(runs.of(i), plan.graces[i])});
  }
  return results;
}

bool write_page(const Plan& plan, const std::string& file) {
  if (file.empty()) return true;
  const Setting& first = plan.settings.front();
  std::string which;
  for (const auto& [flag, value] : first) which += flag + "=" + value + ", ";
  return write_run_page(file, plan.scenario,
                        {.flags = first,
                         .seed = 1,
                         .title = plan.scenario.id + " " + plan.scenario.title,
                         .outcome = which + "seed 1"});
}

bool publish(const Results& results, const ExperimentFlags& flags) {
  say_text(table_of(results));
  const bool csv = write_file(flags.csv, csv_of(results));
  const bool json = write_file(flags.json, json_of(results));
  return write_file(flags.plot, plot_of(results)) && csv && json;
}

}  // namespace

int run_experiment(const ExperimentFlags& flags) {
  const Result<Plan> plan = plan_of(flags);
  if (!plan) {
    complain(plan.error().path);
    return exit_usage;
  }
  if (!can_write({flags.csv, flags.json, flags.plot, flags.page}, {flags.file})) return 1;
  const std::optional<Results> results = results_of(*plan, flags.jobs);
  if (!results) {
    complain("interrupted; nothing was written");
    return 1;
  }
  const bool published = publish(*results, flags);
  return write_page(*plan, flags.page) && published ? 0 : 1;
}

}  // namespace nlc::workbench

#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <system_error>
#include <thread>
#include <unistd.h>

#include "bench/bench_flags.h"
#include "bench/exposition.h"
#include "bench/measures.h"
#include "bench/process_usage.h"
#include "bench/rig.h"
#include "bench/silence_watch.h"
#include "net/stop_signals.h"
#include "net/system_clock.h"
#include "runtime/go_duration.h"

/// What the controller costs at rest, and what it does when nodes die: the real programs, each in a
/// process of its own, measured from outside.
namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

/// As the numbers that we compare with were taken: the CPU of so long after the power cut.
constexpr Duration failure_span = 120s;
/// The workbench counts the power cut from the last pod on; the controller starts within this.
constexpr Duration start_allowance = 20s;

constexpr const char* lease_events = "nlc_watch_events_total{resource=\"leases\"}";

double milliseconds(Duration span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

double mebibytes(std::uint64_t bytes) { return static_cast<double>(bytes) / (1024.0 * 1024.0); }

void progress(const std::string& line) { std::cerr << line << std::endl; }

Duration power_cut_after(const BenchFlags& flags) {
  return start_allowance + 5ms * flags.nodes + flags.settle + flags.window;
}

Result<double> lease_events_of(Rig& rig) {
  Result<std::string> text = rig.metrics();
  if (!text) return std::move(text.error());
  const std::optional<double> events = sample(*text, lease_events);
  if (!events) return Error{.fault = Fault::NotFound, .path = std::string("no ") + lease_events};
  return *events;
}

/// The scrapes stand outside the time that is measured.
Result<std::monostate> measure_rest(Rig& rig, const BenchFlags& flags, Run& run) {
  const auto events_before = lease_events_of(rig);
  const auto before = cpu_usage(rig.controller_process());
  if (auto rested = rig.rest(flags.window); !rested) return rested;
  const auto after = cpu_usage(rig.controller_process());
  const auto memory = memory_usage(rig.controller_process());
  const auto events_after = lease_events_of(rig);
  if (!events_before) return events_before.error();
  if (!events_after) return events_after.error();
  if (!before || !after || !memory) return Error{.path = "the controller cannot be looked at"};

  const CpuUsage used = *after - *before;
  const double renewals = *events_after - *events_before;
  if (renewals < 1) return Error{.path = "no lease was renewed in the window"};
  const double seconds = milliseconds(flags.window) / 1000;
  const auto per_renewal = [&](Duration span) { return milliseconds(span) * 1000 / renewals; };
  run.push_back({"renewals", "lease renewals in the window", "", renewals, 0});
  run.push_back({"renewals_per_second", "renewals per second", "1/s", renewals / seconds, 1});
  run.push_back({"cpu_ms", "CPU in the window", "ms", milliseconds(used.total), 1});
  run.push_back({"cpu_ticks_ms", "the same, in ticks", "ms", milliseconds(used.ticks), 0});
  run.push_back(
      {"cpu_core_percent", "of one core", "%", milliseconds(used.total) / seconds / 10, 3});
  run.push_back(
      {"cpu_per_renewal_us", "CPU per renewal, pass included", "µs", per_renewal(used.total), 2});
  run.push_back({"executor_cpu_per_renewal_us", "of that, executor's thread", "µs",
                 per_renewal(used.main_thread), 2});
  run.push_back({"wakeups_per_renewal", "wake-ups per renewal", "",
                 static_cast<double>(used.wakeups) / renewals, 2});
  run.push_back({"resident_mib", "resident memory", "MiB", mebibytes(memory->resident), 1});
  run.push_back({"resident_peak_mib", "its peak since the start", "MiB",
                 mebibytes(memory->resident_peak), 1});
  run.push_back({"private_mib", "private to the process", "MiB", mebibytes(memory->private_), 1});
  run.push_back({"anonymous_mib", "heap and stacks", "MiB", mebibytes(memory->anonymous), 1});
  return std::monostate{};
}

void add_silences(const SilenceWatch& watch, const BenchFlags& flags, Run& run) {
  std::vector<double> delays;
  for (const SilenceWatch::Silence& silence : watch.silences()) {
    delays.push_back(milliseconds(silence.unknown - silence.last_beat - flags.grace));
  }
  run.push_back({"died", "nodes that died", "", static_cast<double>(flags.die), 0});
  run.push_back({"unknown", "nodes called Unknown", "", static_cast<double>(delays.size()), 0});
  run.push_back(
      {"unknown_p50_ms", "grace over to Unknown seen, p50", "ms", percentile(delays, 0.5), 1});
  run.push_back({"unknown_p99_ms", "… p99", "ms", percentile(delays, 0.99), 1});
  run.push_back({"unknown_max_ms", "… max", "ms", percentile(delays, 1), 1});
}

Result<std::monostate> measure_failure(Rig& rig, const SilenceWatch& watch, const BenchFlags& flags,
                                       Run& run) {
  if (rig.power_is_cut()) {
    return Error{.path = "the power was cut before the window ended: a slow machine"};
  }
  auto cut =
      rig.wait("the power cut", power_cut_after(flags) + 30s, [&] { return rig.power_is_cut(); });
  if (!cut) return cut;
  const auto before = cpu_usage(rig.controller_process());
  progress("power cut; measuring for " + go_duration(failure_span));
  if (auto rested = rig.rest(failure_span); !rested) return rested;
  const auto after = cpu_usage(rig.controller_process());
  auto all = rig.wait("Unknown on every dead node", flags.grace + 60s,
                      [&] { return watch.broken() || watch.unknown_count() >= flags.die; });
  if (!all) return all;
  if (watch.broken()) return Error{.path = "a watch on the cluster broke"};
  if (!before || !after) return Error{.path = "the controller cannot be looked at"};
  add_silences(watch, flags, run);
  run.push_back({"failure_cpu_ms", "CPU in the " + go_duration(failure_span) + " after the cut",
                 "ms", milliseconds((*after - *before).total), 1});
  return std::monostate{};
}

Result<Run> measure(const Bench& bench, const BenchFlags& flags, const std::string& directory) {
  Rig rig(bench, flags, directory);
  progress("starting " + std::to_string(flags.nodes) + " nodes with " +
           std::to_string(flags.pods_per_node) + " pods each");
  if (auto started = rig.start_cluster(power_cut_after(flags)); !started) return started.error();
  progress("starting the controller");
  const auto start = rig.start_controller();
  if (!start) return start.error();
  const auto used = cpu_usage(rig.controller_process());
  if (!used) return used.error();
  std::optional<SilenceWatch> watch;
  if (flags.die > 0) watch.emplace(rig.cluster(), bench.clock);
  progress("ready after " + go_duration(std::chrono::round<std::chrono::milliseconds>(*start)) +
           "; settling for " + go_duration(flags.settle));
  if (auto rested = rig.rest(flags.settle); !rested) return rested.error();

  Run run{{"ready_ms", "start of the controller to ready", "ms", milliseconds(*start), 0},
          {"ready_cpu_ms", "CPU until then", "ms", milliseconds(used->total), 0}};
  progress("measuring for " + go_duration(flags.window));
  if (auto done = measure_rest(rig, flags, run); !done) return done.error();
  if (!watch) return run;
  if (auto done = measure_failure(rig, *watch, flags, run); !done) return done.error();
  return run;
}

/// Where this build has put it: beside this program, or in its folder's own place.
std::string built(const std::string& folder, const std::string& program) {
  std::error_code none;
  const std::filesystem::path here =
      std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  if (std::filesystem::exists(here / program, none)) return (here / program).string();
  return (here.parent_path() / folder / program).string();
}

std::string load_average() {
  std::array<double, 1> load{};
  if (::getloadavg(load.data(), 1) != 1) return "unknown";
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.2f", load[0]);
  return text.data();
}

Facts facts_of(const BenchFlags& flags) {
  Facts facts{{"nodes", std::to_string(flags.nodes)},
              {"pods", std::to_string(std::uint64_t{flags.nodes} * flags.pods_per_node)},
              {"window", go_duration(flags.window)},
              {"grace", go_duration(flags.grace)},
              {"cores", std::to_string(std::thread::hardware_concurrency())},
              {"load_at_start", load_average()},
#ifdef __OPTIMIZE__
              {"build", "optimised"}};
#else
              {"build", "not optimised, the numbers mean little"}};
#endif
  for (const std::string& flag : flags.controller_flags) {
    facts.push_back({"controller_flag", flag});
  }
  return facts;
}

void print(const BenchFlags& flags, const Facts& facts, const std::vector<Run>& runs) {
  if (flags.json) {
    std::cout << json(facts, runs) << "\n";
    return;
  }
  std::string line;
  for (const Fact& fact : facts) line += (line.empty() ? "" : ", ") + fact.name + " " + fact.value;
  std::cout << "\n" << line << "\n\n" << table(runs);
}

std::optional<std::string> make_directory() {
  std::error_code none;
  std::string pattern = (std::filesystem::temp_directory_path(none) / "nlc-bench-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return std::nullopt;
  return pattern;
}

int run(BenchFlags flags) {
  if (flags.controller.empty()) flags.controller = built("controller", "node-lifecycle-controller");
  if (flags.workbench.empty()) flags.workbench = built("sim", "nlc");
  const std::optional<std::string> directory = make_directory();
  if (!directory) {
    progress("cannot make a directory for temporary files");
    return 1;
  }
  const net::SystemClock clock;
  net::AsioLoop loop(clock);
  Bench bench{.clock = clock, .loop = loop};
  const net::StopSignals signals(loop, [&](int) {
    bench.stopped = true;
    loop.stop();
  });
  const Facts facts = facts_of(flags);
  std::vector<Run> runs;
  for (std::uint32_t repeat = 0; repeat < flags.repeats; ++repeat) {
    Result<Run> run = measure(bench, flags, *directory);
    if (!run) {
      progress("failed: " + run.error().path + "\noutputs are in " + *directory);
      return 1;
    }
    runs.push_back(std::move(*run));
  }
  print(flags, facts, runs);
  std::error_code none;
  std::filesystem::remove_all(*directory, none);
  return 0;
}

}  // namespace
}  // namespace nlc::bench

int main(int count, char** words) {
  const nlc::bench::CommandLine line = nlc::bench::read_command_line(count, words);
  if (line.flags) return nlc::bench::run(*line.flags);
  (line.exit_code == 0 ? std::cout : std::cerr) << line.text;
  return line.exit_code;
}

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "bench/bench_flags.h"
#include "bench/death_report.h"
#include "bench/exposition.h"
#include "bench/machine.h"
#include "bench/measures.h"
#include "bench/process_usage.h"
#include "bench/rig.h"
#include "net/loop/stop_signals.h"
#include "net/loop/system_clock.h"
#include "net/process/temporary_folder.h"
#include "runtime/go_duration.h"

/// What the controller costs at rest, and what it does when nodes die: the real programs, each in a
/// process of its own, measured from outside.
namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

/// As the numbers that we compare with were taken: the CPU of so long after the power cut.
constexpr Duration failure_span = 120s;
constexpr const char* lease_events = "nlc_watch_events_total{resource=\"leases\"}";
constexpr const char* pod_events = "nlc_watch_events_total{resource=\"pods\"}";
constexpr const char* look_seconds = "node_collector_update_all_nodes_health_duration_seconds_sum";
constexpr const char* looks = "node_collector_update_all_nodes_health_duration_seconds_count";

using report::milliseconds;

void progress(const std::string& line) { std::cerr << line << std::endl; }

/// What the controller has counted so far.
struct Counts {
  double leases = 0;
  double pods = 0;
  double look_seconds = 0;
  double looks = 0;
};

Result<Counts> counts_of(Rig& rig) {
  Result<std::string> text = rig.metrics();
  if (!text) return std::move(text.error());
  const auto count = [&](const char* series) { return sample(*text, series).value_or(0); };
  return Counts{.leases = count(lease_events),
                .pods = count(pod_events),
                .look_seconds = count(look_seconds),
                .looks = count(looks)};
}

/// The scrapes stand outside the time that is measured.
Result<std::monostate> measure_rest(Rig& rig, const BenchFlags& flags, Run& run) {
  const auto events_before = counts_of(rig);
  const auto server_before = cpu_usage(rig.cluster_process());
  const auto before = cpu_usage(rig.controller_process());
  if (auto rested = rig.rest(flags.window); !rested) return rested;
  const auto after = cpu_usage(rig.controller_process());
  const auto memory = memory_usage(rig.controller_process());
  const auto server_after = cpu_usage(rig.cluster_process());
  const auto server_memory = memory_usage(rig.cluster_process());
  const auto events_after = counts_of(rig);
  if (!events_before) return events_before.error();
  if (!events_after) return events_after.error();
  if (!before || !after || !memory) return Error{.path = "the controller cannot be looked at"};
  if (!server_before || !server_after || !server_memory) {
    return Error{.path = "the cluster cannot be looked at"};
  }

  const CpuUsage used = *after - *before;
  const double renewals = events_after->leases - events_before->leases;
  if (renewals < 1) return Error{.path = "no lease was renewed in the window"};
  const double seconds = milliseconds(flags.window) / 1000;
  const auto per_renewal = [&](Duration span) { return milliseconds(span) * 1000 / renewals; };
  run.push_back({"renewals", "lease renewals in the window", "", renewals, 0});
  run.push_back({"renewals_per_second", "renewals per second", "1/s", renewals / seconds, 1});
  run.push_back({"pod_events_per_second", "changes of pods per second", "1/s",
                 (events_after->pods - events_before->pods) / seconds, 1});
  run.push_back({"cpu_ms", "CPU in the window", "ms", milliseconds(used.total), 1});
  run.push_back({"cpu_ticks_ms", "the same, in ticks", "ms", milliseconds(used.ticks), 0});
  run.push_back(
      {"cpu_core_percent", "of one core", "%", milliseconds(used.total) / seconds / 10, 3});
  run.push_back(
      {"cpu_per_renewal_us", "CPU per renewal, pass included", "µs", per_renewal(used.total), 2});
  run.push_back({"executor_cpu_per_renewal_us", "of that, executor's thread", "µs",
                 per_renewal(used.main_thread), 2});
  const double looked = events_after->looks - events_before->looks;
  run.push_back(
      {"look_us", "a look at all nodes", "µs",
       (events_after->look_seconds - events_before->look_seconds) * 1e6 / std::max(looked, 1.0),
       0});
  run.push_back({"wakeups_per_renewal", "wake-ups per renewal", "",
                 static_cast<double>(used.wakeups) / renewals, 2});
  run.push_back({"resident_mib", "resident memory", "MiB", mebibytes(memory->resident), 1});
  run.push_back({"resident_peak_mib", "its peak since the start", "MiB",
                 mebibytes(memory->resident_peak), 1});
  run.push_back({"private_mib", "private to the process", "MiB", mebibytes(memory->private_), 1});
  run.push_back({"anonymous_mib", "heap and stacks", "MiB", mebibytes(memory->anonymous), 1});
  run.push_back({"resident_per_node_bytes", "resident memory per node with its pods", "B",
                 static_cast<double>(memory->resident) / flags.nodes, 0});
  run.push_back({"server_core_percent", "server and kubelets, of one core", "%",
                 milliseconds((*server_after - *server_before).total) / seconds / 10, 1});
  run.push_back({"server_resident_mib", "… their resident memory", "MiB",
                 mebibytes(server_memory->resident), 0});
  return std::monostate{};
}

/// How long `nlc why` waits, asked now and then: who asks at once again waits for a tenth of the
/// thread's time.
Result<std::monostate> measure_answers(Rig& rig, const BenchFlags& flags, Run& run) {
  struct Question {
    std::string what;
    std::string target;
    int status = 200;
  };
  const std::vector<Question> questions{
      {"node", flags.feed ? "/node/node-0" : "/node/hollow-0"},
      {"next", ""},
      {"zone", flags.feed ? "/zone/zone-0" : "/zone/zone-a"},
      {"no such node", "/node/node-of-another", 404},
      {"no such pod", "/pod/default/pod-of-another", 404},
  };
  for (const Question& question : questions) {
    std::vector<double> took;
    for (int asked = 0; asked < 50; ++asked) {
      auto time = rig.time_of_answer("/v1/why" + question.target, question.status);
      if (!time) return std::move(time.error());
      took.push_back(milliseconds(*time));
      if (auto rested = rig.rest(std::max<Duration>(20ms, 10 * *time)); !rested) return rested;
    }
    const auto add = [&](const char* name, double share) {
      std::string key = "why_" + question.what + "_" + name + "_ms";
      std::ranges::replace(key, ' ', '_');
      run.push_back({key, "why, " + question.what + ": answered after, " + name, "ms",
                     percentile(took, share), 2});
    };
    add("p50", 0.5);
    add("max", 1);
  }
  return std::monostate{};
}

/// `key` and `what` name the failure.
struct Failure {
  std::string key;
  std::string what;
};

void add_delays(const Failure& failure, const Deaths& deaths, Run& run) {
  const auto add = [&](const char* name, const char* title, double share) {
    run.push_back({failure.key + "_unknown_" + name + "_ms", failure.what + title, "ms",
                   percentile(deaths.unknown, share), 1});
  };
  run.push_back({failure.key + "_died", failure.what + ": nodes that died", "",
                 static_cast<double>(deaths.told), 0});
  run.push_back({failure.key + "_unknown", failure.what + ": called Unknown", "",
                 static_cast<double>(deaths.unknown.size()), 0});
  add("p50", ": grace over to Unknown seen, p50", 0.5);
  add("p99", ": … p99", 0.99);
  add("max", ": … max", 1);
  run.push_back({failure.key + "_pods_not_ready_max_ms", failure.what + ": … to pods NotReady, max",
                 "ms", percentile(deaths.pods_not_ready, 1), 1});
}

/// Ends with the power back on.
Result<std::monostate> measure_failure(Rig& rig, const Failure& failure, Run& run) {
  DeathReport report(rig.report());
  const auto before = cpu_usage(rig.controller_process());
  rig.cut_power();
  progress("power cut: " + failure.what + "; measuring for " + go_duration(failure_span));
  if (auto rested = rig.rest(failure_span); !rested) return rested;
  const auto after = cpu_usage(rig.controller_process());
  const auto memory = memory_usage(rig.controller_process());
  rig.give_power_back();
  if (auto rested = rig.rest(10s); !rested) return rested;
  if (!before || !after || !memory) return Error{.path = "the controller cannot be looked at"};
  add_delays(failure, report.take_deaths(), run);
  run.push_back({failure.key + "_condemned", failure.what + ": healthy nodes called Unknown", "",
                 static_cast<double>(report.take_condemned()), 0});
  run.push_back({failure.key + "_cpu_ms",
                 failure.what + ": CPU in the " + go_duration(failure_span) + " after the cut",
                 "ms", milliseconds((*after - *before).total), 0});
  run.push_back({failure.key + "_peak_mib", failure.what + ": peak of resident memory", "MiB",
                 mebibytes(memory->resident_peak), 1});
  return std::monostate{};
}

/// A cluster and the controller, which has just said that it is ready.
Result<Run> start(Rig& rig, const BenchFlags& flags, const std::vector<std::string>& victims) {
  progress("starting " + std::to_string(flags.nodes) + " nodes with " +
           std::to_string(flags.pods_per_node) + " pods each");
  if (auto started = rig.start_cluster(victims); !started) return started.error();
  progress("starting the controller");
  const auto taken = rig.start_controller();
  if (!taken) return taken.error();
  const auto used = cpu_usage(rig.controller_process());
  if (!used) return used.error();
  progress("ready after " + go_duration(std::chrono::round<std::chrono::milliseconds>(*taken)) +
           "; settling for " + go_duration(flags.settle));
  if (auto rested = rig.rest(flags.settle); !rested) return rested.error();
  return Run{{"ready_ms", "start of the controller to ready", "ms", milliseconds(*taken), 0},
             {"ready_cpu_ms", "CPU until then", "ms", milliseconds(used->total), 0}};
}

Result<std::monostate> measure_dying_zone(const Bench& bench, const BenchFlags& flags,
                                          const std::string& directory, Run& run) {
  Rig rig(bench, flags, directory);
  if (auto started = start(rig, flags, {"--kill-zone=zone-a"}); !started) return started.error();
  return measure_failure(rig, {"zone", "a zone of a third"}, run);
}

Result<Run> measure(const Bench& bench, const BenchFlags& flags, const std::string& directory) {
  std::optional<Rig> rig(std::in_place, bench, flags, directory);
  const std::uint32_t die = dying(flags);
  std::vector<std::string> victims;
  if (die > 0) victims.push_back("--kill=" + std::to_string(die));
  Result<Run> run = start(*rig, flags, victims);
  if (!run) return run;
  progress("measuring for " + go_duration(flags.window));
  if (auto done = measure_rest(*rig, flags, *run); !done) return done.error();
  if (auto done = measure_answers(*rig, flags, *run); !done) return done.error();
  if (die > 0) {
    std::array<char, 32> share{};
    std::snprintf(share.data(), share.size(), "%g %%", flags.die_percent);
    if (auto done = measure_failure(*rig, {"failure", share.data()}, *run); !done) {
      return done.error();
    }
  }
  rig.reset();  // two clusters at once would be measured together
  if (!flags.zone_dies) return run;
  if (auto done = measure_dying_zone(bench, flags, directory, *run); !done) return done.error();
  return run;
}

Facts facts_of(const BenchFlags& flags) {
  std::string sizes;
  for (const std::uint32_t size : flags.sizes) {
    sizes += (sizes.empty() ? "" : " / ") + std::to_string(size);
  }
  Facts facts{{"nodes", sizes},
              {"pods per node", std::to_string(flags.pods_per_node)},
              {"cluster", flags.feed ? "a feed of recorded objects" : "nlc cluster"},
              {"watches", "JSON, the only encoding of both"},
              {"window", go_duration(flags.window)},
              {"grace", go_duration(flags.grace)},
              {"processor", processor_name()},
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
  std::cout << "\n" << line << "\n\n";
  if (flags.sizes.size() == 1) {
    std::cout << table(runs);
    return;
  }
  std::vector<std::string> names;
  for (const std::uint32_t size : flags.sizes) {
    names.insert(names.end(), flags.repeats, std::to_string(size) + " nodes");
  }
  names.resize(runs.size());
  std::cout << table(runs, names);
}

int run(BenchFlags flags) {
  if (flags.controller.empty()) flags.controller = NLC_CONTROLLER_PROGRAM;
  if (flags.workbench.empty()) {
    flags.workbench = flags.feed ? NLC_FEED_PROGRAM : NLC_WORKBENCH_PROGRAM;
  }
  const Result<std::string> directory = net::make_temporary_folder("nlc-bench");
  if (!directory) {
    progress(directory.error().path);
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
  for (std::size_t turn = 0; turn < flags.sizes.size() * flags.repeats; ++turn) {
    flags.nodes = flags.sizes[turn / flags.repeats];
    Result<Run> run = measure(bench, flags, *directory);
    if (!run) {
      // What has been measured by then took its time.
      if (!runs.empty()) print(flags, facts, runs);
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
  const auto line = nlc::bench::read_command_line({words + 1, words + count});
  if (line.flags) return nlc::bench::run(*line.flags);
  return nlc::tell_end("bench_controller", {line.exit_code, line.text});
}

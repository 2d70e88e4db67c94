#include "bench/bench_flags.h"

#include <CLI/CLI.hpp>
#include <cmath>

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

void add_all(CLI::App& app, BenchFlags& flags) {
  FlagGroup group(app);
  app.add_option("--nodes", flags.sizes,
                 "Hollow nodes; several sizes are measured one after another")
      ->type_name("N,…")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  group.number("--pods-per-node", flags.pods_per_node, "Pods bound to each node", {0, 250});
  group.duration("--window", flags.window, "How long the controller is measured at rest", 1s);
  group.duration("--settle", flags.settle, "Wait between its first readiness and the window", 0s);
  app.add_option("--pod-changes", flags.pod_changes_per_mille,
                 "Of a thousand pods so many change their status each second")
      ->type_name("PER-MILLE")
      ->check(CLI::Range(0.0, 1000.0))
      ->capture_default_str();
  app.add_option("--die", flags.die_percent,
                 "Of a hundred nodes so many lose their power after the window; adds two minutes")
      ->type_name("PERCENT")
      ->check(CLI::Range(0.0, 100.0))
      ->capture_default_str();
  app.add_flag("--zone-dies", flags.zone_dies,
               "After that, all nodes of one of three zones lose their power; on a cluster of its "
               "own");
  app.add_flag("--feed", flags.feed,
               "The watches are told by a feed of recorded objects under many names, as a cluster "
               "at rest would: for sizes that nlc cannot carry. Nobody can die there");
  group.duration("--grace", flags.grace, "The controller's --node-monitor-grace-period", 1s);
  group.number("--repeats", flags.repeats, "Runs, each with processes of its own", {1, 100});
  app.add_flag("--json", flags.json, "Print JSON instead of the table");
  group.text("--controller", flags.controller, "PATH",
             "Program to measure; without it, the one built with this program");
  group.text("--workbench", flags.workbench, "PATH", "The nlc that plays the cluster; likewise");
  app.add_option("--controller-flag", flags.controller_flags,
                 "One more flag for the controller; may be repeated")
      ->type_name("FLAG")
      ->allow_extra_args(false);
  app.add_option("--workbench-flag", flags.workbench_flags,
                 "One more flag for nlc cluster; likewise")
      ->type_name("FLAG")
      ->allow_extra_args(false);
}

}  // namespace

std::uint32_t dying(const BenchFlags& flags) {
  return static_cast<std::uint32_t>(std::ceil(flags.nodes * flags.die_percent / 100));
}

CommandLine<BenchFlags> read_command_line(const std::vector<std::string>& arguments) {
  BenchFlags flags;
  CLI::App app(
      "Measures the real controller against the embedded cluster, each in a process of its own.\n"
      "Progress goes to stderr, the table to stdout.",
      "bench_controller");
  add_all(app, flags);
  app.footer(
      "Examples:\n"
      "  bench_controller\n"
      "  bench_controller --nodes 2000 --die 2.5 --grace 40s\n"
      "  bench_controller --nodes 1000,10000 --pod-changes 2 --die 1 --zone-dies\n"
      "  bench_controller --nodes 100000 --pod-changes 2 --feed\n"
      "  bench_controller --repeats 3 --window 30s --json\n"
      "  bench_controller --controller-flag=--node-monitor-period=1s");
  return command_line(flags, read_arguments(app, arguments, [&flags] {
                        if (!flags.feed || (flags.die_percent == 0 && !flags.zone_dies)) return;
                        throw BadFlag{"--feed: only without --die and --zone-dies (see --help)"};
                      }));
}

}  // namespace nlc::bench

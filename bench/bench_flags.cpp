#include "bench/bench_flags.h"

#include <CLI/CLI.hpp>
#include <cmath>

#include "runtime/go_duration.h"

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

struct DurationFlag {
  std::string name;
  Duration least;
  std::string help;
};

void add(CLI::App& app, const DurationFlag& flag, Duration& target) {
  const auto read = [flag, &target](const std::string& text) {
    const std::optional<Duration> value = parse_go_duration(text);
    if (!value || *value < flag.least) {
      throw CLI::ValidationError(flag.name + "=" + text + ": must be a duration of at least " +
                                 go_duration(flag.least));
    }
    target = *value;
  };
  app.add_option_function<std::string>(flag.name, read, flag.help)
      ->type_name("DURATION")
      ->default_str(go_duration(target));
}

void add_number(CLI::App& app, const std::string& name, std::uint32_t& target, CLI::Range range,
                const std::string& help) {
  app.add_option(name, target, help)->type_name("N")->check(range)->capture_default_str();
}

void add_all(CLI::App& app, BenchFlags& flags) {
  app.add_option("--nodes", flags.sizes,
                 "Hollow nodes; several sizes are measured one after another")
      ->type_name("N,…")
      ->delimiter(',')
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  add_number(app, "--pods-per-node", flags.pods_per_node, {0, 250}, "Pods bound to each node");
  add(app, {"--window", 1s, "How long the controller is measured at rest"}, flags.window);
  add(app, {"--settle", 0s, "Wait between its first readiness and the window"}, flags.settle);
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
  add(app, {"--grace", 1s, "The controller's --node-monitor-grace-period"}, flags.grace);
  add_number(app, "--repeats", flags.repeats, {1, 100}, "Runs, each with processes of its own");
  app.add_flag("--json", flags.json, "Print JSON instead of the table");
  app.add_option("--controller", flags.controller,
                 "Program to measure; without it, the one built with this program")
      ->type_name("PATH");
  app.add_option("--workbench", flags.workbench, "The nlc that plays the cluster; likewise")
      ->type_name("PATH");
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

CommandLine read_command_line(int count, char** words) {
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
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return {.flags = {}, .exit_code = 0, .text = app.help()};
    return {.flags = {}, .exit_code = 2, .text = std::string(error.what()) + " (see --help)\n"};
  }
  if (flags.feed && (flags.die_percent > 0 || flags.zone_dies)) {
    return {.flags = {},
            .exit_code = 2,
            .text = "--feed: only without --die and --zone-dies (see --help)\n"};
  }
  return {.flags = flags, .exit_code = 0, .text = {}};
}

}  // namespace nlc::bench

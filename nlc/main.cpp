#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <string>

#include "net/listen_address.h"
#include "net/program.h"
#include "nlc/cluster.h"
#include "nlc/console.h"
#include "nlc/demo.h"
#include "nlc/experiment.h"
#include "nlc/hollow.h"
#include "nlc/scenario.h"
#include "runtime/go_duration.h"

/// The workbench: its flags, and which command they are for. Everything else stands in the
/// commands' own files, because CLI11 is slow to compile.
namespace nlc::sim {
namespace {

using namespace std::chrono_literals;

constexpr int exit_usage = 2;

/// A value that was refused, in one line: flag, value, allowed range.
[[noreturn]] void refuse(const std::string& flag, const std::string& value,
                         const std::string& allowed) {
  throw CLI::ValidationError(flag + "=" + value + ": " + allowed);
}

struct Range {
  std::uint32_t low;
  std::uint32_t high;
};

std::uint32_t number(const std::string& flag, const std::string& text, Range range) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc{} && end == text.data() + text.size() && !text.empty();
  if (!whole || value < range.low || value > range.high) {
    refuse(flag, text,
           "must be a whole number from " + std::to_string(range.low) + " to " +
               std::to_string(range.high));
  }
  return value;
}

Duration duration(const std::string& flag, const std::string& text, Duration least) {
  const std::optional<Duration> value = parse_go_duration(text);
  if (!value || *value < least) {
    refuse(flag, text, "must be a duration such as 30s or 1m30s, at least " + go_duration(least));
  }
  return *value;
}

template <typename Number>
void number_flag(CLI::App& command, const std::string& flag, Number& target, Range range,
                 const std::string& help) {
  command
      .add_option_function<std::string>(
          flag,
          [=, &target](const std::string& text) {
            target = static_cast<Number>(number(flag, text, range));
          },
          help)
      ->type_name("N")
      ->default_str(std::to_string(target));
}

void duration_flag(CLI::App& command, const std::string& flag, Duration& target, Duration least,
                   const std::string& help) {
  command
      .add_option_function<std::string>(
          flag, [=, &target](const std::string& text) { target = duration(flag, text, least); },
          help)
      ->type_name("DURATION")
      ->default_str(go_duration(target));
}

void fleet_flags(CLI::App& command, FleetFlags& flags) {
  number_flag(command, "--nodes", flags.nodes, {1, 1'000'000}, "Hollow nodes");
  number_flag(command, "--pods-per-node", flags.pods_per_node, {0, 250}, "Pods bound to each node");
  number_flag(command, "--zones", flags.zones, {1, 1000},
              "Zones the nodes are dealt out to: zone-a, zone-b, …");
  number_flag(command, "--node-lease-duration-seconds", flags.node_lease_duration_seconds,
              {1, 86'400}, "Leases are renewed every quarter of it");
  duration_flag(command, "--node-status-update-frequency", flags.node_status_update_frequency,
                100ms, "How often a node's status is computed");
  duration_flag(command, "--node-status-report-frequency", flags.node_status_report_frequency,
                100ms, "How often it is posted though nothing changed");
  command
      .add_option_function<std::string>(
          "--toleration-seconds",
          [&flags](const std::string& text) {
            flags.toleration_seconds = number("--toleration-seconds", text, {0, 86'400});
          },
          "How long pods tolerate a node that is not ready or unreachable; the server's default is "
          "300")
      ->type_name("N");
  number_flag(command, "--pod-changes", flags.pod_changes_per_second, {0, 1'000'000},
              "So many pods change their status each second, once all run");
  number_flag(command, "--kill", flags.kill, {0, 1'000'000},
              "Of the nodes, the first so many lose their power");
  command.add_option("--kill-zone", flags.kill_zone, "… and all nodes of this zone")
      ->type_name("ZONE");
  duration_flag(command, "--after", flags.after, 0s, "… so long after all nodes and pods run");
  command
      .add_option_function<std::string>(
          "--revive-after",
          [&flags](const std::string& text) {
            flags.revive_after = duration("--revive-after", text, 0s);
          },
          "… and get it back so long after that; without it, never")
      ->type_name("DURATION");
}

/// What no single flag can see.
void check(const FleetFlags& flags) {
  if (flags.kill > flags.nodes) {
    refuse("--kill", std::to_string(flags.kill),
           "at most --nodes can lose their power, and that is " + std::to_string(flags.nodes));
  }
  if (flags.kill_zone.empty() || names_a_zone(flags, flags.kill_zone)) return;
  refuse("--kill-zone", flags.kill_zone,
         "must be a zone that has nodes: zone-a, zone-b, … as many as --zones");
}

void report_flags(CLI::App& command, ReportFlags& flags) {
  command
      .add_option("--report", flags.file,
                  "Watch what the controller does about the nodes that lost their power: a line of "
                  "JSON for each")
      ->type_name("FILE");
  duration_flag(command, "--node-monitor-grace-period", flags.grace, 1s,
                "The controller's: the report counts from its end");
}

CLI::App* add_cluster(CLI::App& app, ClusterFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "cluster",
      "A cluster to play with: an API server on a port, hollow kubelets, no controller.\n"
      "kubectl works against it. Runs until SIGINT or SIGTERM. SIGUSR1 cuts the power of the\n"
      "--kill nodes at once, SIGUSR2 gives it back.");
  fleet_flags(*command, flags.fleet);
  command->callback([&flags] { check(flags.fleet); });
  command
      ->add_option_function<std::string>(
          "--bind-address",
          [&flags](const std::string& text) {
            const auto parsed = net::parse_listen_address(text + ":0");
            if (!parsed) refuse("--bind-address", text, "must be an IP address of this machine");
            flags.bind_address = parsed->host;
          },
          "Address to listen on; whoever reaches it may do everything")
      ->type_name("IP")
      ->default_str(flags.bind_address);
  number_flag(*command, "--port", flags.port, {0, 65'535}, "Port to listen on; 0 takes a free one");
  report_flags(*command, flags.report);
  command->add_option("--kubeconfig", flags.kubeconfig, "File to write")
      ->type_name("FILE")
      ->capture_default_str();
  command->footer(
      "Examples:\n"
      "  nlc cluster --nodes 50\n"
      "  kubectl --kubeconfig nlc.kubeconfig get nodes -w\n"
      "  node-lifecycle-controller --kubeconfig nlc.kubeconfig --leader-elect=false\n"
      "  nlc cluster --nodes 300 --toleration-seconds 30 --kill 5 --after 20s --revive-after 2m");
  return command;
}

/// A name as Kubernetes takes it where no dots are allowed.
std::string label_name(const char* flag, const std::string& text, std::size_t longest) {
  const auto allowed = [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= '0' && letter <= '9') || letter == '-';
  };
  const bool fits = !text.empty() && text.size() <= longest && std::ranges::all_of(text, allowed) &&
                    !text.starts_with('-') && !text.ends_with('-');
  if (!fits) {
    refuse(flag, text,
           "must be up to " + std::to_string(longest) +
               " of a-z, 0-9 and -, with no - at its beginning or end");
  }
  return text;
}

CLI::App* add_hollow(CLI::App& app, HollowFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "hollow",
      "Hollow kubelets against any cluster: nodes hollow-0, hollow-1, … and their pods.\n"
      "What they made is removed on SIGINT or SIGTERM. SIGUSR1 cuts the power of the --kill nodes\n"
      "at once, SIGUSR2 gives it back.");
  fleet_flags(*command, flags.fleet);
  command->callback([&flags] { check(flags.fleet); });
  command
      ->add_option("--kubeconfig", flags.kubeconfig,
                   "How to reach the cluster; without it, as kubectl does")
      ->type_name("FILE");
  command->add_option("--context", flags.context, "Context of the kubeconfig")->type_name("NAME");
  command
      ->add_option_function<std::string>(
          "--name-prefix",
          [&flags](const std::string& text) {
            flags.name_prefix = label_name("--name-prefix", text, 50);  // and a number behind it
          },
          "Nodes are NAME-0, NAME-1, …")
      ->type_name("NAME")
      ->default_str(flags.name_prefix);
  command
      ->add_option_function<std::string>(
          "--namespace",
          [&flags](const std::string& text) {
            flags.namespace_ = label_name("--namespace", text, 63);
          },
          "Namespace of the pods; made if missing")
      ->type_name("NAME")
      ->default_str(flags.namespace_);
  command->add_flag("--leave", flags.leave, "Leave at the end what was made");
  report_flags(*command, flags.report);
  command->footer(
      "Examples:\n"
      "  nlc hollow --kubeconfig ~/.kube/config --nodes 100 --pods-per-node 10 --zones 3\n"
      "  nlc hollow --nodes 20 --kill 3 --after 60s --revive-after 5m\n"
      "  nlc hollow --nodes 500 --kill 50 --report dead.jsonl --toleration-seconds 30");
  return command;
}

CLI::App* add_demo(CLI::App& app, DemoFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "demo",
      "Watch nodes die: 100 hollow nodes, the real controller against them over HTTP, three\n"
      "machines that lose their power and one that gets it back. Takes about half a minute; exits\n"
      "with 0 only if everything happened that should.");
  number_flag(*command, "--port", flags.port, {0, 65'535}, "Port to listen on; 0 takes a free one");
  command
      ->add_option("--controller", flags.controller,
                   "Program to run; without it, node-lifecycle-controller beside this program")
      ->type_name("PATH");
  command->add_flag("--keep", flags.keep, "Leave cluster and controller running at the end");
  command->footer("Examples:\n  nlc demo\n  nlc demo --keep");
  return command;
}

/// "name=value" of one of the controller's flags, with or without its dashes.
std::pair<std::string, std::string> controller_flag(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t name = text.find_first_not_of('-');
  if (equals == std::string::npos || name >= equals) {
    refuse("--flag", text, "must be NAME=VALUE, such as node-monitor-grace-period=20s");
  }
  return {text.substr(name, equals - name), text.substr(equals + 1)};
}

/// Options that take many values take the files behind them too: they are given back.
void give_back_files(std::vector<std::string>& values, std::vector<std::string>& files) {
  const auto is_file = [](const std::string& value) {
    return value.ends_with(".yaml") || value.ends_with(".yml");
  };
  std::ranges::copy_if(values, std::back_inserter(files), is_file);
  std::erase_if(values, is_file);
}

/// What the command line says of a scenario run before its values are understood.
struct ScenarioWords {
  ScenarioFlags flags;
  std::vector<std::string> settings;

  void understand() {
    give_back_files(flags.only, flags.files);
    give_back_files(settings, flags.files);
    for (const std::string& setting : settings) flags.flags.push_back(controller_flag(setting));
    if (flags.files.empty()) throw CLI::RequiredError("FILE");
  }
};

CLI::App* add_scenario(CLI::App& app, ScenarioWords& words) {
  CLI::App* command = app.add_subcommand(
      "scenario",
      "Runs scenario files: what is there, what happens when, and what is expected then. The real\n"
      "controller against the embedded API server, in virtual time: minutes take milliseconds and\n"
      "two runs are alike to the last byte. One line for each case that fails, and a last line\n"
      "that counts them all. Exits with 0 only if none failed, with 1 if some did, with 2 if a\n"
      "file cannot be understood. The format: docs/scenarios.md.");
  command->add_option("FILE", words.flags.files, "Scenario files")->type_name("");
  command
      ->add_option("--only", words.flags.only, "Only these cases, or all of an area: NX-001, or NX")
      ->type_name("ID")
      ->delimiter(',');
  command->add_flag("--trace", words.flags.trace,
                    "Tell what the controller saw, decided and wrote, and when");
  command->add_flag("--json", words.flags.json, "The outcome of every case as one JSON object");
  command
      ->add_option("--flag", words.settings,
                   "Flags of the controller that win over those of the cases")
      ->type_name("NAME=VALUE");
  command
      ->add_option("--deviations", words.flags.deviations,
                   "Cases that differ on purpose, and what has to hold in their place; without it "
                   "none does")
      ->type_name("FILE");
  command->callback([&words] { words.understand(); });
  command->footer(
      "Examples:\n"
      "  What would a grace of 20s do to a reboot of a minute?\n"
      "    nlc scenario docs/scenarios/reboot.yaml --flag node-monitor-grace-period=20s --trace\n"
      "  The conformance cases, those that deviate on purpose judged by what they deviate to:\n"
      "    nlc scenario tests/conformance/cases/node-lifecycle.yaml \\\n"
      "      --deviations tests/conformance/deviations.yaml");
  return command;
}

/// The commands there are, for somebody who asked for another one.
std::string command_names(const CLI::App& app) {
  std::string names;
  for (const CLI::App* command : app.get_subcommands({})) {
    names += (names.empty() ? "" : ", ") + command->get_name();
  }
  return names;
}

/// A first word that is neither a command nor a flag; empty when there is none.
std::string unknown_command(const CLI::App& app, int argc, char** argv) {
  const std::string word = argc > 1 ? argv[1] : "";
  if (word.empty() || word.starts_with('-')) return {};
  const auto commands = app.get_subcommands({});
  const auto is_it = [&](const CLI::App* command) { return command->get_name() == word; };
  return std::ranges::any_of(commands, is_it) ? std::string() : word;
}

CLI::App* add_experiment(CLI::App& app, ExperimentFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "experiment",
      "What would other flags cost and save? Runs one scenario with every combination of the\n"
      "given flags and with many seeds, in virtual time, and prints a table.\n"
      "See docs/experiments.md.");
  command->add_option("FILE", flags.file, "Scenario file")->required();
  command
      ->add_option("--vary", flags.vary,
                   "A flag of the controller and the values it takes; repeated for more flags")
      ->type_name("FLAG=VALUE,…")
      ->allow_extra_args(false);
  number_flag(*command, "--seeds", flags.seeds, {1, 1'000'000}, "Runs of each combination");
  command->add_option("--only", flags.only, "The case to run, of a file that has several")
      ->type_name("ID");
  number_flag(*command, "--jobs", flags.jobs, {0, 1024}, "Runs at once; 0: one for each processor");
  command->add_option("--csv", flags.csv, "Writes the table as CSV")->type_name("FILE");
  command->add_option("--json", flags.json, "Writes the table as JSON")->type_name("FILE");
  command->add_option("--plot", flags.plot, "Draws the table as SVG")->type_name("FILE.svg");
  command->footer(
      "Example:\n"
      "  nlc experiment docs/experiments/lost-renewals.yaml --seeds 20 \\\n"
      "    --vary node-monitor-grace-period=20s,40s,60s --vary node-monitor-period=2s,5s \\\n"
      "    --plot lost-renewals.svg");
  return command;
}

/// CLI11 prints help by way of an exception too; everything else is a mistake of usage.
int report(const CLI::App& app, const CLI::ParseError& error) {
  if (error.get_exit_code() == 0) return app.exit(error);
  std::string line = error.what();
  line = line.substr(0, line.find('\n'));
  complain(line + " (see --help)");
  return exit_usage;
}

int run(int argc, char** argv) {
  CLI::App app("The workbench of node-lifecycle-controller: clusters without machines.", "nlc");
  app.set_version_flag("--version", NLC_VERSION);
  app.require_subcommand(1);
  app.footer("nlc COMMAND --help tells the flags of each and gives examples.");
  ClusterFlags cluster;
  HollowFlags hollow;
  DemoFlags demo;
  const CLI::App* cluster_command = add_cluster(app, cluster);
  const CLI::App* hollow_command = add_hollow(app, hollow);
  const CLI::App* demo_command = add_demo(app, demo);
  ExperimentFlags experiment;
  const CLI::App* experiment_command = add_experiment(app, experiment);
  ScenarioWords scenario;
  const CLI::App* scenario_command = add_scenario(app, scenario);
  if (const std::string word = unknown_command(app, argc, argv); !word.empty()) {
    complain("there is no command \"" + word + "\"; there are " + command_names(app) +
             " (see --help)");
    return exit_usage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return report(app, error);
  }
  if (cluster_command->parsed()) return run_cluster(cluster);
  if (hollow_command->parsed()) return run_hollow(hollow);
  if (demo_command->parsed()) return run_demo(demo);
  if (experiment_command->parsed()) return run_experiment(experiment);
  if (scenario_command->parsed()) return run_scenarios(scenario.flags);
  return exit_usage;
}

}  // namespace
}  // namespace nlc::sim

int main(int argc, char** argv) {
  return nlc::net::run_program("nlc", [=] { return nlc::sim::run(argc, argv); });
}

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "net/http/listen_address.h"
#include "net/process/program.h"
#include "nlc/cluster/cluster.h"
#include "nlc/cluster/fleet_flags.h"
#include "nlc/cluster/hollow.h"
#include "nlc/console/console.h"
#include "nlc/demo/demo.h"
#include "nlc/fuzz/fuzz.h"
#include "nlc/scenario/experiment.h"
#include "nlc/scenario/scenario.h"
#include "nlc/why/why.h"
#include "runtime/dns_name.h"
#include "runtime/flags.h"
#include "sim/fuzz/day_name.h"

/// The workbench: its flags, and which command they are for. Everything else stands in the
/// commands' own files, because CLI11 is slow to compile.
namespace nlc::workbench {
namespace {

CLI::App* add_cluster(CLI::App& app, ClusterFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "cluster",
      "A cluster to play with: an API server on a port, hollow kubelets, no controller.\n"
      "kubectl works against it. Runs until SIGINT, SIGTERM or SIGHUP. SIGUSR1 cuts the power of\n"
      "the --kill nodes at once, SIGUSR2 gives it back.");
  FlagGroup group(*command);
  fleet_flags(group, flags.fleet);
  command->callback([&flags] { check(flags.fleet); });
  group.value("--bind-address", "IP", flags.bind_address,
              "Address to listen on; whoever reaches it may do everything",
              [&flags](const std::string& text) {
                const auto parsed = net::parse_listen_address(text + ":0");
                if (!parsed) {
                  refuse_flag("--bind-address", text,
                              "must be an IPv4 address of this machine, such as 127.0.0.1");
                }
                flags.bind_address = parsed->host;
              });
  group.number("--port", flags.port, "Port to listen on; 0 takes a free one", {0, 65'535});
  report_flags(group, flags.report);
  group.value("--kubeconfig", "FILE", flags.kubeconfig, "File to write",
              [&flags](const std::string& file) {
                if (file.empty()) refuse_flag("--kubeconfig", file, "must be the name of a file");
                flags.kubeconfig = file;
              });
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
  const bool fits = text.size() <= longest && is_dns_label(text);
  if (!fits) {
    refuse_flag(flag, text,
                "must be up to " + std::to_string(longest) +
                    " of a-z, 0-9 and -, with no - at its beginning or end");
  }
  return text;
}

CLI::App* add_hollow(CLI::App& app, HollowFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "hollow",
      "Hollow kubelets against any cluster: nodes hollow-0, hollow-1, … and their pods.\n"
      "What they made is removed on SIGINT, SIGTERM or SIGHUP. SIGUSR1 cuts the power of the\n"
      "--kill nodes at once, SIGUSR2 gives it back.");
  FlagGroup group(*command);
  fleet_flags(group, flags.fleet);
  command->callback([&flags] { check(flags.fleet); });
  group.text("--kubeconfig", flags.kubeconfig, "FILE",
             "How to reach the cluster; without it, as kubectl does");
  group.text("--context", flags.context, "NAME", "Context of the kubeconfig");
  group.value("--name-prefix", "NAME", flags.name_prefix, "Nodes are NAME-0, NAME-1, …",
              [&flags](const std::string& text) {
                // A number stands behind it.
                flags.name_prefix = label_name("--name-prefix", text, 50);
              });
  group.value("--namespace", "NAME", flags.namespace_, "Namespace of the pods; made if missing",
              [&flags](const std::string& text) {
                flags.namespace_ = label_name("--namespace", text, 63);
              });
  command->add_flag("--leave", flags.leave, "Leave at the end what was made");
  command->add_flag("--schedulable", flags.schedulable,
                    "Without the taint nlc.hollow/no-machine:NoSchedule, which keeps a scheduler's "
                    "pods away");
  command->add_flag("--yes", flags.yes, "Do not ask before a server that is not on this machine");
  report_flags(group, flags.report);
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
  FlagGroup group(*command);
  group.number("--port", flags.port, "Port to listen on; 0 takes a free one", {0, 65'535});
  group.text("--controller", flags.controller, "PATH",
             "Program to run; without it, node-lifecycle-controller beside this program");
  command->add_flag("--keep", flags.keep, "Leave cluster and controller running at the end");
  command->footer("Examples:\n  nlc demo\n  nlc demo --keep");
  return command;
}

/// "name=value" of one of the controller's flags, with or without its dashes.
std::pair<std::string, std::string> controller_flag(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::size_t name = text.find_first_not_of('-');
  if (equals == std::string::npos || name >= equals) {
    refuse_flag("--flag", text, "must be NAME=VALUE, such as node-monitor-grace-period=20s");
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

/// A file to write, of the one kind that is.
void file_flag(FlagGroup& group, const char* flag, std::string& file, const std::string& kind,
               const char* help) {
  const std::string shown = "FILE" + kind;
  group.value(flag, shown.c_str(), "", help, [&file, flag, kind](const std::string& given) {
    if (!given.ends_with(kind))
      refuse_flag(flag, given, "must end in " + kind + ", for that is written");
    file = given;
  });
}

/// What the command line says of a scenario run before its values are understood.
struct ScenarioWords {
  ScenarioFlags flags;
  std::vector<std::string> settings;

  void understand() {
    give_back_files(flags.only, flags.files);
    give_back_files(settings, flags.files);
    for (const std::string& setting : settings) flags.flags.push_back(controller_flag(setting));
    if (flags.files.empty()) throw BadFlag{"FILE is required (see --help)"};
  }
};

CLI::App* add_scenario(CLI::App& app, ScenarioWords& words) {
  CLI::App* command = app.add_subcommand(
      "scenario",
      "Runs scenario files: what is there, what happens when, and what is expected then. The real\n"
      "controller against the embedded API server, in virtual time: minutes take milliseconds and\n"
      "two runs are alike to the last byte. One line for each case that fails, and a last line\n"
      "that counts them all, where one was played. Exits with 0 only if none failed, with 1 if\n"
      "some did, with 2 if a file cannot be understood. The format: docs/scenarios.md.");
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
  FlagGroup group(*command);
  group.text("--deviations", words.flags.deviations, "FILE",
             "Cases that differ on purpose, and what has to hold in their place; without it none "
             "does");
  file_flag(
      group, "--page", words.flags.page, ".html",
      "Writes the run of one case as a page to open in a browser: the controller's live page,\n"
      "with play, pause, speed and slider. Of several cases --only chooses");
  file_flag(
      group, "--gantt", words.flags.gantt, ".svg",
      "Draws the run of one case over time: heartbeats, Ready, taints and pods of each node,\n"
      "leaders, faults, and which expectations held");
  command->callback([&words] { words.understand(); });
  command->footer(
      "Examples:\n"
      "  What would a grace of 20s do to a reboot of a minute?\n"
      "    nlc scenario docs/scenarios/reboot.yaml --flag node-monitor-grace-period=20s --trace\n"
      "  Play the loss of a zone in the browser:\n"
      "    nlc scenario docs/scenarios/zone-loss.yaml --page zone-loss.html\n"
      "  See all of a reboot in one picture:\n"
      "    nlc scenario docs/scenarios/reboot.yaml --only REBOOT-2 --gantt reboot.svg\n"
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
std::string unknown_command(const CLI::App& app, const std::vector<std::string>& arguments) {
  const std::string word = arguments.empty() ? "" : arguments.front();
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
  FlagGroup group(*command);
  group.number("--seeds", flags.seeds, "Runs of each combination", {1, 1'000'000});
  group.text("--only", flags.only, "ID", "The case to run, of a file that has several");
  group.number("--jobs", flags.jobs, "Runs at once; 0: one for each processor", {0, 1024});
  group.text("--csv", flags.csv, "FILE", "Writes the table as CSV");
  group.text("--json", flags.json, "FILE", "Writes the table as JSON");
  file_flag(group, "--plot", flags.plot, ".svg", "Draws the table as SVG");
  file_flag(group, "--page", flags.page, ".html",
            "Writes one run as a page to open in a browser, with play, pause, speed and slider:\n"
            "seed 1 of the first combination, so name the values wanted first");
  command->footer(
      "Example:\n"
      "  nlc experiment docs/experiments/lost-renewals.yaml --seeds 20 \\\n"
      "    --vary node-monitor-grace-period=20s,40s,60s --vary node-monitor-period=2s,5s \\\n"
      "    --plot lost-renewals.svg");
  return command;
}

/// What a run prints is played again, or refused where it would be another day.
std::uint64_t seed_of(const std::string& text) {
  const Result<std::uint64_t> seed = sim::fuzz::day_named(text);
  if (!seed) refuse_flag("--seed", text, seed.error().path);
  return *seed;
}

CLI::App* add_fuzz(CLI::App& app, FuzzFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "fuzz",
      "Days nobody thought of: clusters, users and trouble drawn from a number each, played with\n"
      "the program that ships in virtual time and judged by rules that hold on every day. Exits\n"
      "with 1 when a rule was broken, with the number of that day and a scenario file cut down to\n"
      "what breaks it. SIGINT, SIGTERM or SIGHUP end the playing, and what was found is cut down;\n"
      "a second one ends that too. See docs/fuzz.md.");
  FlagGroup group(*command);
  group.number("--seeds", flags.seeds, "Days to play", {1, 100'000'000});
  group.number("--first", flags.first, "Number of the first of them", {0, 4'000'000'000});
  group.value("--seed", "N", "",
              "This day alone, line by line: a number, or as a run prints it, " +
                  sim::fuzz::day_name(4711) +
                  ", which is\nrefused where this version draws another day",
              [&flags](const std::string& text) { flags.seed = seed_of(text); });
  command->get_option("--seed")->excludes("--seeds")->excludes("--first");
  group.number("--jobs", flags.jobs, "Days at once; 0: one for each processor", {0, 1024});
  group.duration("--for", flags.for_, "Ends after so long at the latest; 0s: when all are played",
                 Duration{0});
  group.text("--out", flags.out, "FOLDER",
             "Where what is found is kept: found.txt, with each day as soon as it is found, and\n"
             "scenario files of what is left of them. What earlier runs found stays there");
  group.text("--planted", flags.planted, "NAME",
             "Makes this mistake and finds it, or \"all\" of them, one after the other; only in\n"
             "the program that make fuzz-planted builds");
  command->footer(
      "Examples:\n"
      "  A night:\n"
      "    nlc fuzz --seeds 1000000 --for 10h\n"
      "  What happened on day 4711:\n"
      "    nlc fuzz --seed 4711");
  return command;
}

CLI::App* add_why(CLI::App& app, WhyFlags& flags) {
  CLI::App* command = app.add_subcommand(
      "why",
      "Asks a running controller why a node, a pod or a zone is as it is, and what happens next.\n"
      "Twelve lines at most: what it is and since when, by which heartbeat; the rule and the "
      "flags\n"
      "that decided; what holds it back; what comes next, and when; the last decisions about it.\n"
      "Without a KIND: what the controller will do next. Installed as kubectl-nlc too, so that\n"
      "`kubectl nlc why` works. Without --server the leader is found by its Lease and reached by\n"
      "kubectl port-forward, where there is a kubeconfig; else http://127.0.0.1:10291 is asked.\n"
      "Exits with 1 when nobody answers, or there is no such thing. See docs/why.md.");
  command->add_option("KIND", flags.kind, "node, pod or zone")->type_name("");
  command
      ->add_option(
          "NAME", flags.name,
          "NODE, NAMESPACE/POD (default/ may be left out), REGION/ZONE (- for a label that "
          "nodes do not have)")
      ->type_name("");
  FlagGroup group(*command);
  group.value("-o,--output", "FORMAT", "text", "text or json", [&flags](const std::string& format) {
    if (format != "text" && format != "json") {
      refuse_flag("--output", format, "must be text or json");
    }
    flags.json = format == "json";
  });
  group.text("--server", flags.server, "URL",
             "A controller's status port (--status-bind-address), such as http://127.0.0.1:10291");
  group.text("--kubeconfig", flags.kubeconfig, "FILE", "For kubectl");
  group.text("--context", flags.context, "NAME", "For kubectl");
  group.text("--namespace", flags.namespace_, "NAME", "Namespace of the controller");
  group.text("--lease", flags.lease, "NAME", "The Lease that names the leader");
  command->footer(
      "Examples:\n"
      "  kubectl nlc why node worker-3\n"
      "  kubectl nlc why pod shop/web-7d9c5b-abcde\n"
      "  kubectl nlc why zone eu-west/a -o json\n"
      "  kubectl nlc why zone -/zone-a\n"
      "  nlc why --server http://127.0.0.1:10291");
  return command;
}

/// CLI11 would say that a command is missing, and not why.
bool is_no_flag_of(const CLI::App& app, const std::string& word) {
  return word.starts_with('-') && app.get_option_no_throw(word) == nullptr;
}

int run(const std::vector<std::string>& arguments) {
  CLI::App app("The workbench of node-lifecycle-controller: clusters without machines.", "nlc");
  app.set_version_flag("--version", "nlc " NLC_VERSION);
  app.require_subcommand(1);
  app.footer("nlc COMMAND --help tells the flags of each and gives examples.");
  ClusterFlags cluster;
  HollowFlags hollow;
  DemoFlags demo;
  ExperimentFlags experiment;
  FuzzFlags fuzz;
  WhyFlags why;
  ScenarioWords scenario;
  const std::pair<const CLI::App*, std::function<int()>> commands[] = {
      {add_cluster(app, cluster), [&] { return run_cluster(cluster); }},
      {add_hollow(app, hollow), [&] { return run_hollow(hollow); }},
      {add_demo(app, demo), [&] { return run_demo(demo); }},
      {add_experiment(app, experiment), [&] { return run_experiment(experiment); }},
      {add_fuzz(app, fuzz), [&] { return run_fuzz(fuzz); }},
      {add_why(app, why), [&] { return run_why(why); }},
      {add_scenario(app, scenario), [&] { return run_scenarios(scenario.flags); }}};
  if (const std::string word = unknown_command(app, arguments); !word.empty()) {
    complain("there is no command \"" + word + "\"; there are " + command_names(app) +
             " (see --help)");
    return exit_usage;
  }
  if (!arguments.empty() && is_no_flag_of(app, arguments.front())) {
    complain("\"" + arguments.front() + "\" is no flag of nlc itself; a command comes first: " +
             command_names(app) + " (see --help)");
    return exit_usage;
  }
  if (const auto end = read_arguments(app, arguments)) return tell_end("nlc", *end);
  for (const auto& [command, run_command] : commands) {
    if (command->parsed()) return run_command();
  }
  return exit_usage;
}

}  // namespace
}  // namespace nlc::workbench

int main(int argc, char** argv) {
  nlc::net::ignore_broken_pipes();
  return nlc::net::run_program("nlc", [=] {
    const int code = nlc::workbench::run(std::vector<std::string>(argv + 1, argv + argc));
    return code == 0 && nlc::workbench::output_is_lost() ? 1 : code;
  });
}

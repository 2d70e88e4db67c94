#include "bench/side_by_side/plan.h"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

void add_all(CLI::App& app, Plan& plan, bool& small) {
  FlagGroup group(app);
  group.number("--nodes", plan.nodes, "Hollow nodes", {1, 20'000});
  group.number("--pods-per-node", plan.pods_per_node, "Pods on each", {0, 100});
  group.number("--die", plan.die, "Nodes that lose their power together", {1, 20'000});
  group.duration("--grace", plan.grace, "--node-monitor-grace-period of both", 0s);
  group.duration("--settle", plan.settle, "Rest before each part", 0s);
  group.duration("--window", plan.window, "At rest, measured", 0s);
  group.duration("--failure-span", plan.failure_span,
                 "From the power cut on, measured; longer than the grace", 0s);
  group.duration("--recovery", plan.recovery, "Rest after each power cut", 0s);
  group.duration("--pause", plan.pause, "How long the API server is stopped; 0s: not at all", 0s);
  group.duration("--limited-span", plan.limited_span,
                 "The failure once more with both at their default client limits, looked at for so "
                 "long; 0s: not",
                 0s);
  app.add_flag("!--no-leader-death", plan.leader_dies,
               "Leave out the failure that takes the leader with it");
  app.add_option("--out", plan.out, "Folder for the JSON and the pictures")
      ->type_name("FOLDER")
      ->capture_default_str();
  app.add_option("--controller", plan.controller, "node-lifecycle-controller to measure")
      ->type_name("PATH");
  app.add_option("--workbench", plan.workbench, "nlc that plays the nodes")->type_name("PATH");
  app.add_flag("--small", small, "Two minutes that only show that all parts work");
  app.footer(
      "Needs $KUBEBUILDER_ASSETS with etcd, kube-apiserver, kubectl and kube-controller-manager:\n"
      "  tests/real/build-servers.sh --with-kcm\n"
      "Examples:\n"
      "  side_by_side --small\n"
      "  side_by_side --nodes 2000 --die 50 --limited-span 2m\n"
      "  side_by_side --nodes 5000 --pods-per-node 6 --die 500 --limited-span 6m");
}

}  // namespace

Plan small_plan() {
  return {.nodes = 100,
          .pods_per_node = 3,
          .die = 10,
          .grace = 8s,
          .settle = 4s,
          .window = 6s,
          .failure_span = 18s,
          .recovery = 4s,
          .pause = 10s,
          .limited_span = 0s,
          .leader_dies = false};
}

CommandLine<Plan> read_plan(const std::vector<std::string>& arguments) {
  // What is asked for besides wins over the small plan, wherever it stands.
  bool small = std::ranges::find(arguments, "--small") != arguments.end();
  Plan plan = small ? small_plan() : Plan{};
  CLI::App app(
      "kube-controller-manager's two controllers and ours on the same machine, against the same\n"
      "kube-apiserver and etcd, under the same load, one after the other. Progress goes to "
      "stderr,\n"
      "the table to stdout.",
      "side_by_side");
  add_all(app, plan, small);
  return command_line(plan, read_arguments(app, arguments, [&plan] {
                        if (plan.die > plan.nodes) {
                          throw BadFlag{"--die: at most --nodes can die (see --help)"};
                        }
                        if (plan.failure_span <= plan.grace) {
                          throw BadFlag{"--failure-span: must be above --grace (see --help)"};
                        }
                      }));
}

}  // namespace nlc::bench

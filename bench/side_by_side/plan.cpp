#include "bench/side_by_side/plan.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "runtime/go_duration.h"

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

void add_duration(CLI::App& app, const std::string& name, Duration& target,
                  const std::string& help) {
  const auto read = [name, &target](const std::string& text) {
    const std::optional<Duration> value = parse_go_duration(text);
    if (!value || *value < 0s) {
      throw CLI::ValidationError(name + "=" + text + ": must be a duration such as 1m30s");
    }
    target = *value;
  };
  app.add_option_function<std::string>(name, read, help)
      ->type_name("DURATION")
      ->default_str(go_duration(target));
}

void add_number(CLI::App& app, const std::string& name, std::uint32_t& target, CLI::Range range,
                const std::string& help) {
  app.add_option(name, target, help)->type_name("N")->check(range)->capture_default_str();
}

void add_all(CLI::App& app, Plan& plan, bool& small) {
  add_number(app, "--nodes", plan.nodes, {1, 20'000}, "Hollow nodes");
  add_number(app, "--pods-per-node", plan.pods_per_node, {0, 100}, "Pods on each");
  add_number(app, "--die", plan.die, {1, 20'000}, "Nodes that lose their power together");
  add_duration(app, "--grace", plan.grace, "--node-monitor-grace-period of both");
  add_duration(app, "--settle", plan.settle, "Rest before each part");
  add_duration(app, "--window", plan.window, "At rest, measured");
  add_duration(app, "--failure-span", plan.failure_span,
               "From the power cut on, measured; longer than the grace");
  add_duration(app, "--recovery", plan.recovery, "Rest after each power cut");
  add_duration(app, "--pause", plan.pause, "How long the API server is stopped; 0s: not at all");
  add_duration(app, "--limited-span", plan.limited_span,
               "The failure once more with both at their default client limits, looked at for so "
               "long; 0s: not");
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

bool asks_for_small(int count, char** words) {
  for (int at = 1; at < count; ++at) {
    if (std::string_view(words[at]) == "--small") return true;
  }
  return false;
}

PlanAnswer refusal(const std::string& why) {
  return {.plan = {}, .exit_code = 2, .text = why + " (see --help)\n"};
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

PlanAnswer read_plan(int count, char** words) {
  // What is asked for besides wins over the small plan, wherever it stands.
  bool small = asks_for_small(count, words);
  Plan plan = small ? small_plan() : Plan{};
  CLI::App app(
      "kube-controller-manager's two controllers and ours on the same machine, against the same\n"
      "kube-apiserver and etcd, under the same load, one after the other. Progress goes to "
      "stderr,\n"
      "the table to stdout.",
      "side_by_side");
  add_all(app, plan, small);
  try {
    app.parse(count, words);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return {.plan = {}, .exit_code = 0, .text = app.help()};
    return refusal(error.what());
  }
  if (plan.die > plan.nodes) return refusal("--die: at most --nodes can die");
  if (plan.failure_span <= plan.grace) return refusal("--failure-span: must be above --grace");
  return {.plan = plan, .exit_code = 0, .text = {}};
}

}  // namespace nlc::bench

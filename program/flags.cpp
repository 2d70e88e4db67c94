#include "program/flags.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string_view>

#include "runtime/bad_flag.h"
#include "runtime/go_duration.h"

namespace nlc::program {

using controller::Controllers;
using controller::FeatureGates;
using controller::LoopOptions;
using controller::Policy;
using controller::read_controllers;
using controller::read_feature_gates;

namespace {

double number(std::string_view flag, const std::string& text, std::string_view allowed) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
    refuse_flag(flag, text, allowed);
  }
  return value;
}

int whole_number(std::string_view flag, const std::string& text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) {
    refuse_flag(flag, text, "must be a whole number, 0 or greater");
  }
  return value;
}

std::vector<std::string> entries_of(std::string_view list) {
  std::vector<std::string> entries;
  for (std::size_t end = list.find(','); end != list.npos; end = list.find(',')) {
    entries.emplace_back(list.substr(0, end));
    list.remove_prefix(end + 1);
  }
  entries.emplace_back(list);
  return entries;
}

/// Adds flags to one group of the help text, each with its rule. The default shown is the target's
/// present value.
class FlagGroup {
 public:
  FlagGroup(CLI::App& app, std::string name) : app_(app), name_(std::move(name)) {}

  void duration(const std::string& flag, Duration& target, const std::string& help) {
    value(flag, "DURATION", go_duration(target), help, [flag, &target](const std::string& text) {
      const std::optional<Duration> parsed = parse_go_duration(text);
      if (!parsed || *parsed <= Duration{0}) {
        refuse_flag(flag, text, "must be a duration greater than 0, such as 40s, 1m30s or 500ms");
      }
      if (*parsed > longest) refuse_flag(flag, text, "must be at most 87600h, ten years");
      target = *parsed;
    });
  }

  /// A rate; `zero` says what 0 means.
  void rate(const std::string& flag, double& target, const std::string& help,
            const std::string& zero) {
    const std::string allowed = "must be a finite number, 0 or greater (0 = " + zero + ")";
    value(flag, "RATE", shown(target), help, [flag, allowed, &target](const std::string& text) {
      target = number(flag, text, allowed);
      if (target < 0) refuse_flag(flag, text, allowed);
    });
  }

  void share(const std::string& flag, double& target, const std::string& help) {
    value(flag, "SHARE", shown(target), help, [flag, &target](const std::string& text) {
      constexpr std::string_view allowed = "must be a number from 0 to 1";
      target = number(flag, text, allowed);
      if (target < 0 || target > 1) refuse_flag(flag, text, allowed);
    });
  }

  void size(const std::string& flag, int& target, const std::string& help) {
    value(flag, "COUNT", std::to_string(target), help,
          [flag, &target](const std::string& text) { target = whole_number(flag, text); });
  }

  void text(const std::string& flag, std::string& target, const std::string& type,
            const std::string& help) {
    value(flag, type, target, help, [&target](const std::string& given) { target = given; });
  }

  void toggle(const std::string& flag, bool& target, const std::string& help) {
    CLI::Option* option = app_.add_flag_function(
        flag, [](std::int64_t) {}, help + (target ? " [true]" : " [false]"));
    option->group(name_)->each([flag, &target](const std::string& given) {
      if (given != "true" && given != "false") refuse_flag(flag, given, "must be true or false");
      target = given == "true";
    });
  }

  template <typename Take>
  void value(const std::string& flag, const std::string& type, const std::string& shown_default,
             const std::string& help, Take take) {
    CLI::Option* option = app_.add_option_function<std::string>(flag, take, help);
    option->group(name_)->type_name(type)->default_str(shown_default);
  }

 private:
  /// Sums of several of these still fit the clock.
  static constexpr Duration longest = std::chrono::hours(87'600);

  static std::string shown(double value) {
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
    (void)error;  // 32 characters hold the shortest form of any double
    return {text.data(), end};
  }

  CLI::App& app_;
  const std::string name_;
};

void add_node_flags(CLI::App& app, Policy& policy) {
  FlagGroup nodes(app, "Judging nodes");
  nodes.duration("--node-monitor-period", policy.monitor_period,
                 "A look at all nodes at least this often");
  nodes.duration("--node-monitor-grace-period", policy.monitor_grace,
                 "Silence of a node after which it is marked Unknown; several times the kubelet's "
                 "renewals (10s)");
  nodes.duration("--node-startup-grace-period", policy.startup_grace,
                 "The same for a node that has not reported yet");

  FlagGroup zones(app, "Pace of evictions, per zone");
  zones.rate("--node-eviction-rate", policy.eviction_rate,
             "Nodes per second that get a NoExecute taint in a healthy zone", "never");
  zones.rate("--secondary-node-eviction-rate", policy.secondary_eviction_rate,
             "The same in a partly disrupted large zone", "never");
  zones.size("--large-cluster-size-threshold", policy.large_zone,
             "A zone is large when it has more nodes than this; small ones stop evicting when "
             "partly disrupted");
  zones.share("--unhealthy-zone-threshold", policy.unhealthy_zone_threshold,
              "Share of not-ready nodes (at least 3) from which a zone is partly disrupted");
}

void add_eviction_flags(CLI::App& app, LoopOptions& loop) {
  FlagGroup group(app, "What is done");
  group.value("--controllers", "NAMES", "*",
              "What to run: node-lifecycle-controller, taint-eviction-controller, * for both; "
              "-NAME switches one off",
              [&loop](const std::string& text) {
                const Result<Controllers> chosen = read_controllers(entries_of(text));
                if (!chosen) {
                  refuse_flag(
                      "--controllers", text,
                      chosen.error().path + "; it " + std::string(controller::allowed_controllers));
                }
                loop.controllers = *chosen;
              });
  group.toggle("--enable-taint-manager", loop.policy.evict_by_taints,
               "false: nodes get no NoExecute taints, all their pods are evicted after "
               "--pod-eviction-timeout");
  group.duration("--pod-eviction-timeout", loop.policy.pod_eviction_timeout,
                 "How long the pods of a node that is not ready may stay; only with "
                 "--enable-taint-manager=false");
  group.value("--feature-gates", "NAME=BOOL,...", "",
              "TaintTolerationComparisonOperators: tolerations may compare (Lt, Gt) [false]",
              [&loop](const std::string& text) {
                const Result<FeatureGates> gates = read_feature_gates(entries_of(text));
                if (!gates) refuse_flag("--feature-gates", text, gates.error().path);
                loop.policy.gates = *gates;
              });
  group.toggle("--hold-pods-ready-in-full-disruption",
               loop.policy.hold_pods_ready_in_full_disruption,
               "While all zones are fully disrupted pods are not marked NotReady, so that Services "
               "keep their endpoints");
}

/// Without the taint manager pods are evicted by the node lifecycle itself.
void check_controllers(const LoopOptions& loop) {
  if (loop.policy.evict_by_taints || loop.controllers.node_lifecycle) return;
  refuse_flag(
      "--enable-taint-manager", "false",
      "must be true where --controllers switches node-lifecycle-controller off, for nothing "
      "would be left to run");
}

void add_server_flags(CLI::App& app, Flags& flags) {
  FlagGroup server(app, "API server");
  server.text("--kubeconfig", flags.kubeconfig, "FILE",
              "Credentials; without it the pod's service account, else $KUBECONFIG, else "
              "~/.kube/config");
  server.text("--context", flags.context, "NAME", "Context of the kubeconfig to use");
  server.rate("--kube-api-qps", flags.loop.limits.requests_per_second,
              "Requests per second at most; 0 = no limit", "no limit");
  server.size("--kube-api-burst", flags.loop.limits.burst,
              "Requests at once when there is a limit");
}

constexpr std::array<std::string_view, 5> resource_locks{"leases", "endpoints", "configmaps",
                                                         "endpointsleases", "configmapsleases"};

void add_election_flags(CLI::App& app, LeaderElectFlags& elect) {
  FlagGroup group(app, "Leader election");
  group.toggle("--leader-elect", elect.enabled,
               "Act only while holding the lease; false: this is the only replica");
  group.duration("--leader-elect-lease-duration", elect.lease_duration,
                 "What others wait after a renewal before they take over; whole seconds");
  group.duration("--leader-elect-renew-deadline", elect.renew_deadline,
                 "Renewals are tried for so long; one try may take a third of it");
  group.duration("--leader-elect-retry-period", elect.retry_period, "Time between renewals");
  group.value("--leader-elect-resource-lock", "KIND", elect.resource_lock,
              "What replicas contend for: leases; endpoints, configmaps, and for a migration "
              "endpointsleases, configmapsleases",
              [&elect](const std::string& text) {
                if (std::ranges::find(resource_locks, text) == resource_locks.end()) {
                  refuse_flag("--leader-elect-resource-lock", text,
                              "must be leases, endpoints, configmaps, endpointsleases or "
                              "configmapsleases");
                }
                elect.resource_lock = text;
              });
  group.text("--leader-elect-resource-name", elect.resource_name, "NAME", "Name of the lock");
  group.text("--leader-elect-resource-namespace", elect.resource_namespace, "NAMESPACE",
             "Namespace of the lock");
  group.value("--on-lost", "DEED", "recontest",
              "When leadership is lost: recontest (keeps what is known of heartbeats) or exit",
              [&elect](const std::string& text) {
                if (text != "recontest" && text != "exit") {
                  refuse_flag("--on-lost", text, "must be recontest or exit");
                }
                elect.on_lost = text == "exit" ? OnLost::Exit : OnLost::Recontest;
              });
  group.value("--standby", "KIND", "warm",
              "A replica that does not lead follows the cluster (warm: it can act at once) or "
              "saves the memory (cold)",
              [&elect](const std::string& text) {
                if (text != "warm" && text != "cold") {
                  refuse_flag("--standby", text, "must be warm or cold");
                }
                elect.standby = text == "cold" ? Standby::Cold : Standby::Warm;
              });
}

void add_operation_flags(CLI::App& app, Flags& flags) {
  FlagGroup group(app, "Operations");
  group.text("--metrics-bind-address", flags.metrics_bind_address, "ADDRESS",
             "Where /metrics, /healthz, /livez and /readyz are served; port 0 takes a free one");
  group.value("--logging-format", "FORMAT", "text", "Log lines as text (key=value) or json",
              [&flags](const std::string& text) {
                if (text != "text" && text != "json") {
                  refuse_flag("--logging-format", text, "must be text or json");
                }
                flags.log_json = text == "json";
              });
  group.value("-v,--v", "LEVEL", "0", "Log verbosity: 0 changes only, 1 and more also details",
              [&flags](const std::string& text) {
                const int level = whole_number("--v", text);
                flags.log_level = level >= 1 ? LogLevel::Debug : LogLevel::Info;
              });
}

void check_election(const LeaderElectFlags& elect) {
  if (!elect.enabled) return;
  const auto whole = std::chrono::floor<std::chrono::seconds>(elect.lease_duration);
  if (whole != elect.lease_duration) {
    refuse_flag("--leader-elect-lease-duration", go_duration(elect.lease_duration),
                "must be whole seconds, at least 1s");
  }
  if (elect.lease_duration <= elect.renew_deadline) {
    refuse_flag("--leader-elect-lease-duration", go_duration(elect.lease_duration),
                "must be greater than --leader-elect-renew-deadline (" +
                    go_duration(elect.renew_deadline) + ")");
  }
  if (elect.renew_deadline <= elect.retry_period * 12 / 10) {
    refuse_flag("--leader-elect-renew-deadline", go_duration(elect.renew_deadline),
                "must be greater than 1.2 times --leader-elect-retry-period (" +
                    go_duration(elect.retry_period) + ")");
  }
  if (elect.resource_name.empty()) {
    refuse_flag("--leader-elect-resource-name", "", "must not be empty");
  }
  if (elect.resource_namespace.empty()) {
    refuse_flag("--leader-elect-resource-namespace", "", "must not be empty");
  }
}

constexpr std::string_view description =
    "Watches nodes and their leases, marks silent nodes Unknown, taints them, and evicts their "
    "pods\n"
    "zone by zone. Replaces the node-lifecycle-controller and the taint-eviction-controller of\n"
    "kube-controller-manager, which is then started with\n"
    "  --controllers=*,-node-lifecycle-controller,-taint-eviction-controller\n"
    "Durations are written as 40s, 1m30s, 500ms.";

constexpr std::string_view examples =
    "\nExamples:\n"
    "  In a cluster, as a Deployment in kube-system:\n"
    "    node-lifecycle-controller\n"
    "  Against the cluster that kubectl talks to, one replica, twice as patient:\n"
    "    node-lifecycle-controller --kubeconfig ~/.kube/config --leader-elect=false \\\n"
    "      --node-monitor-grace-period=1m40s\n";

}  // namespace

CommandLine read_command_line(const std::vector<std::string>& arguments) {
  Flags flags;
  CLI::App app(std::string(description), "node-lifecycle-controller");
  app.set_version_flag("--version", "node-lifecycle-controller " NLC_VERSION);
  app.get_formatter()->column_width(44);
  app.footer(std::string(examples));
  add_node_flags(app, flags.loop.policy);
  add_eviction_flags(app, flags.loop);
  add_server_flags(app, flags);
  add_election_flags(app, flags.leader_elect);
  add_operation_flags(app, flags);
  try {
    // CLI11 takes the arguments from the back.
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    check_controllers(flags.loop);
    check_election(flags.leader_elect);
    flags.loop.self.namespace_ = flags.leader_elect.resource_namespace;
    flags.loop.self.name = flags.leader_elect.resource_name;
    if (!flags.leader_elect.enabled) {
      flags.loop.write_probe = {.namespace_ = flags.leader_elect.resource_namespace,
                                .name = flags.leader_elect.resource_name + "-probe"};
    }
    return {.flags = flags};
  } catch (const CLI::CallForHelp&) {
    return {.exit_code = 0, .text = app.help()};
  } catch (const CLI::CallForVersion&) {
    return {.exit_code = 0, .text = app.version() + "\n"};
  } catch (const CLI::ParseError& problem) {
    return {
        .exit_code = 2,
        .text = std::string("node-lifecycle-controller: ") + problem.what() + " (see --help)\n"};
  } catch (const BadFlag& bad) {
    return {.exit_code = 2, .text = "node-lifecycle-controller: " + bad.line + "\n"};
  }
}

}  // namespace nlc::program

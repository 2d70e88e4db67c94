#include "program/flags.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "election/election_options.h"
#include "runtime/flags.h"
#include "runtime/go_duration.h"
#include "runtime/words.h"

namespace nlc::program {

using controller::Controllers;
using controller::FeatureGates;
using controller::LoopOptions;
using controller::Policy;
using controller::read_controllers;
using controller::read_feature_gates;

namespace {

void add_node_flags(CLI::App& app, Policy& policy) {
  FlagGroup nodes(app, "Judging nodes");
  nodes.duration("--node-monitor-period", policy.monitor_period,
                 "A monitor pass over all nodes at least this often");
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
  zones.number("--large-cluster-size-threshold", policy.large_zone,
               "A zone is large when it has more nodes than this; small ones stop evicting when "
               "partly disrupted",
               {}, "COUNT");
  zones.share("--unhealthy-zone-threshold", policy.unhealthy_zone_threshold,
              "Share of not-ready nodes (at least 3) from which a zone is partly disrupted");
}

void add_eviction_flags(CLI::App& app, LoopOptions& loop) {
  FlagGroup group(app, "What is done");
  group.toggle("--observe", loop.observe,
               "Nothing is done: beside a controller that acts, what would be done is held against "
               "what is seen, and told");
  group.value("--controllers", "NAMES", "*",
              "What to run: node-lifecycle-controller, taint-eviction-controller, * for both; "
              "-NAME switches one off",
              [&loop, names = std::vector<std::string>()](const std::string& text) mutable {
                for (const std::string_view name : parts_of(text, ',')) names.emplace_back(name);
                const Result<Controllers> chosen = read_controllers(names);
                if (!chosen) {
                  refuse_flag(
                      "--controllers", text,
                      chosen.error().path + "; it " + std::string(controller::allowed_controllers));
                }
                loop.controllers = *chosen;
              });
  group.toggle("--enable-taint-manager", loop.policy.evict_by_taints,
               "false: NoExecute taints are neither added nor taken off, all pods of a node but "
               "those of DaemonSets are evicted after --pod-eviction-timeout");
  group.duration("--pod-eviction-timeout", loop.policy.pod_eviction_timeout,
                 "How long the pods of a node may stay after it became not ready, or after its "
                 "last heartbeat where that is what it lacks; only with "
                 "--enable-taint-manager=false");
  group.value("--feature-gates", "NAME=BOOL,...", "",
              "TaintTolerationComparisonOperators: tolerations may compare (Lt, Gt) [false]",
              [&loop, given = std::vector<std::string>()](const std::string& text) mutable {
                for (const std::string_view gate : parts_of(text, ',')) given.emplace_back(gate);
                const Result<FeatureGates> gates = read_feature_gates(given);
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
  server.limit("--kube-api-qps", flags.loop.limits.requests_per_second,
               "Requests per second at most; 0 or less = no limit");
  server.number("--kube-api-burst", flags.loop.limits.burst,
                "Requests at once when there is a limit", {}, "COUNT");
  const std::string resync = "--min-resync-period";
  server.value(
      resync, "DURATION", "12h0m0s",
      "Taken from command lines of kube-controller-manager, and of no effect: what has to "
      "be done again is done without being told again",
      [resync](const std::string& text) { (void)duration_of_at_least(Duration{1}, resync, text); });
}

void add_election_flags(CLI::App& app, LeaderElectFlags& elect) {
  FlagGroup group(app, "Leader election");
  group.toggle("--leader-elect", elect.enabled,
               "Act only while holding the lease; false: this is the only replica");
  group.duration("--leader-elect-lease-duration", elect.lease_duration,
                 "What others wait after a renewal before they take over; whole seconds");
  group.duration("--leader-elect-renew-deadline", elect.renew_deadline,
                 "Renewals are tried for so long; one try may take a third of it");
  group.duration("--leader-elect-retry-period", elect.retry_period, "Time between renewals");
  group.one_of("--leader-elect-resource-lock", "KIND", election::lock_kinds(),
               "What replicas contend for: leases; endpoints, configmaps, and for a migration "
               "endpointsleases, configmapsleases",
               [&elect](const std::string& kind) { elect.resource_lock = kind; });
  group.text("--leader-elect-resource-name", elect.resource_name, "NAME", "Name of the lock");
  group.text("--leader-elect-resource-namespace", elect.resource_namespace, "NAMESPACE",
             "Namespace of the lock");
  group.one_of(
      "--on-lost", "ACTION", {"recontest", "exit"},
      "When leadership is lost: recontest (warm: keeps what is known of heartbeats) or exit",
      [&elect](const std::string& action) {
        elect.on_lost = action == "exit" ? OnLost::Exit : OnLost::Recontest;
      });
  group.one_of("--standby", "KIND", {"warm", "cold"},
               "A replica that does not lead follows the cluster (warm: it can act at once) or "
               "saves the memory (cold)",
               [&elect](const std::string& kind) {
                 elect.standby = kind == "cold" ? Standby::Cold : Standby::Warm;
               });
}

void add_secure_serving_flags(FlagGroup& group, SecureServingFlags& serving) {
  group.number(
      "--secure-port", serving.port,
      "The same pages over TLS, for callers whom the API server lets read them; 0 = no such "
      "port",
      {.low = 0, .high = 65'535}, "PORT");
  group.text("--bind-address", serving.bind_address, "IP",
             "Where the secure port listens; 0.0.0.0, :: or \"\" is everywhere");
  group.text("--tls-cert-file", serving.certificate_file, "FILE",
             "Certificate of the secure port, its chain behind it; without one it makes its own. "
             "Read anew when it has changed");
  group.text("--tls-private-key-file", serving.key_file, "FILE", "The key of --tls-cert-file");
}

void add_operation_flags(CLI::App& app, Flags& flags) {
  FlagGroup group(app, "Operations");
  group.text("--metrics-bind-address", flags.metrics_bind_address, "ADDRESS",
             "Where /metrics, /healthz, /livez and /readyz are served, in plain HTTP to everybody; "
             "port 0 takes a free one, \"\" switches it off");
  add_secure_serving_flags(group, flags.secure_serving);
  group.text(
      "--status-bind-address", flags.status_bind_address, "ADDRESS",
      "Where the live page is served, and /v1/why answers nlc why; \"\" switches both off. For "
      "this machine alone, unless it is told otherwise");
  group.one_of("--logging-format", "FORMAT", {"text", "json"},
               "Log lines as text (key=value) or json",
               [&flags](const std::string& format) { flags.log_json = format == "json"; });
  group.value("-v,--v", "LEVEL", "0", "Log verbosity: 0 changes only, 1 and more also details",
              [&flags](const std::string& text) {
                const bool details = whole_number("--v", text, {}) >= 1;
                flags.log_level = details ? LogLevel::Debug : LogLevel::Info;
              });
}

void add_policy_flags(CLI::App& app, controller::PolicyWatch::Place& place) {
  FlagGroup group(app, "Pause and pace, at run time (docs/pause.md)");
  group.text("--policy-configmap-name", place.name, "NAME",
             "The ConfigMap that says what is paused, and how fast pods may be evicted");
  group.text("--policy-configmap-namespace", place.namespace_, "NAMESPACE", "Its namespace");
}

void check_policy(const controller::PolicyWatch::Place& place) {
  check_name("--policy-configmap-name", place.name, DnsName::Subdomain);
  check_name("--policy-configmap-namespace", place.namespace_, DnsName::Label);
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
  check_name("--leader-elect-resource-name", elect.resource_name, DnsName::Subdomain);
  check_name("--leader-elect-resource-namespace", elect.resource_namespace, DnsName::Label);
  if (const auto theirs =
          election::lock_of_kubernetes(elect.resource_namespace, elect.resource_name)) {
    refuse_flag("--leader-elect-resource-name", elect.resource_name, *theirs);
  }
}

/// A certificate is of use with its key and with the port.
void check_secure_serving(const SecureServingFlags& serving) {
  const bool has_certificate = !serving.certificate_file.empty();
  const bool has_key = !serving.key_file.empty();
  if (!has_certificate && !has_key) return;
  const std::string_view flag = has_certificate ? "--tls-cert-file" : "--tls-private-key-file";
  const std::string& file = has_certificate ? serving.certificate_file : serving.key_file;
  if (!has_key) refuse_flag(flag, file, "must be given together with --tls-private-key-file");
  if (!has_certificate) refuse_flag(flag, file, "must be given together with --tls-cert-file");
  if (serving.port == 0) {
    refuse_flag(flag, file, "must be given together with --secure-port, from 1 to 65535");
  }
}

/// Flags that say how to act mean nothing to one that does not; and the lock of those that act is
/// not for it, for while it held that nobody would.
void check_observing(const CLI::App& app, Flags& flags) {
  if (!flags.loop.observe) return;
  for (const char* flag : {"--on-lost", "--standby", "--leader-elect-resource-lock"}) {
    const CLI::Option* given = app.get_option(flag);
    if (given->empty()) continue;
    refuse_flag(flag, given->as<std::string>(), "says how to act, which --observe does not");
  }
  std::string& lock = flags.leader_elect.resource_name;
  if (app.get_option("--leader-elect-resource-name")->empty()) lock += "-observe";
  if (lock == LeaderElectFlags{}.resource_name) {
    refuse_flag("--leader-elect-resource-name", lock,
                "is the lock of those that act; with --observe it must be another, such as " +
                    lock + "-observe");
  }
}

/// Events are told under the lock's name, and a lease of a name like it proves writes and dates
/// lists where nothing else does.
void name_ourselves(Flags& flags) {
  const LeaderElectFlags& elect = flags.leader_elect;
  flags.loop.self.namespace_ = elect.resource_namespace;
  flags.loop.self.name = elect.resource_name;
  if (flags.loop.observe) return;
  flags.loop.write_probe = {.namespace_ = elect.resource_namespace,
                            .name = elect.resource_name + "-probe"};
}

constexpr std::string_view description =
    "Watches nodes and their leases, marks silent nodes Unknown, taints them, and evicts their "
    "pods\n"
    "zone by zone. Replaces the node-lifecycle-controller and the taint-eviction-controller of\n"
    "kube-controller-manager, which is then started without them (docs/deploy.md), by kubeadm "
    "with\n"
    "  --controllers=*,bootstrapsigner,tokencleaner,-node-lifecycle-controller,"
    "-taint-eviction-controller\n"
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
  add_policy_flags(app, flags.loop.policy_place);
  add_server_flags(app, flags);
  add_election_flags(app, flags.leader_elect);
  add_operation_flags(app, flags);
  return command_line(flags, read_arguments(app, arguments, [&app, &flags] {
                        check_controllers(flags.loop);
                        check_policy(flags.loop.policy_place);
                        check_observing(app, flags);
                        check_election(flags.leader_elect);
                        check_secure_serving(flags.secure_serving);
                        name_ourselves(flags);
                      }));
}

}  // namespace nlc::program

#include "election/sidecar/flags.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "runtime/go_duration.h"

namespace nlc::election {
namespace {

constexpr std::string_view program = "leader-elector";

constexpr std::string_view description =
    "Contends for a lock, beside a program that wants to know who leads: GET / on --http answers\n"
    "{\"name\":\"<leader>\"}, empty while nobody is known to lead, and /isLeader whether it is "
    "this\n"
    "one. Further pages: /validity /healthz /readyz /metrics.";

constexpr std::string_view examples =
    "\nExample, in a pod:\n"
    "  leader-elector --election=example --use-cluster-credentials --http=localhost:4040\n";

void add_flags(CLI::App& app, SidecarFlags& flags) {
  FlagGroup group(app);
  group.text("--election", flags.election, "NAME", "Name of the lock (required)");
  group.text("--id", flags.id, "NAME", "This candidate's name; without it the host's");
  group.text("--election-namespace", flags.election_namespace, "NAMESPACE",
             "Namespace of the lock");
  group.value("--ttl", "DURATION", go_duration(flags.ttl),
              "How long the others wait for a leader that is not heard of",
              [&flags](const std::string& given) {
                const auto parsed = parse_go_duration(given);
                const bool whole = parsed && *parsed >= std::chrono::seconds(1) &&
                                   *parsed == std::chrono::floor<std::chrono::seconds>(*parsed);
                if (!whole) refuse_flag("--ttl", given, "must be whole seconds, at least 1s");
                flags.ttl = *parsed;
              });
  group.text("--http", flags.http, "ADDRESS", "Where to answer who leads; without it nowhere");
  app.add_flag("--use-cluster-credentials", flags.use_cluster_credentials,
               "Use the pod's service account");
  group.text("--kubeconfig", flags.kubeconfig, "FILE",
             "Credentials; without it and outside a pod $KUBECONFIG, else ~/.kube/config");
  group.one_of("--lock", "KIND", lock_kinds(),
               "What to contend for; all but leases wake every watcher with each renewal",
               [&flags](const std::string& kind) { flags.lock = *lock_kind(kind); });
}

void check_flags(const SidecarFlags& flags) {
  if (flags.election.empty()) refuse_flag("--election", "", "a name is required");
  check_name("--election", flags.election, DnsName::Subdomain);
  check_name("--election-namespace", flags.election_namespace, DnsName::Label);
  if (const auto theirs = lock_of_kubernetes(flags.election_namespace, flags.election)) {
    refuse_flag("--election", flags.election, *theirs);
  }
  if (const auto bad = check(election_options(flags, "host"))) {
    refuse_flag(bad->option == "identity" ? "--id" : "--ttl",
                bad->option == "identity" ? flags.id : go_duration(flags.ttl), bad->message);
  }
}

}  // namespace

SidecarCommandLine read_sidecar_command_line(const std::vector<std::string>& arguments) {
  SidecarFlags flags;
  CLI::App app{std::string(description), std::string(program)};
  app.set_version_flag("--version", std::string(program) + " " NLC_VERSION);
  app.get_formatter()->column_width(40);
  app.footer(std::string(examples));
  add_flags(app, flags);
  return command_line(flags, read_arguments(app, arguments, [&flags] { check_flags(flags); }));
}

ElectionOptions election_options(const SidecarFlags& flags, const std::string& host_name) {
  return {.identity = flags.id.empty() ? host_name : flags.id,
          .lease_namespace = flags.election_namespace,
          .lease_name = flags.election,
          .lease_duration = flags.ttl,
          .renew_deadline = flags.ttl / 2,
          .retry_period = flags.ttl / 4,
          .lock = flags.lock,
          .event_component = std::string(program)};
}

}  // namespace nlc::election

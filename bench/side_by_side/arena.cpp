#include "bench/side_by_side/arena.h"

#include <algorithm>
#include <csignal>
#include <stdexcept>

#include "bench/exposition.h"
#include "runtime/go_duration.h"
#include "tests/real/rig/waiting.h"

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;
using namespace nlohmann::literals;

constexpr const char* contender_user = "contender";
/// As nlc hollow calls its nodes; those of the lowest numbers die first.
constexpr const char* node_prefix = "hollow-";

/// Only what the contender does: thousands of nodes would fill the disk, and take the CPU.
std::string policy() {
  return std::string(R"(apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  users: [")") +
         contender_user + "\"]\n- level: None\n";
}

std::vector<std::string> words_of_nodes(const Plan& plan, const real::RealCluster& cluster) {
  return {plan.workbench.string(),
          "hollow",
          "--kubeconfig=" + cluster.admin_file().string(),
          "--nodes=" + std::to_string(plan.nodes),
          "--pods-per-node=" + std::to_string(plan.pods_per_node),
          "--schedulable",
          "--kill=" + std::to_string(plan.die),
          "--after=1000h",  // when it is told
          "--node-lease-duration-seconds=" +
              std::to_string(std::chrono::floor<std::chrono::seconds>(plan.grace).count()),
          "--node-monitor-grace-period=" + go_duration(plan.grace),
          "--report=" + (cluster.folder() / "deaths.jsonl").string()};
}

}  // namespace

const int Arena::power_cut = SIGUSR1;
const int Arena::power_back = SIGUSR2;

Arena::Arena(const Plan& plan)
    : plan_(plan),
      cluster_(real::RealClusterOptions{.audit_policy = policy(),
                                        .second_administrator = contender_user}),
      nodes_({.words = words_of_nodes(plan, cluster_), .output = cluster_.folder() / "nodes.log"}),
      report_(cluster_.folder() / "deaths.jsonl") {
  await_or_throw("every node and pod", 120s + 200ms * plan.nodes, [this] {
    if (!nodes_.running()) throw std::runtime_error("nodes: " + nodes_.last_lines(5));
    return nodes_.output().find("all nodes and pods run") != std::string::npos;
  });
}

Orders Arena::orders(Limits limits, Election election) {
  return {.kubeconfig = real::write_kubeconfig(cluster_.folder() / "contender.kubeconfig",
                                               cluster_.second_admin()),
          .folder = cluster_.folder(),
          .grace = plan_.grace,
          .limits = limits,
          .election = election};
}

std::set<std::string> Arena::victims() const {
  std::set<std::string> names;
  for (std::uint32_t i = 0; i < plan_.die; ++i) names.insert(node_prefix + std::to_string(i));
  return names;
}

Deaths Arena::give_power_back() {
  nodes_.send_signal(power_back);
  Deaths deaths;
  await_or_throw("the report of every death", 20s, [&] {
    const Deaths more = report_.take_deaths();
    deaths.told += more.told;
    const auto append = [](std::vector<double>& all, const std::vector<double>& some) {
      all.insert(all.end(), some.begin(), some.end());
    };
    append(deaths.unknown, more.unknown);
    append(deaths.no_schedule, more.no_schedule);
    append(deaths.pods_not_ready, more.pods_not_ready);
    return deaths.told >= plan_.die;
  });
  return deaths;
}

double Arena::renewals() {
  return sum_of(cluster_.must({"get", "--raw", "/metrics"}), "apiserver_request_total",
                {"resource=\"leases\"", "verb=\"PUT\"", "code=\"200\""});
}

double Arena::requests_between(WallTime from, WallTime to) {
  const std::vector<real::AuditLine>& lines = cluster_.audit_lines();
  return static_cast<double>(std::ranges::count_if(lines, [&](const real::AuditLine& line) {
    return line.user == contender_user && from <= line.at && line.at < to;
  }));
}

std::string Arena::leader_of(Brand brand) {
  const nlohmann::json lease =
      cluster_.get({"lease", "-n", "kube-system", std::string(name_of(brand))});
  return lease.value("/spec/holderIdentity"_json_pointer, "");
}

void await_or_throw(const std::string& what, Duration limit, const std::function<bool()>& holds) {
  if (real::await(limit, holds, 20ms)) return;
  throw std::runtime_error(what + " did not come within " + go_duration(limit));
}

}  // namespace nlc::bench

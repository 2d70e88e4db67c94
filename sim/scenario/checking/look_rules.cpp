#include <algorithm>
#include <iterator>
#include <map>

#include "runtime/go_duration.h"
#include "sim/rules/metrics_model.h"
#include "sim/rules/reference_model.h"
#include "sim/scenario/checking/look.h"

namespace nlc::sim::scenario {

Seen look_at(const RulesCheck&, const Stage& stage) {
  const auto& broken = stage.rules()->broken();
  if (!broken) return {.holds = true, .what = {}};
  return {.holds = false, .what = "rule \"" + broken->rule + "\": " + broken->what};
}

namespace {

/// Requests a second of a replica at rest whose watches are refused: each of these four is begun
/// anew every five seconds at the soonest, and lists in between.
constexpr double most_beside_refused_watches = 2;

/// At rest a replica asks for no more than one thing a second, beside its lock.
std::vector<std::string> restless(const Stage& stage, Duration quiet) {
  const std::string lock = program::LeaderElectFlags{}.resource_name;
  std::map<std::string, double> asked;
  const std::deque<SentRequest>& sent = stage.interceptor().sent();
  const Instant since = stage.origin() + stage.offset() - quiet;
  // Where a queue still goes on, which the model knows, much is asked for each node of it.
  if (stage.rules()->last_write() > since) return {};
  for (auto request = sent.rbegin(); request != sent.rend() && request->at > since; ++request) {
    const std::string& name = request->info.name;
    if (name != lock && name != lock + "-observe") ++asked[request->replica];
  }
  const bool refused =
      covers(stage.rules()->inputs().watches_refused, stage.origin() + stage.offset());
  const double most =
      (refused ? most_beside_refused_watches : 1) * std::chrono::duration<double>(quiet).count();
  std::vector<std::string> found;
  for (const auto& [replica, count] : asked) {
    if (count <= most) continue;
    found.push_back("requests: " + number_text(count) + " of " + replica + " in the last " +
                    go_duration(quiet));
  }
  return found;
}

/// A warm standby, and who only observes, follow the cluster as the leader does.
std::vector<std::string> untrue_of_standbys(const Stage& stage, const Process* leader) {
  const bool warm = stage.flags().leader_elect.standby == program::Standby::Warm;
  std::vector<std::string> found;
  for (const std::string& name : stage.replicas().running()) {
    const Process* process = stage.replicas().process(name);
    if (process == leader || (!warm && !stage.replicas().observes(name))) continue;
    for (const std::string& difference : rules::untrue_of_standby(
             process->metrics().values(), stage.storage(), stage.rules()->inputs())) {
      found.push_back("a standby's " + difference);
    }
  }
  return found;
}

std::vector<std::string> unsettled(const Stage& stage, Duration quiet) {
  std::vector<std::string> found =
      rules::differences(stage.storage(), *stage.rules(), stage.origin() + stage.offset(), quiet);
  const Process* leader = stage.replicas().spokesman();
  if (leader != nullptr) {
    std::ranges::move(rules::untrue(leader->metrics().values(), stage.storage(),
                                    stage.rules()->inputs(), stage.origin() + stage.offset()),
                      std::back_inserter(found));
    std::ranges::move(untrue_of_standbys(stage, leader), std::back_inserter(found));
  }
  std::ranges::move(restless(stage, quiet), std::back_inserter(found));
  return found;
}

}  // namespace

Seen look_at(const SettledCheck& check, const Stage& stage) {
  const std::vector<std::string> found = unsettled(stage, check.quiet);
  if (found.empty()) return {.holds = true, .what = {}};
  std::string what = "settled: " + found.front();
  if (found.size() > 1) what += " (and " + std::to_string(found.size() - 1) + " more)";
  return {.holds = false, .what = what};
}

}  // namespace nlc::sim::scenario

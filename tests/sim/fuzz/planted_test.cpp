#include "runtime/planted.h"

#include <chrono>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::sim::fuzz {
namespace {

using namespace std::chrono_literals;

/// The mistake of that name, until the end of a test.
class Planted {
 public:
  explicit Planted(std::string_view name) { plant(name); }
  ~Planted() { plant({}); }
};

/// The rule that the first of so many days breaks; empty when none does.
std::string rule_broken_within(std::uint64_t days) {
  for (std::uint64_t seed = 1; seed <= days; ++seed) {
    if (const DayResult result = play(day_of(seed)); !result.good()) return result.rule;
  }
  return {};
}

/// All of them: `make fuzz-planted`.
TEST(Fuzz, FindsAMistakeThatIsPlanted) {
  const Planted mistake("outage-is-silence");
  EXPECT_NE(rule_broken_within(50), "");
}

/// One replica, three nodes and one trouble.
Day small_day(std::chrono::minutes ends, std::string flags, std::vector<std::string> nodes,
              std::vector<std::string> renewals, Line trouble) {
  Day day;
  day.ends = ends;
  day.settles = false;
  day.flags = {{.kind = "flag", .texts = {std::move(flags)}}};
  for (std::string& node : nodes) node = node_words(node);
  day.given = {{.kind = "node", .texts = std::move(nodes)}};
  day.timeline = {{.kind = "start", .texts = {"at: 0s, start: controller"}},
                  {.kind = "kubelet", .texts = std::move(renewals)},
                  std::move(trouble)};
  return day;
}

/// Nothing is broken on that day without the mistake, and that rule with it.
void expect_found(std::string_view name, const Day& day, std::string_view rule) {
  EXPECT_EQ(play(day).rule, "");
  const Planted mistake(name);
  EXPECT_EQ(play(day).rule, rule);
}

/// A node dies when its only replica cannot renew the lock any more.
TEST(Fuzz, FindsThatOneWritesWhoseLockHasRunOut) {
  expect_found(
      "gate-never-closes",
      small_day(3min, "leader-elect: 'true', node-monitor-grace-period: 40s", {"a", "b", "c"},
                {"from: 1s, until: 3m, every: 10s, renew_lease: {node: a}",
                 "from: 4s, until: 3m, every: 10s, renew_lease: {node: b}",
                 "from: 7s, until: 41s, every: 10s, renew_lease: {node: c}"},
                {.kind = "fail_api",
                 .texts = {"from: 30s, until: 3m, fail_api: {verb: PUT, resource: leases, "
                           "namespace: kube-system, respond: {code: 503}}"}}),
      "lock");
}

/// A node is deleted, which the server forgets and the caches that are listed do not. It dies when
/// they have followed.
TEST(Fuzz, FindsThatNothingIsListedOnceMoreAfterARestore) {
  expect_found(
      "listed-once-after-restore",
      small_day(6min,
                "leader-elect: 'true', leader-elect-lease-duration: 5s, "
                "leader-elect-renew-deadline: 3s, leader-elect-retry-period: 1s, "
                "node-monitor-grace-period: 40s",
                {"a", "b", "dies"},
                {"from: 1s, until: 6m, every: 10s, renew_lease: {node: a}",
                 "from: 4s, until: 6m, every: 10s, renew_lease: {node: b}",
                 "from: 7s, until: 61s, every: 10s, renew_lease: {node: dies}"},
                {.kind = "restore",
                 .texts = {"at: 30s, backup: {}", "at: 30.5s, delete: {kind: Node, name: dies}",
                           "at: 33s, restore: {down: 0s}",
                           "from: 33.1s, until: 45s, stale_reads: {verb: WATCH, resource: "
                           "[nodes, pods], as_of: 32.5s}"}}),
      "in time");
}

/// A node renews its lease just before its grace is over, which the server forgets before leases
/// are listed.
TEST(Fuzz, FindsThatNodesAreJudgedAsSoonAsARestoredServerWasListed) {
  expect_found(
      "no-settling-after-restore",
      small_day(3min, "node-monitor-grace-period: 40s", {"a", "b", "back"},
                {"from: 1s, until: 3m, every: 10s, renew_lease: {node: a}",
                 "from: 4s, until: 3m, every: 10s, renew_lease: {node: b}",
                 "from: 5s, until: 66s, every: 10s, renew_lease: {node: back}",
                 "at: 102s, renew_lease: {node: back}",
                 "from: 115s, until: 3m, every: 10s, renew_lease: {node: back}"},
                {.kind = "restore",
                 .texts = {"from: 80s, until: 125s, fail_api: {verb: WATCH, resource: '*', times: "
                           "1000, respond: {code: 504}}",
                           "at: 80.5s, end_watches: {how: expired}", "at: 90s, backup: {}",
                           "at: 102.5s, restore: {down: 0s, bump_revision: true}"}}),
      "silent");
}

TEST(Fuzz, FindsNothingOnTheSameDaysWithoutIt) { EXPECT_EQ(rule_broken_within(10), ""); }

}  // namespace
}  // namespace nlc::sim::fuzz

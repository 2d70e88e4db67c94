#include "runtime/planted.h"

#include <gtest/gtest.h>

#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::sim::fuzz {
namespace {

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

/// A node dies when its only replica cannot renew the lock any more.
TEST(Fuzz, FindsThatOneWritesWhoseLockHasRunOut) {
  Day day;
  day.ends = std::chrono::minutes(3);
  day.settles = false;
  day.flags = {{.kind = "flag", .texts = {"leader-elect: 'true', node-monitor-grace-period: 40s"}}};
  day.given = {{.kind = "node", .texts = {node_words("a"), node_words("b"), node_words("c")}}};
  day.timeline = {
      {.kind = "start", .texts = {"at: 0s, start: controller"}},
      {.kind = "kubelet",
       .texts = {"from: 1s, until: 3m, every: 10s, renew_lease: {node: a}",
                 "from: 4s, until: 3m, every: 10s, renew_lease: {node: b}",
                 "from: 7s, until: 41s, every: 10s, renew_lease: {node: c}"}},
      {.kind = "fail_api",
       .texts = {"from: 30s, until: 3m, fail_api: {verb: PUT, resource: leases, namespace: "
                 "kube-system, respond: {code: 503}}"}}};
  EXPECT_EQ(play(day).rule, "");
  const Planted mistake("gate-never-closes");
  EXPECT_EQ(play(day).rule, "lock");
}

TEST(Fuzz, FindsNothingOnTheSameDaysWithoutIt) { EXPECT_EQ(rule_broken_within(10), ""); }

}  // namespace
}  // namespace nlc::sim::fuzz

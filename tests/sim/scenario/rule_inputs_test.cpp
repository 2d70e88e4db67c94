#include "sim/scenario/model/rule_inputs.h"

#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario::testing {
namespace {

rules::RuleInputs inputs_with(std::vector<std::string> timeline) {
  return rule_inputs_of(case_of({.timeline = std::move(timeline)}), program::Flags{}, Instant{});
}

TEST(RuleInputs, WatchesThatAreRefusedHideLeasesAsThoseThatStandStillDo) {
  EXPECT_EQ(inputs_with({"{from: 1s, until: 9s, cache: {hold: leases}}"}).leases_unwatched.size(),
            1U);
  const auto refused = [](const std::string& resource) {
    return inputs_with({"{from: 1s, until: 9s, fail_api: {verb: WATCH, resource: " + resource +
                        ", respond: {code: 403}}}"})
        .leases_unwatched.size();
  };
  EXPECT_EQ(refused("leases"), 1U);
  EXPECT_EQ(refused("'*'"), 1U);
  EXPECT_EQ(refused("nodes"), 0U);
}

TEST(RuleInputs, AStepThatNothingEndsLastsToTheEndOfTheDay) {
  const auto until = [](const std::string& hold) {
    return inputs_with({hold}).leases_unwatched.front().until;
  };
  EXPECT_EQ(until("{from: 1s, until: 9s, cache: {hold: leases}}"),
            Instant{} + std::chrono::seconds(9));
  EXPECT_EQ(until("{at: 1s, cache: {hold: leases}}"), Instant::max());
}

TEST(RuleInputs, AWebhookThatPutsItsWordsIntoNodesIsKnownAndWhatOthersWroteIsNotHeldAgainstUs) {
  const auto spans = [](const std::string& webhook) {
    return inputs_with({"{from: 1s, until: 9s, admission: {" + webhook + "}}"})
        .nodes_mutated.size();
  };
  EXPECT_EQ(spans("resource: nodes, mutate: {merge: {spec: {unschedulable: true}}}"), 1U);
  EXPECT_EQ(spans("resource: pods, mutate: {merge: {metadata: {labels: {a: b}}}}"), 0U);
  EXPECT_EQ(spans("resource: nodes, mutate: {remove_label: a}"), 0U);
}

TEST(RuleInputs, WatchesThatBreakOffOrAreLostHideLeasesToo) {
  const auto hidden_by = [](const std::string& how) {
    return inputs_with(
               {"{from: 1s, until: 9s, fail_api: {verb: WATCH, resource: leases, " + how + "}}"})
        .leases_unwatched.size();
  };
  EXPECT_EQ(hidden_by("respond: torn"), 1U);
  EXPECT_EQ(hidden_by("respond: drop, share: 20%"), 1U);
  EXPECT_EQ(hidden_by("respond: drop"), 0U);
}

TEST(RuleInputs, KubeletsAreUnheardWhereTheLeasesOfAllAreRefusedAndNotThatOfOne) {
  const auto outages_by = [](const std::string& of_which) {
    return inputs_with({"{from: 1s, until: 9s, admission: {resource: leases, " + of_which +
                        "by: anybody, refuse: {code: 422}}}"})
        .outages.size();
  };
  EXPECT_EQ(outages_by(""), 1U);
  EXPECT_EQ(outages_by("name: node0, "), 0U);
  EXPECT_EQ(outages_by("name: 'node*', "), 1U) << "these may be all";
}

TEST(RuleInputs, WhatAnAdmissionRefusesOfKubeletsIsTheirLeasesOrStatusesOrAllThatTheySay) {
  using Refused = rules::RuleInputs::Refused;
  const auto refused_by = [](const std::string& what) -> std::optional<Refused> {
    const auto outages =
        inputs_with({"{from: 1s, until: 1m, admission: {" + what + ", by: anybody, refuse: {}}}"})
            .outages;
    return outages.empty() ? std::nullopt : std::optional(outages.front().refused);
  };
  EXPECT_EQ(refused_by("resource: leases"), Refused::Leases);
  EXPECT_EQ(refused_by("resource: nodes, subresource: status"), Refused::Statuses);
  EXPECT_EQ(refused_by("resource: [nodes, leases], subresource: '*'"), Refused::Heartbeats);
  EXPECT_EQ(refused_by("resource: nodes"), std::nullopt) << "spec and labels are no heartbeats";
  EXPECT_EQ(refused_by("resource: leases, namespace: kube-system"), std::nullopt) << "locks";
  EXPECT_EQ(refused_by("resource: leases, verb: DELETE"), std::nullopt);
}

rules::RuleInputs::Restores restores_with(const std::string& restore_at, const std::string& more) {
  return inputs_with(
             {"{at: 10s, backup: {}}", "{at: " + restore_at + ", restore: {down: 2s}}", more})
      .restores;
}

TEST(RuleInputs, ARestoreIsUnnoticedThatIsOverTenSecondsAfterItsBackup) {
  EXPECT_TRUE(restores_with("18s", "{at: 50s, note: nothing}").unnoticed);
  EXPECT_FALSE(restores_with("19s", "{at: 50s, note: nothing}").unnoticed);
}

TEST(RuleInputs, ARestoreIsMissedByWhoWasCutOffSinceItsBackupAndWatchedAcrossByWhoIsBack) {
  const auto during_it = restores_with("30s", "{from: 20s, until: 40s, link: {state: down}}");
  EXPECT_TRUE(during_it.missed);
  EXPECT_FALSE(during_it.watched_across);
  const auto before_it = restores_with("30s", "{from: 20s, until: 25s, link: {state: down}}");
  EXPECT_TRUE(before_it.missed);
  EXPECT_TRUE(before_it.watched_across);
  EXPECT_FALSE(restores_with("30s", "{from: 1s, until: 5s, link: {state: down}}").missed);
}

TEST(RuleInputs, ARestoreWithoutABackupBringsNothingBack) {
  const rules::RuleInputs inputs = inputs_with({"{at: 30s, restore: {down: 2s}}"});
  EXPECT_TRUE(inputs.outages.empty());
  EXPECT_FALSE(inputs.told_to_leaders_alone);
}

TEST(RuleInputs, AStateThatARestoreTookBackIsToldOfUnseen) {
  const auto told = [](const std::string& as_of, const std::string& at) {
    return inputs_with(
               {"{at: 10s, backup: {}}", "{at: 30s, restore: {down: 0s}}",
                "{at: " + at + ", replay: {kind: Node, name: node0, as_of: " + as_of + "}}"})
        .restores.missed;
  };
  EXPECT_TRUE(told("20s", "40s"));
  EXPECT_FALSE(told("5s", "40s")) << "it was as old as the backup";
  EXPECT_FALSE(told("20s", "25s")) << "nothing had been taken back";
  EXPECT_FALSE(told("35s", "40s")) << "it came after the restore";
}

TEST(RuleInputs, WhatWatchesShowFromBeforeARestoreIsBelievedByWhoWasCutOff) {
  const auto behind = [](const std::string& more, const std::string& as_of) {
    return inputs_with({"{at: 10s, backup: {}}", "{at: 30s, restore: {down: 0s}}",
                        "{from: 31s, until: 40s, stale_reads: {verb: WATCH, resource: [nodes, "
                        "pods], as_of: " +
                            as_of + "}}",
                        more})
        .restores.watched_across;
  };
  EXPECT_TRUE(behind("{from: 25s, until: 35s, link: {state: down}}", "20s"));
  EXPECT_TRUE(behind(
      "{from: 0s, until: 5m, fail_api: {verb: WATCH, resource: leases, respond: {code: 403}}}",
      "20s"));
  EXPECT_FALSE(behind("{from: 25s, until: 35s, link: {state: down}}", "5s")) << "as the backup";
  EXPECT_FALSE(behind("{at: 50s, note: nothing}", "20s")) << "who watches leases sees the restore";
}

TEST(RuleInputs, WhoLeadsIsInDoubtOfNodesUntilTwoMinutesAfterWhatMayHideThem) {
  const auto until = [](const std::string& step) -> std::optional<Duration> {
    const auto in_doubt = inputs_with({step}).nodes_in_doubt;
    if (in_doubt.empty()) return std::nullopt;
    return in_doubt.front().until - Instant{};
  };
  constexpr auto to_the_end = Instant::max() - Instant{};
  EXPECT_EQ(until("{from: 1s, until: 9s, cache: {hold: nodes}}"), std::chrono::seconds(129));
  EXPECT_EQ(until("{at: 9s, end_watches: {how: expired}}"), std::chrono::seconds(129));
  EXPECT_EQ(until("{at: 9s, cache: {hold: nodes}}"), to_the_end);
  EXPECT_EQ(until("{at: 9s, replay: {kind: Node, name: node0, as_of: 5s}}"), to_the_end);
  EXPECT_EQ(until("{at: 9s, delete: {kind: Node, name: node0}}"), std::nullopt);
}

TEST(RuleInputs, WhetherPodsStayReadyWhileNoNodeIsIsSaidByAFlag) {
  program::Flags flags;
  EXPECT_FALSE(rule_inputs_of(case_of({}), flags, Instant{}).holds_pods_ready);
  flags.loop.policy.hold_pods_ready_in_full_disruption = true;
  EXPECT_TRUE(rule_inputs_of(case_of({}), flags, Instant{}).holds_pods_ready);
}

TEST(RuleInputs, OfALockOfTwoObjectsTheLeaseIsJudged) {
  const auto judged_lock = [](const std::string& kind) {
    program::Flags flags;
    flags.leader_elect.resource_lock = kind;
    const auto lock = rule_inputs_of(case_of({}), flags, Instant{}).lock;
    return lock ? std::string(lock->resource->plural) + " " + lock->key : "";
  };
  const std::string name = " kube-system/node-lifecycle-controller";
  EXPECT_EQ(judged_lock("leases"), "leases" + name);
  EXPECT_EQ(judged_lock("configmapsleases"), "leases" + name);
  EXPECT_EQ(judged_lock("endpoints"), "endpoints" + name);
}

TEST(RuleInputs, WhoDoesNotContendHasNoLock) {
  program::Flags flags;
  flags.leader_elect.enabled = false;
  EXPECT_FALSE(rule_inputs_of(case_of({}), flags, Instant{}).lock);
}

TEST(RuleInputs, AfterABackupCameBackOrAWatchToldAgainAStandbyMayNotKnow) {
  EXPECT_FALSE(inputs_with({}).told_to_leaders_alone);
  EXPECT_TRUE(inputs_with({"{at: 10s, backup: {}}", "{at: 30s, restore: {down: 0s}}"})
                  .told_to_leaders_alone);
  EXPECT_TRUE(inputs_with({"{at: 20s, replay: {kind: Node, name: node0, as_of: 10s}}"})
                  .told_to_leaders_alone);
}

}  // namespace
}  // namespace nlc::sim::scenario::testing

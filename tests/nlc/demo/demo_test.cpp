#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>

#include "nlc/demo/timeline.h"
#include "nlc/demo/verdict.h"
#include "nlc/demo/waiting.h"

namespace nlc::workbench {
namespace {

using namespace std::chrono_literals;
using api::ConditionStatus;

const Instant start{std::chrono::hours(1)};
const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};

/// Plays a demonstration of three nodes with one pod each, of which the first loses its power.
struct Play {
  Play() : story([](const Happening&) {}) {
    plan.nodes = 3;
    plan.pods_per_node = 1;
    plan.victims = {"hollow-0"};
    plan.survivor = "hollow-0";
    for (const char* name : {"hollow-0", "hollow-1", "hollow-2"}) {
      node(name, ConditionStatus::True, {}, 0s);
      pod(name, ConditionStatus::True, 0s);
    }
  }

  void node(const std::string& name, ConditionStatus ready, std::vector<std::string> effects,
            Duration at) {
    api::Node object{.name = name, .conditions = {{.type = "Ready", .status = ready}}};
    for (const std::string& effect : effects) {
      object.taints.push_back({.key = "node.kubernetes.io/unreachable", .effect = effect});
    }
    story.on_node(object, start + at);
  }
  void pod(const std::string& of, ConditionStatus ready, Duration at, bool deleting = false) {
    api::Pod object{.namespace_ = "hollow",
                    .name = of + "-0",
                    .node_name = of,
                    .deleting = deleting,
                    .ready = api::PodCondition{.status = ready}};
    const auto before = pods.find(of);
    story.on_pod(object, before == pods.end() ? nullptr : &before->second, start + at);
    pods[of] = object;
  }
  void renewal(const std::string& name, Duration at) {
    const api::NodeLease lease{.name = name,
                               .renewed = noon + std::chrono::floor<std::chrono::seconds>(at)};
    story.on_lease(lease, start + at);
  }

  /// Everything as it should be.
  void run() {
    renewal("hollow-0", 1s);
    renewal("hollow-0", 3s);
    story.power_cut("hollow-0", start + 4s);
    node("hollow-0", ConditionStatus::Unknown, {}, 11s);
    node("hollow-0", ConditionStatus::Unknown, {"NoSchedule", "NoExecute"}, 11s);
    pod("hollow-0", ConditionStatus::False, 11s);
    pod("hollow-0", ConditionStatus::False, 21s, true);
    story.power_back("hollow-0", start + 25s);
    node("hollow-0", ConditionStatus::True, {"NoSchedule", "NoExecute"}, 25s);
    node("hollow-0", ConditionStatus::True, {}, 25s + 10ms);
    story.on_pod_gone(pods.at("hollow-0"), start + 26s);
  }

  std::vector<std::string> failures() const {
    std::vector<std::string> failed;
    for (const Expectation& expectation : judge(story, plan, {3, 3})) {
      if (!expectation.met) failed.push_back(expectation.text + ": " + expectation.remark);
    }
    return failed;
  }

  report::NodeObserver story;
  std::map<std::string, api::Pod> pods;
  DemoPlan plan;
};

TEST(DemoVerdict, StoryAsItShouldBeMeetsEveryExpectation) {
  Play play;
  play.run();
  EXPECT_THAT(play.failures(), testing::IsEmpty());
}

TEST(DemoVerdict, UnknownBeforeTheGraceHadEndedFails) {
  Play play;
  play.plan.grace = 9s;
  play.run();
  EXPECT_THAT(play.failures(), testing::ElementsAre(testing::HasSubstr("hollow-0 after 8.0 s")));
}

TEST(DemoVerdict, PodsDeletedBeforeTheirTolerationEndedFail) {
  Play play;
  play.plan.toleration = 11500ms;
  play.run();
  EXPECT_THAT(play.failures(), testing::ElementsAre(testing::HasSubstr("first after 10.0 s")));
}

TEST(DemoVerdict, TouchedHealthyNodeFails) {
  Play play;
  play.run();
  play.node("hollow-2", ConditionStatus::Unknown, {}, 30s);
  play.node("hollow-2", ConditionStatus::True, {}, 31s);
  EXPECT_THAT(play.failures(), testing::ElementsAre(testing::EndsWith("touched: hollow-2")));
}

TEST(DemoVerdict, TouchedPodOfAHealthyNodeFails) {
  Play play;
  play.run();
  play.pod("hollow-1", ConditionStatus::True, 30s, true);
  EXPECT_THAT(play.failures(), testing::ElementsAre(testing::EndsWith("touched: hollow-1")));
}

TEST(DemoVerdict, NothingThatHappenedFailsAllButTheBeginning) {
  Play play;
  play.story.power_cut("hollow-0", start + 4s);
  EXPECT_EQ(play.failures().size(), 5U);
}

TEST(DemoVerdict, DelaysAreMeasuredFromWhatWasSeen) {
  Play play;
  play.run();
  const std::vector<Measurement> measured = measure(play.story, play.plan);
  EXPECT_THAT(measured[0].delays, testing::ElementsAre(8s));
  EXPECT_THAT(measured[1].delays, testing::ElementsAre(0s));
  EXPECT_THAT(measured[4].delays, testing::ElementsAre(10s));
  EXPECT_THAT(measured[5].delays, testing::ElementsAre(10ms));
}

TEST(DemoTimeline, AlikeHappeningsOfOneMomentShareALine) {
  DemoTimeline timeline({.start = start}, [](Moment, const auto&) { return ""; });
  timeline.add({Moment::PodMarked, "hollow-0", start + 2s});
  timeline.add({Moment::PodMarked, "hollow-1", start + 2s + 100ms});
  timeline.add({Moment::PodMarked, "hollow-0", start + 2s + 200ms});
  EXPECT_THAT(timeline.take_lines(start + 2s + 250ms), testing::IsEmpty());
  EXPECT_THAT(timeline.take_lines(start + 3s),
              testing::ElementsAre("   +2.0s  pods deleted    3 pods of hollow-0 hollow-1"));
}

TEST(DemoTimeline, HappeningsFarApartHaveLinesOfTheirOwnInOrder) {
  DemoTimeline timeline({.start = start}, [](Moment, const auto&) { return "why"; });
  timeline.add({Moment::Unknown, "hollow-0", start + 1s});
  timeline.add({Moment::Unknown, "hollow-1", start + 2s});
  EXPECT_THAT(timeline.take_lines(start + 1min),
              testing::ElementsAre(testing::HasSubstr("hollow-0"), testing::HasSubstr("hollow-1")));
}

TEST(DemoWaiting, CountsDownToWhatTheControllerIsDueToDoNext) {
  Play play;
  play.renewal("hollow-0", 1s);
  play.renewal("hollow-0", 3s);
  play.story.power_cut("hollow-0", start + 4s);
  EXPECT_EQ(awaited_in_silence(play.story, play.plan).at, start + 3s + play.plan.grace);
  EXPECT_THAT(awaited_in_silence(play.story, play.plan).what, testing::HasSubstr("Unknown"));

  play.node("hollow-0", ConditionStatus::Unknown, {}, 11s);
  EXPECT_THAT(awaited_in_silence(play.story, play.plan).what, testing::HasSubstr("NoExecute"));

  play.node("hollow-0", ConditionStatus::Unknown, {"NoExecute"}, 12s);
  EXPECT_EQ(awaited_in_silence(play.story, play.plan).at, start + 12s + play.plan.toleration);

  play.pod("hollow-0", ConditionStatus::False, 22s, true);
  EXPECT_EQ(awaited_in_silence(play.story, play.plan).what, "power for hollow-0");
}

TEST(DemoWaiting, EachZoneIsAStripWithASignForEachNode) {
  Play play;
  play.plan.nodes = 3;
  play.node("hollow-0", ConditionStatus::Unknown, {"NoExecute"}, 12s);
  play.node("hollow-1", ConditionStatus::Unknown, {}, 12s);
  play.renewal("hollow-2", 16s);
  const std::string text =
      waiting_text(play.story, play.plan, {"they leave", start + 20s}, start + 17s + 500ms);
  EXPECT_EQ(text,
            "  zone-a  \033[31mx\033[0m  0 of 1 Ready\n"
            "  zone-b  \033[31m?\033[0m  0 of 1 Ready\n"
            "  zone-c  \033[32m■\033[0m  1 of 1 Ready\n"
            "  \033[32m■\033[0m \033[2mReady\033[0m  \033[33m□\033[0m \033[2mReady, silent within "
            "its grace\033[0m"
            "  \033[31m?\033[0m \033[2mUnknown\033[0m  \033[31mx\033[0m \033[2mNoExecute\033[0m"
            "  \033[2m·\033[0m \033[2mnot Ready\033[0m\n"
            "  in 2.5 s  they leave");
}

TEST(DemoWaiting, NodeThatMissedARenewalIsSilentBeforeItsGraceEnds) {
  Play play;
  play.renewal("hollow-0", 3s);
  const auto strip_at = [&](Duration at) {
    const std::string text = waiting_text(play.story, play.plan, {"they leave"}, start + at);
    return text.substr(0, text.find('\n'));
  };
  const Duration two_renewals = play.plan.grace / 2;
  EXPECT_EQ(strip_at(3s + two_renewals), "  zone-a  \033[32m■\033[0m  1 of 1 Ready");
  EXPECT_EQ(strip_at(3s + two_renewals + 1ms),
            "  zone-a  \033[33m□\033[0m  1 of 1 Ready, 1 of them silent");

  play.renewal("hollow-0", 8s);
  EXPECT_EQ(strip_at(8s), "  zone-a  \033[32m■\033[0m  1 of 1 Ready");
}

TEST(DemoTimeline, ColoursAreForTerminalsOnly) {
  EXPECT_EQ(inked("text", Ink::Red, false), "text");
  EXPECT_EQ(inked("text", Ink::Red, true), "\033[31mtext\033[0m");
}

}  // namespace
}  // namespace nlc::workbench

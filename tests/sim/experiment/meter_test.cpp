#include "sim/experiment/meter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runtime/clock.h"

namespace nlc::sim::experiment {
namespace {

using namespace std::chrono_literals;
using scenario::HeartbeatSent;
using testing::ElementsAre;
using testing::Eq;
using testing::IsEmpty;
using testing::Optional;
using testing::SizeIs;

const Instant start{1000h};
constexpr Duration grace = 40s;

struct StoppedClock final : Clock {
  Instant now() const override { return at; }
  WallTime wall_now() const override { return {}; }
  Instant at = start;
};

/// A cluster of one node as the meter sees it: its heartbeats, and what the controller writes.
class Watched {
 public:
  explicit Watched(std::set<std::size_t> endless = {})
      : meter_({"n"}, {.start = start, .grace = grace, .endless = std::move(endless)}) {
    storage_.put(core_resource("nodes"), "n", node("True", {}));
  }

  void heartbeat(Duration at, bool arrived, bool last, std::size_t step = 0) {
    const std::string name = "n";
    meter_.on_heartbeat(
        {.step = step, .node = name, .at = start + at, .arrived = arrived, .last = last});
  }
  void arrives(Duration at) { heartbeat(at, true, false); }
  void is_lost(Duration at) { heartbeat(at, false, false); }
  void arrives_last(Duration at) { heartbeat(at, true, true); }

  void controller_writes(Duration at, const std::string& ready, std::vector<std::string> taints) {
    clock_.at = start + at;
    storage_.put(core_resource("nodes"), "n", node(ready, std::move(taints)));
    tell("PATCH", "nodes", "n");
  }
  void pod_runs(const std::string& name) {
    storage_.put(
        core_resource("pods"), "default/" + name,
        {{"metadata", {{"name", name}, {"namespace", "default"}}}, {"spec", {{"nodeName", "n"}}}});
  }
  void controller_deletes(Duration at, const std::string& name) {
    clock_.at = start + at;
    storage_.erase(core_resource("pods"), "default/" + name);
    tell("DELETE", "pods", name);
  }
  void controller_posts_event() { tell("POST", "events", "e"); }

  Measures until(Duration end) { return std::move(meter_).finish(start + end); }

 private:
  static nlohmann::json node(const std::string& ready, std::vector<std::string> effects) {
    nlohmann::json taints = nlohmann::json::array();
    for (const std::string& effect : effects) {
      taints.push_back({{"key", "node.kubernetes.io/unreachable"}, {"effect", effect}});
    }
    return {{"metadata", {{"name", "n"}}},
            {"spec", {{"taints", taints}}},
            {"status", {{"conditions", {{{"type", "Ready"}, {"status", ready}}}}}}};
  }
  void tell(const std::string& verb, const std::string& resource, const std::string& name) {
    scenario::SentRequest request;
    request.verb = verb;
    request.info.resource = resource;
    request.info.name = name;
    request.info.known = find_resource("", "v1", resource);
    meter_.on_write(request, storage_);
  }

  StoppedClock clock_;
  Storage storage_{clock_, {}};
  Meter meter_;
};

std::optional<Duration> after(const Death& death, Moment moment) {
  return death.after[index_of(moment)];
}

TEST(Meter, TimesOfADeadNodeCountFromItsLastHeartbeatThatArrived) {
  Watched node;
  node.pod_runs("p");
  node.arrives(10s);
  node.arrives(20s);
  node.heartbeat(30s, false, true);
  node.controller_writes(60s, "Unknown", {});
  node.controller_writes(61s, "Unknown", {"NoSchedule"});
  node.controller_writes(65s, "Unknown", {"NoSchedule", "NoExecute"});
  node.controller_deletes(95s, "p");
  const Measures measures = node.until(200s);
  ASSERT_THAT(measures.deaths, SizeIs(1));
  const Death& death = measures.deaths.front();
  EXPECT_THAT(death.node, Eq("n"));
  EXPECT_THAT(after(death, Moment::Unknown), Optional(Eq(40s)));
  EXPECT_THAT(after(death, Moment::NoSchedule), Optional(Eq(41s)));
  EXPECT_THAT(after(death, Moment::NoExecute), Optional(Eq(45s)));
  EXPECT_THAT(after(death, Moment::PodMarked), Optional(Eq(75s)));
  EXPECT_THAT(measures.false_positives, Eq(0U));
  EXPECT_THAT(measures.evictions, Eq(1U));
  EXPECT_THAT(measures.pods_deleted, Eq(1U));
  EXPECT_THAT(measures.api_writes, Eq(4U));
}

TEST(Meter, NodeWithBeatsToComeIsCondemnedWhetherTheyArriveOrNot) {
  Watched node;
  node.arrives(10s);
  node.is_lost(20s);
  node.controller_writes(50s, "Unknown", {});
  node.arrives(60s);
  node.arrives_last(70s);
  const Measures measures = node.until(80s);
  EXPECT_THAT(measures.false_positives, Eq(1U));
  EXPECT_THAT(measures.deaths, IsEmpty());
}

TEST(Meter, NodeCanBeCondemnedMoreThanOnce) {
  Watched node;
  node.arrives(10s);
  node.controller_writes(50s, "Unknown", {});
  node.controller_writes(55s, "True", {});
  node.controller_writes(95s, "Unknown", {});
  EXPECT_THAT(node.until(100s).false_positives, Eq(2U));
}

TEST(Meter, SilenceWithinTheGraceIsNoDeath) {
  Watched node;
  node.arrives_last(10s);
  node.arrives_last(10s + grace);
  node.arrives_last(10s + 2 * grace + 1ns);
  EXPECT_THAT(node.until(100s).deaths, SizeIs(1));
}

TEST(Meter, DeadNodeThatWasNeverMarkedIsADeathAllTheSame) {
  Watched node;
  node.arrives_last(10s);
  const Measures measures = node.until(10s + grace + 1ns);
  ASSERT_THAT(measures.deaths, SizeIs(1));
  EXPECT_THAT(measures.deaths.front().after,
              ElementsAre(std::nullopt, std::nullopt, std::nullopt, std::nullopt));
}

TEST(Meter, NodeThatNeverBeatsIsSilentFromTheStart) {
  Watched node;
  node.controller_writes(40s, "Unknown", {});
  const Measures measures = node.until(60s);
  ASSERT_THAT(measures.deaths, SizeIs(1));
  EXPECT_THAT(after(measures.deaths.front(), Moment::Unknown), Optional(Eq(40s)));
}

TEST(Meter, NodeThatComesBackEndsItsDeathEvenIfItsFirstBeatIsLost) {
  Watched node;
  node.arrives_last(10s);
  node.controller_writes(50s, "Unknown", {});
  node.is_lost(100s);
  node.arrives(110s);
  const Measures measures = node.until(120s);
  ASSERT_THAT(measures.deaths, SizeIs(1));
  EXPECT_THAT(after(measures.deaths.front(), Moment::Unknown), Optional(Eq(40s)));
}

TEST(Meter, NodeLivesAsLongAsOneOfItsStepsHasBeatsToCome) {
  Watched node;
  node.heartbeat(10s, true, true, 0);
  node.heartbeat(10s, true, false, 1);
  node.controller_writes(50s, "Unknown", {});
  const Measures measures = node.until(100s);
  EXPECT_THAT(measures.false_positives, Eq(1U));
  EXPECT_THAT(measures.deaths, IsEmpty());
}

TEST(Meter, NodeThatBeatsToTheEndOfTheRunHasNotDiedWithIt) {
  Watched node({7});
  node.heartbeat(10s, true, false, 7);
  node.heartbeat(20s, false, true, 7);
  node.controller_writes(50s, "Unknown", {});
  const Measures measures = node.until(100s);
  EXPECT_THAT(measures.false_positives, Eq(1U));
  EXPECT_THAT(measures.deaths, IsEmpty());
}

TEST(Meter, TaintThatWasThereBeforeIsNoEviction) {
  Watched node;
  node.arrives_last(0s);
  node.controller_writes(40s, "Unknown", {"NoExecute"});
  node.controller_writes(41s, "Unknown", {"NoSchedule", "NoExecute"});
  EXPECT_THAT(node.until(100s).evictions, Eq(1U));
}

TEST(Meter, EventsAreWritesToo) {
  Watched node;
  node.arrives(0s);
  node.controller_posts_event();
  EXPECT_THAT(node.until(1s).api_writes, Eq(1U));
}

}  // namespace
}  // namespace nlc::sim::experiment

#include "report/silence_book.h"

#include <gmock/gmock.h>
#include <map>
#include <nlohmann/json.hpp>

namespace nlc::report {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Instant begin = Instant{} + 1h;
const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};

/// A book with a grace of 40 s, and what is seen on a cluster.
struct Watched {
  std::vector<json> written;
  SilenceBook book{40s, [this](const std::string& line) { written.push_back(json::parse(line)); }};
  NodeObserver& seen = book.observer();
  std::map<std::string, api::Pod> last_seen;

  /// The first time the node is there as well, and Ready.
  void heartbeats(const std::string& node, Duration at) {
    if (!seen.of(node).facts.ready) shows(node, api::ConditionStatus::True, at);
    api::NodeLease lease;
    lease.name = node;
    lease.renewed = noon + std::chrono::floor<std::chrono::microseconds>(at);
    seen.on_lease(lease, begin + at);
  }
  void dies(const std::string& node, Duration at, std::uint32_t pods = 0) {
    book.on_killed(node, {.pods = pods, .at = begin + at, .wall = noon});
  }
  void shows(const std::string& node, api::ConditionStatus ready, Duration at,
             const std::vector<std::string_view>& taints = {}) {
    api::Node node_seen;
    node_seen.name = node;
    api::NodeCondition condition;
    condition.type = api::condition::ready;
    condition.status = ready;
    condition.last_heartbeat = noon;
    node_seen.conditions.push_back(condition);
    for (const std::string_view effect : taints) {
      api::Taint taint;
      taint.key = "node.kubernetes.io/unreachable";
      taint.effect = effect;
      node_seen.taints.push_back(taint);
    }
    seen.on_node(node_seen, begin + at);
  }
  void shows(const api::Pod& pod, Duration at) {
    const auto before = last_seen.find(pod.key());
    seen.on_pod(pod, before == last_seen.end() ? nullptr : &before->second, begin + at);
    last_seen[pod.key()] = pod;
  }
  void gone(const api::Pod& pod, Duration at) {
    seen.on_pod_gone(last_seen.at(pod.key()), begin + at);
  }
  api::Pod pod(const std::string& node, const std::string& name, api::ConditionStatus ready) {
    api::Pod pod;
    pod.namespace_ = "hollow";
    pod.name = name;
    pod.node_name = node;
    pod.ready.emplace();
    pod.ready->status = ready;
    return pod;
  }
  std::vector<json> lines() { return std::exchange(written, {}); }
  json summary() { return json::parse(book.summary()).at("summary"); }
};

using enum api::ConditionStatus;

TEST(SilenceBook, DelaysCountFromTheEndOfTheGraceAfterTheLastHeartbeatSeen) {
  Watched watched;
  watched.heartbeats("n", 0s);
  watched.dies("n", 3s);
  watched.heartbeats("n", 4s);  // was under way when the power went
  watched.shows("n", Unknown, 44s + 120ms, {api::effect::no_schedule});
  watched.shows("n", Unknown, 46s, {api::effect::no_schedule, api::effect::no_execute});
  const std::vector<json> lines = watched.lines();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].at("node"), "n");
  EXPECT_EQ(lines[0].at("after_grace_ms").at("unknown"), 120.0);
  EXPECT_EQ(lines[0].at("after_grace_ms").at("no_schedule"), 120.0);
  EXPECT_EQ(lines[0].at("after_grace_ms").at("no_execute"), 2000.0);
  EXPECT_EQ(lines[0].at("heartbeat_after_kill_ms"), 1000.0);
}

TEST(SilenceBook, UnchangedHeartbeatMovesNothing) {
  Watched watched;
  watched.heartbeats("n", 0s);
  watched.dies("n", 1s);
  api::NodeLease again;
  again.name = "n";
  again.renewed = noon;
  watched.seen.on_lease(again, begin + 30s);
  watched.shows("n", Unknown, 41s);
  watched.book.close();
  EXPECT_EQ(watched.lines().at(0).at("after_grace_ms").at("unknown"), 1000.0);
}

TEST(SilenceBook, PodsAreDoneWhenTheLastOfThemIs) {
  Watched watched;
  watched.heartbeats("n", 0s);
  watched.dies("n", 0s, 2);
  watched.shows("n", Unknown, 40s, {api::effect::no_schedule, api::effect::no_execute});
  watched.shows(watched.pod("n", "a", False), 41s);
  watched.shows(watched.pod("n", "a", False), 42s);
  watched.shows(watched.pod("n", "b", True), 42s);
  watched.shows(watched.pod("n", "b", False), 43s);
  EXPECT_THAT(watched.lines(), IsEmpty());
  api::Pod deleted = watched.pod("n", "a", False);
  deleted.deleting = true;
  watched.shows(deleted, 50s);
  watched.gone(watched.pod("n", "b", False), 52s);
  const std::vector<json> lines = watched.lines();
  ASSERT_THAT(lines, SizeIs(1));
  EXPECT_EQ(lines[0].at("after_grace_ms").at("pods_not_ready"), 3000.0);
  EXPECT_EQ(lines[0].at("after_grace_ms").at("pods_deleted"), 12000.0);
  EXPECT_EQ(lines[0].at("pods").dump(), R"({"deleted":2,"not_ready":2,"running":2})");
}

TEST(SilenceBook, WhatDidNotHappenIsNull) {
  Watched watched;
  watched.heartbeats("n", 0s);
  watched.dies("n", 0s, 1);
  watched.shows("n", Unknown, 41s);
  EXPECT_THAT(watched.lines(), IsEmpty());
  watched.book.close();
  const json after = watched.lines().at(0).at("after_grace_ms");
  EXPECT_TRUE(after.at("no_execute").is_null());
  EXPECT_TRUE(after.at("pods_deleted").is_null());
  EXPECT_EQ(watched.summary().at("after_grace").at("no_execute").dump(), R"({"count":0})");
}

TEST(SilenceBook, RevivalEndsAStoryAndTheNextDeathBeginsAnother) {
  Watched watched;
  watched.heartbeats("n", 0s);
  watched.dies("n", 0s);
  watched.shows("n", Unknown, 41s);
  watched.book.on_revived("n", begin + 41s);
  EXPECT_THAT(watched.lines(), SizeIs(1));
  watched.heartbeats("n", 60s);
  watched.shows("n", True, 61s);
  watched.dies("n", 70s);
  watched.shows("n", Unknown, 103s);
  watched.book.close();
  EXPECT_EQ(watched.lines().at(0).at("after_grace_ms").at("unknown"), 3000.0);
  EXPECT_EQ(watched.summary().at("killed"), 2);
}

TEST(SilenceBook, MachineWithPowerThatIsCalledUnknownIsCondemnedOnce) {
  Watched watched;
  watched.heartbeats("n", 0s);
  watched.shows("n", Unknown, 20s);
  watched.shows("n", True, 21s);
  watched.shows("n", Unknown, 22s);
  EXPECT_EQ(watched.book.false_positives(), 1U);
  EXPECT_EQ(watched.lines().at(0).at("condemned_though_healthy"), "n");
  EXPECT_EQ(watched.summary().at("healthy_condemned"), 1);
}

TEST(SilenceBook, VerdictThatArrivesBeforeTheFirstHeartbeatOfARevivedMachineIsNoWrong) {
  Watched watched;
  watched.heartbeats("n", 0s);
  watched.dies("n", 0s);
  watched.book.on_revived("n", begin + 40s);
  watched.shows("n", Unknown, 41s);
  EXPECT_EQ(watched.book.false_positives(), 0U);
  watched.shows("n", True, 42s);
  watched.heartbeats("n", 43s);
  watched.shows("n", Unknown, 60s);
  EXPECT_EQ(watched.book.false_positives(), 1U);
}

TEST(SilenceBook, SummaryTellsPercentilesOfAllDeaths) {
  Watched watched;
  for (int number = 1; number <= 100; ++number) {
    const std::string name = "n" + std::to_string(number);
    watched.heartbeats(name, 0s);
    watched.dies(name, 0s);
    watched.shows(name, Unknown, 40s + 10ms * number);
  }
  watched.book.close();
  EXPECT_THAT(watched.lines(), SizeIs(100));
  EXPECT_EQ(watched.summary().at("after_grace").at("unknown").dump(),
            R"({"count":100,"max_ms":1000.0,"p50_ms":500.0,"p99_ms":990.0})");
}

}  // namespace
}  // namespace nlc::report

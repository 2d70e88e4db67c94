#include "report/node_observer.h"

#include <gmock/gmock.h>

namespace nlc::report {
namespace {

using namespace std::chrono_literals;
using enum api::ConditionStatus;
using testing::ElementsAre;

constexpr Instant start = Instant{} + 1h;

/// An observer and the moments it tells.
struct Seen {
  std::vector<Moment> moments;
  NodeObserver observer{
      [this](const Happening& happening) { moments.push_back(happening.moment); }};
};

api::Node node(api::ConditionStatus ready) {
  return {.name = "n", .conditions = {{.type = "Ready", .status = ready}}};
}

api::Pod pod(api::ConditionStatus ready) {
  return {.namespace_ = "hollow",
          .name = "p",
          .node_name = "n",
          .ready = api::PodCondition{.status = ready}};
}

TEST(NodeObserver, WhatIsThereAtFirstSightIsNoChange) {
  Seen seen;
  seen.observer.on_node(node(Unknown), start);
  seen.observer.on_pod(pod(False), nullptr, start);
  EXPECT_THAT(seen.moments, testing::IsEmpty());
  EXPECT_EQ(seen.observer.nodes_ready(), 0U);
  EXPECT_EQ(seen.observer.of("n").pods, 1U);
}

TEST(NodeObserver, PodThatIsFirstSeenNotReadyOnANodeWithoutPowerWasMarkedSo) {
  Seen seen;
  seen.observer.power_cut("n", start);
  seen.observer.on_pod(pod(False), nullptr, start + 1s);
  EXPECT_THAT(seen.moments, ElementsAre(Moment::PowerCut, Moment::PodNotReady));
}

TEST(NodeObserver, PodThatGoesWithoutAMarkWasMarkedThen) {
  Seen seen;
  seen.observer.on_pod(pod(True), nullptr, start);
  EXPECT_EQ(seen.observer.pods_ready(), 1U);
  seen.observer.on_pod_gone(pod(True), start + 1s);
  EXPECT_THAT(seen.moments, ElementsAre(Moment::PodMarked, Moment::PodGone));
  EXPECT_EQ(seen.observer.pods_ready(), 0U);
}

TEST(NodeObserver, PodOfTheSameNameWithAnotherUidIsAnotherPod) {
  Seen seen;
  const api::Pod first = pod(True);
  api::Pod second = first;
  second.uid = "2";
  seen.observer.on_pod(first, nullptr, start);
  seen.observer.on_pod(second, &first, start + 1s);
  EXPECT_THAT(seen.moments, ElementsAre(Moment::PodMarked, Moment::PodGone));
  EXPECT_EQ(seen.observer.of("n").pods, 2U);
  EXPECT_EQ(seen.observer.pods_ready(), 1U);
}

TEST(NodeObserver, FirstRenewalAfterThePowerCameBackIsTold) {
  Seen seen;
  const auto renew = [&](std::chrono::seconds at) {
    seen.observer.on_lease({.name = "n", .renewed = WallTime{} + at}, start + at);
  };
  renew(1s);
  seen.observer.power_cut("n", start + 2s);
  seen.observer.power_back("n", start + 3s);
  renew(4s);
  renew(5s);
  EXPECT_THAT(seen.moments, ElementsAre(Moment::PowerCut, Moment::PowerBack, Moment::Renewed));
  EXPECT_EQ(seen.observer.of("n").heartbeat_before_cut, start + 1s);
}

}  // namespace
}  // namespace nlc::report

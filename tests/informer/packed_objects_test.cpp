#include "informer/packed_objects.h"

#include <chrono>
#include <gtest/gtest.h>
#include <limits>
#include <string>

#include "api/decode.h"
#include "tests/conformance/recorded.h"

/// What is packed comes out as it went in, whatever it is.
namespace nlc::informer {
namespace {

using namespace std::chrono_literals;
using api::ConditionStatus;

const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};

template <typename T>
T through(const T& object) {
  TextPool texts;
  Packed<T> row;
  row.set(T{.name = "another"}, texts);
  row.set(object, texts);
  T place;
  row.get(place);
  T used = object;  // what a place held before leaves no trace
  row.get(used);
  EXPECT_EQ(used, place);
  return place;
}

/// Whether what was held before leaves something behind in an object that says less.
template <typename T>
void expect_no_trace_of(const T& before) {
  const T bare{.name = before.name};
  TextPool texts;
  Packed<T> row;
  row.set(before, texts);
  row.set(bare, texts);
  T place = before;
  row.get(place);
  EXPECT_EQ(place, bare);
}

template <typename T>
std::size_t same_as_recorded(const std::string& file) {
  const Result<api::ListPage<T>> page =
      api::Decoder<T>(api::Encoding::Protobuf).list(conformance::recorded(file));
  for (const T& object : page->items) EXPECT_EQ(through(object), object);
  return page->items.size();
}

TEST(PackedObjects, RecordedOnesStayEqual) {
  EXPECT_GT(same_as_recorded<api::Node>("list-nodes.pb"), 0U);
  EXPECT_GT(same_as_recorded<api::NodeLease>("list-leases.pb"), 0U);
  EXPECT_GT(same_as_recorded<api::Pod>("list-pods.pb"), 0U);
}

TEST(PackedObjects, ANodeKeepsEverything) {
  const api::Node node{
      .name = "n",
      .uid = "u",
      .resource_version = "12",
      .created = noon,
      .deleting = true,
      .unschedulable = true,
      .labels = {{"topology.kubernetes.io/zone", "a"},
                 {"empty", ""},
                 {"kubernetes.io/hostname", "n"}},
      .pause = "evictions",
      .taints = {{.key = "k", .value = "v", .effect = "NoSchedule", .time_added = noon},
                 {.key = "", .effect = "NoExecute"},
                 {.key = "k2", .effect = "NoExecute", .time_added = noon - 1h}},
      .conditions = {{.type = "Ready",
                      .status = ConditionStatus::Unknown,
                      .reason = "r",
                      .message = std::string(1000, 'm'),
                      .last_heartbeat = noon,
                      .last_transition = noon - 24h},
                     {.type = "Odd"},
                     {.type = "MemoryPressure",
                      .status = ConditionStatus::False,
                      .last_transition = noon + 1us}}};
  EXPECT_EQ(through(node), node);
  expect_no_trace_of(node);
}

TEST(PackedObjects, AConfigMapKeepsEverything) {
  const api::ConfigMap config{.namespace_ = "kube-system",
                              .name = "c",
                              .uid = "u",
                              .resource_version = "12",
                              .data = {{"pause", "all"}, {"empty", ""}}};
  EXPECT_EQ(through(config), config);
}

TEST(PackedObjects, AnEmptyNodeStaysEmpty) {
  const api::Node node{.name = "n"};
  EXPECT_EQ(through(node), node);
}

TEST(PackedObjects, TimesMayBeAnything) {
  const auto at = [](std::int64_t count) { return WallTime(std::chrono::microseconds(count)); };
  for (const WallTime time : {at(0), at(-1), at(std::numeric_limits<std::int64_t>::max()),
                              at(std::numeric_limits<std::int64_t>::min() + 1)}) {
    const api::NodeLease lease{.name = "n", .renewed = time};
    EXPECT_EQ(through(lease), lease);
    const api::Node node{
        .name = "n",
        .conditions = {{.type = "Ready", .last_heartbeat = time, .last_transition = noon},
                       {.type = "Other", .last_heartbeat = noon, .last_transition = time}}};
    EXPECT_EQ(through(node), node);
  }
  const api::NodeLease never{.name = "n"};
  EXPECT_EQ(through(never), never);
}

TEST(PackedObjects, APodKeepsEverything) {
  api::Pod pod{.namespace_ = "default",
               .name = "p",
               .uid = "u",
               .resource_version = "12",
               .node_name = "n",
               .bound = noon,
               .generation = 7,
               .deleting = true,
               .finished = true,
               .daemon = true,
               .lost = true,
               .tolerations = {{.key = "k", .operator_ = "Exists", .seconds = 300},
                               {.value = "v", .effect = "NoExecute", .seconds = -1},
                               {}},
               .ready = api::PodCondition{.status = ConditionStatus::True, .last_transition = noon},
               .disruption_target = api::PodCondition{.status = ConditionStatus::True,
                                                      .reason = "r",
                                                      .message = "m",
                                                      .last_transition = noon - 1s}};
  EXPECT_EQ(through(pod), pod);
  expect_no_trace_of(pod);
  pod.ready.reset();
  EXPECT_EQ(through(pod), pod);
  pod.disruption_target.reset();
  EXPECT_EQ(through(pod), pod);
}

template <typename T>
void expect_identity(T object) {
  object.name = "n";
  object.uid = "u";
  object.resource_version = "12";
  TextPool texts;
  Packed<T> row;
  row.set(object, texts);
  std::string uid;
  std::string version;
  row.identity().get(uid, version);
  EXPECT_EQ(uid, "u");
  EXPECT_EQ(version, "12");
}

TEST(PackedObjects, SayWhichStateOfWhichObjectTheyAre) {
  expect_identity(api::Node{});
  expect_identity(api::NodeLease{});
  expect_identity(api::Pod{});
  expect_identity(api::ConfigMap{});
}

TEST(PackedObjects, AreFoundByTheirKeys) {
  TextPool texts;
  PackedPod row;
  row.set({.namespace_ = "a", .name = "b-c"}, texts);
  EXPECT_TRUE(row.has_key("a/b-c"));
  EXPECT_EQ(row.hash(), PackedPod::hash_of("a/b-c"));
  EXPECT_EQ(row.hash(), PackedPod::hash_of(api::Pod{.namespace_ = "a", .name = "b-c"}));
  for (const std::string_view other : {"a/b", "a/b-d", "b/b-c", "ab-c", "a/b-c/", "/a/b-c", ""}) {
    EXPECT_FALSE(row.has_key(other));
  }
}

}  // namespace
}  // namespace nlc::informer

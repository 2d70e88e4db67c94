#include "controller/decisions/foreign_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/rules/taints.h"
#include "informer/index.h"
#include "informer/store.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

/// Whole stories are in tests/scenarios/two_masters.yaml.
namespace nlc::controller {
namespace {

using namespace std::chrono_literals;

/// A leader's view of one node.
struct Leader : testing::Stores, informer::StoreListener<api::Node> {
  Leader() {
    nodes.set_listener(this);
    nodes.apply(testing::ready_node("node-0"));
    writes.begin_leading(now);
  }

  static api::Node at(std::string version, api::Node node) {
    node.resource_version = std::move(version);
    return node;
  }
  static api::Node unknown() { return at("2", testing::silent_node("node-0")); }
  std::size_t found() { return writes.take().size(); }
  /// It marks the node, and hears so before its watch tells.
  void marks(const api::Node& silent) {
    writes.sent(MarkSilent{.node = ref_of(silent), .resource_version = "1"});
    nodes.refresh_by_read(silent);
    writes.acknowledged(ref_of(silent), NodePart::Status);
  }

  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override {
    writes.node_stored(slot, node, before, true, now);
  }
  void on_removed(Slot slot, const api::Node&) override { writes.node_removed(slot); }
  void on_synced() override {}

  ForeignWrites writes{view()};
  Instant now = Instant{} + 1h;
};

TEST(ForeignWrites, CountFromTheEndOfSettlingAndNotBefore) {
  Leader early;
  early.now += ForeignWrites::settling - 1ns;
  early.nodes.apply(Leader::unknown());
  EXPECT_EQ(early.found(), 0U);

  Leader late;
  late.now += ForeignWrites::settling;
  late.nodes.apply(Leader::unknown());
  EXPECT_EQ(late.found(), 1U);
}

TEST(ForeignWrites, AreNotSeenInListsAndReadsWhichHideWhoWrote) {
  Leader leader;
  leader.now += 1h;
  leader.nodes.replace({Leader::unknown()});
  EXPECT_EQ(leader.found(), 0U);
  leader.nodes.apply(Leader::at("3", testing::ready_node("node-0")));
  leader.nodes.refresh_by_read(Leader::at("4", testing::silent_node("node-0")));
  EXPECT_EQ(leader.found(), 0U);
}

TEST(ForeignWrites, AreNoneOfAStandby) {
  Leader leader;
  leader.writes.end_leading();
  leader.now += 1h;
  leader.nodes.apply(Leader::unknown());
  EXPECT_EQ(leader.found(), 0U);
}

/// Its list was read before our write was answered, its stream tells that write once more.
TEST(ForeignWrites, AreNoneThatAStreamTellsOnceMore) {
  Leader leader;
  leader.now += 1h;
  const api::Node silent = Leader::unknown();
  leader.marks(silent);

  leader.nodes.replace({Leader::at("1", testing::ready_node("node-0"))});
  leader.nodes.apply(silent);
  EXPECT_EQ(leader.found(), 0U);
  leader.nodes.apply(Leader::at("3", testing::ready_node("node-0")));
  leader.nodes.apply(Leader::at("4", testing::silent_node("node-0")));
  EXPECT_EQ(leader.found(), 1U) << "of what comes after it more is said";
}

TEST(ForeignWrites, AreSeenAfterTheServerWentBackAlthoughOurAnswersHadHigherVersions) {
  Leader leader;
  leader.now += 1h;
  leader.marks(Leader::at("20", testing::silent_node("node-0")));

  const Slot slot = *leader.nodes.slot_of("node-0");
  const api::Node before = Leader::at("7", testing::ready_node("node-0"));
  const api::Node after = Leader::at("8", testing::silent_node("node-0"));
  leader.writes.node_stored(slot, after, &before, true, leader.now);
  EXPECT_EQ(leader.found(), 0U) << "it has been before ours";
  leader.writes.versions_begin_anew();
  leader.writes.node_stored(slot, after, &before, true, leader.now);
  EXPECT_EQ(leader.found(), 1U);
}

/// One that may tell already.
struct SettledLeader : Leader {
  SettledLeader() { now += ForeignWrites::settling; }

  static NodeRef ref() { return ref_of(testing::ready_node("node-0")); }
  void send_mark(std::string version) {
    MarkSilent mark;
    mark.node = ref();
    mark.resource_version = std::move(version);
    writes.sent(mark);
  }
  void send_taints(std::string version) {
    SetTaints taints;
    taints.node = ref();
    taints.resource_version = std::move(version);
    writes.sent(taints);
  }
  /// What is told when the node is seen like that.
  std::vector<std::string> seen(std::string version, api::Node node,
                                std::vector<api::Taint> taints = {}) {
    node.taints = std::move(taints);
    nodes.apply(at(std::move(version), std::move(node)));
    std::vector<std::string> told;
    for (const ForeignWrite& write : writes.take()) told.push_back(write.what);
    return told;
  }
};

TEST(ForeignWrites, AreNoneWhileOurOwnOfThatPartIsOnItsWay) {
  SettledLeader leader;
  leader.send_mark("1");
  leader.nodes.apply(Leader::unknown());
  EXPECT_EQ(leader.found(), 0U);

  SettledLeader other;
  other.send_taints("1");
  other.nodes.apply(Leader::unknown());
  EXPECT_EQ(other.found(), 1U) << "taints change no status";
}

TEST(ForeignWrites, MayBeOursWhereNobodyKnowsWhetherItWasTaken) {
  for (const Fault fault : {Fault::Timeout, Fault::Unavailable, Fault::Malformed}) {
    SettledLeader leader;
    leader.send_mark("1");
    leader.writes.refused(SettledLeader::ref(), NodePart::Status, {.fault = fault}, leader.now);
    leader.nodes.apply(Leader::unknown());
    EXPECT_EQ(leader.found(), 0U) << name_of(fault);
    EXPECT_EQ(leader.seen("3", testing::ready_node("node-0")).size(), 0U);
    EXPECT_EQ(leader.seen("4", testing::silent_node("node-0")).size(), 1U)
        << "the version that it could have changed has passed";
  }
}

TEST(ForeignWrites, AreNotOursWhereTheServerSurelyDidNotTakeThem) {
  for (const Fault fault : {Fault::Forbidden, Fault::Invalid, Fault::NotFound, Fault::Throttled,
                            Fault::NotLeading, Fault::Conflict}) {
    SettledLeader leader;
    leader.send_mark("1");
    leader.writes.refused(SettledLeader::ref(), NodePart::Status, {.fault = fault}, leader.now);
    leader.nodes.apply(Leader::unknown());
    EXPECT_EQ(leader.found(), 1U) << name_of(fault);
  }
}

TEST(ForeignWrites, AreNotOursWhereVersionsHadPassedTheOneThatItCouldHaveChanged) {
  SettledLeader leader;
  leader.send_mark("1");
  EXPECT_EQ(leader.seen("2", testing::ready_node("node-0")).size(), 0U);
  leader.writes.refused(SettledLeader::ref(), NodePart::Status, {.fault = Fault::Timeout},
                        leader.now);
  EXPECT_EQ(leader.seen("3", testing::silent_node("node-0")).size(), 1U);
}

TEST(ForeignWrites, WriteThatIsTriedAgainOnTheSameVersionMayHaveBeenTakenTheFirstTime) {
  SettledLeader leader;
  for (const Fault fault : {Fault::Timeout, Fault::Forbidden}) {
    leader.send_mark("1");
    leader.writes.refused(SettledLeader::ref(), NodePart::Status, {.fault = fault}, leader.now);
  }
  leader.nodes.apply(Leader::unknown());
  EXPECT_EQ(leader.found(), 0U);
}

TEST(ForeignWrites, ConflictOnWhatWeWroteLastTellsOfWhoeverWroteBetween) {
  const auto found = [](bool acknowledged) {
    SettledLeader leader;
    leader.send_taints("1");
    leader.seen("2", testing::ready_node("node-0"));
    if (acknowledged) leader.writes.acknowledged(SettledLeader::ref(), NodePart::Spec);
    leader.send_mark("2");
    leader.nodes.refresh_by_read(Leader::at("3", testing::silent_node("node-0")));
    EXPECT_EQ(leader.found(), 0U) << "a read hides who wrote";
    leader.writes.refused(SettledLeader::ref(), NodePart::Status, {.fault = Fault::Conflict},
                          leader.now);
    return leader.found();
  };
  EXPECT_EQ(found(true), 1U);
  EXPECT_EQ(found(false), 0U);
}

TEST(ForeignWrites, AreTaintsThatFollowTheCondition) {
  using ::testing::ElementsAre;
  using ::testing::IsEmpty;
  const api::Taint unreachable = testing::a_taint(taint::unreachable, "NoSchedule");
  const api::Taint not_ready = testing::a_taint(taint::not_ready, "NoExecute");
  const api::Taint of_others = testing::a_taint("example.com/a", "NoExecute");
  const api::Node silent = testing::silent_node("node-0");
  const api::Node ready = testing::ready_node("node-0");
  SettledLeader leader;
  EXPECT_THAT(leader.seen("2", silent), ElementsAre("Ready=Unknown NodeStatusUnknown"));
  EXPECT_THAT(leader.seen("3", silent, {of_others}), IsEmpty());
  EXPECT_THAT(leader.seen("4", silent, {unreachable}),
              ElementsAre("node.kubernetes.io/unreachable:NoSchedule added"));
  EXPECT_THAT(leader.seen("5", silent, {unreachable, not_ready}), IsEmpty())
      << "it does not ask for that";
  EXPECT_THAT(leader.seen("6", silent, {not_ready}), IsEmpty()) << "it asks for the other";
  EXPECT_THAT(leader.seen("7", ready, {unreachable, not_ready}), IsEmpty());
  EXPECT_THAT(leader.seen("8", ready),
              ElementsAre("node.kubernetes.io/not-ready:NoExecute removed"))
      << "one write, however many taints it swaps";
  EXPECT_THAT(leader.seen("9", testing::node_with_ready("node-0", api::ConditionStatus::False),
                          {not_ready}),
              ElementsAre("node.kubernetes.io/not-ready:NoExecute added"));
  api::Node mute = ready;
  mute.conditions.clear();
  EXPECT_THAT(leader.seen("10", mute), IsEmpty());
}

TEST(ForeignWrites, AreNotWhatAnotherNodeOfThatNameIsLike) {
  SettledLeader leader;
  api::Node another = testing::silent_node("node-0");
  another.uid = "another";
  EXPECT_EQ(leader.seen("2", another).size(), 0U);
}

TEST(ForeignWrites, AnswersAboutANodeThatIsGoneOrWasNotWrittenTellNothing) {
  SettledLeader leader;
  leader.writes.acknowledged(SettledLeader::ref(), NodePart::Spec);
  leader.writes.refused(SettledLeader::ref(), NodePart::Spec, {.fault = Fault::Conflict},
                        leader.now);
  leader.writes.refused({.name = "gone", .uid = "u"}, NodePart::Spec, {.fault = Fault::Conflict},
                        leader.now);
  leader.writes.acknowledged({.name = "gone", .uid = "u"}, NodePart::Spec);
  EXPECT_EQ(leader.found(), 0U);
}

}  // namespace
}  // namespace nlc::controller

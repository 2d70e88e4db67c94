#include "controller/decisions/foreign_writes.h"

#include <gtest/gtest.h>

#include "informer/index.h"
#include "informer/store.h"
#include "tests/controller/objects.h"

/// Whole stories are in tests/scenarios/two_masters.yaml.
namespace nlc::controller {
namespace {

using namespace std::chrono_literals;

/// A leader's view of one node.
struct Leader final : informer::StoreListener<api::Node> {
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

  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override {
    writes.node_stored(slot, node, before, true, now);
  }
  void on_removed(Slot slot, const api::Node&) override { writes.node_removed(slot); }
  void on_synced() override {}

  informer::TextPool texts;
  informer::Store<api::Node> nodes{texts};
  informer::Store<api::NodeLease> leases{texts};
  informer::Store<api::Pod> pods{texts};
  informer::Index pods_by_node{texts};
  ForeignWrites writes{
      {.nodes = nodes, .leases = leases, .pods = pods, .pods_by_node = pods_by_node}};
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
TEST(ForeignWrites, AreNotOursThatAStreamTellsOnceMore) {
  Leader leader;
  leader.now += 1h;
  const api::Node silent = Leader::at("2", testing::silent_node("node-0"));
  leader.writes.sent(MarkSilent{.node = ref_of(silent), .resource_version = "1"});
  leader.nodes.refresh_by_read(silent);
  leader.writes.acknowledged(ref_of(silent), NodePart::Status);

  leader.nodes.replace({Leader::at("1", testing::ready_node("node-0"))});
  leader.nodes.apply(silent);
  EXPECT_EQ(leader.found(), 0U);
  leader.nodes.apply(Leader::at("3", testing::ready_node("node-0")));
  leader.nodes.apply(Leader::at("4", testing::silent_node("node-0")));
  EXPECT_EQ(leader.found(), 1U) << "of what comes after it more is said";
}

}  // namespace
}  // namespace nlc::controller

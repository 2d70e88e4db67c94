#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "program/observe_summary.h"
#include "tests/controller/whole_path.h"

/// A replica with --observe, at the seam: what it says to the server.
namespace nlc::program {
namespace {

using namespace controller::testing;
using controller::observe::Agreement;
using controller::observe::ChangeKind;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Observing : public ::testing::Test {
 protected:
  Observing() { cluster.time.run_for(1min); }

  void observe(const std::vector<std::string>& more) {
    std::vector<std::string> words{"--observe", "--node-monitor-grace-period=40s"};
    words.insert(words.end(), more.begin(), more.end());
    const CommandLine line = read_command_line(words);
    ASSERT_TRUE(line.flags) << line.text;
    cluster.start_controller(*line.flags);
    cluster.time.run_for(1min);
  }

  /// All that was no read, as "VERB resource/name".
  std::vector<std::string> writes() const {
    std::vector<std::string> found;
    for (const sim::ServedRequest& request : cluster.requests) {
      const std::string& verb = request.info.verb;
      if (verb == "get" || verb == "list" || verb == "watch") continue;
      found.push_back(verb + " " + request.info.resource + "/" + request.info.name);
    }
    return found;
  }

  void kill_two_and_wait() {
    cluster.kubelets.kubelet(3).die();
    cluster.kubelets.kubelet(4).die();
    cluster.time.run_for(5min);
  }

  Cluster cluster{twelve_nodes(2)};
};

TEST_F(Observing, DecidesAsALeaderWouldAndWritesNothingAtAllWithoutALock) {
  observe({"--leader-elect=false"});
  kill_two_and_wait();
  EXPECT_THAT(writes(), IsEmpty());
  EXPECT_FALSE(cluster.gate.is_open(cluster.time.now()));
  ASSERT_TRUE(cluster.replica->observed());
  EXPECT_EQ(cluster.replica->observed()->open, 2U) << "both Unknowns, which nobody writes";
}

TEST_F(Observing, WritesItsOwnLockAndNothingElse) {
  observe({});
  kill_two_and_wait();
  EXPECT_THAT(writes(), ::testing::Not(IsEmpty()));
  for (const std::string& write : writes()) {
    EXPECT_TRUE(write == "create leases/" ||
                write == "create leases/node-lifecycle-controller-observe" ||
                write == "update leases/node-lifecycle-controller-observe")
        << write;
  }
  EXPECT_FALSE(cluster.gate.is_open(cluster.time.now())) << "nobody opens the way to the server";
  EXPECT_EQ(cluster.replica->observed()->open, 2U);
}

TEST_F(Observing, WhatNobodyDoesIsOnlyOursAfterAQuarterOfAnHour) {
  observe({"--leader-elect=false"});
  kill_two_and_wait();
  cluster.time.run_for(15min);
  const auto record = cluster.replica->observed();
  EXPECT_EQ(record->of(ChangeKind::ConditionsUnknown).count(Agreement::OnlyOurs), 2U);
  EXPECT_THAT(record->last, SizeIs(2));
}

TEST_F(Observing, NodeThatComesBackBeforeAnybodyActedWasOnlyOurs) {
  observe({"--leader-elect=false"});
  kill_two_and_wait();
  cluster.kubelets.kubelet(3).revive();
  cluster.time.run_for(30s);
  const auto record = cluster.replica->observed();
  EXPECT_EQ(record->of(ChangeKind::ConditionsUnknown).count(Agreement::OnlyOurs), 1U);
  EXPECT_EQ(record->open, 1U);
}

TEST_F(Observing, TellsItsTableEveryHourAndAtTheEnd) {
  observe({"--leader-elect=false"});
  EXPECT_EQ(cluster.log.count("observed table="), 0U);
  cluster.time.run_for(1h);
  const std::size_t lines = cluster.log.count("observed table=");
  EXPECT_GE(lines, 7U);
  cluster.replica->stop();
  EXPECT_GT(cluster.log.count("observed table="), lines);
}

TEST(ObserveSummary, TellsWhatDiffersByItsCauseWhatIsOpenAndWhatWasOverlooked) {
  using controller::observe::Cause;
  controller::observe::Record record;
  record.add({.agreement = Agreement::OnlyTheirs, .why = {.cause = Cause::Held}});
  record.add({.agreement = Agreement::OnlyOurs,
              .why = {.cause = Cause::UpstreamDefect, .defect = "D-TE-1"}});
  record.open = 3;
  record.overlooked = 4;
  EXPECT_THAT(observe_summary(record),
              ::testing::IsSupersetOf({"disagreements: held 1, upstream_defect 1 (D-TE-1 1)",
                                       "not met yet: 3", "overlooked: 4"}));
  EXPECT_THAT(observe_summary({}), SizeIs(7)) << "heading and kinds alone";
}

}  // namespace
}  // namespace nlc::program

#include "sim/rules/lock_rules.h"

#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

class LockRulesTest : public RulesTest {
 protected:
  LockRulesTest() { contend_for(leases_); }

  static constexpr const char* key = "kube-system/node-lifecycle-controller";

  void contend_for(const Resource& resource) {
    begin({.lock = RuleInputs::Lock{.resource = &resource, .key = key}});
    time_.run_for(1s);
  }
  /// The server takes a record of 15 seconds. Its times are by a calendar that is off.
  void name(const std::string& holder, Rules::Author author = Rules::Author::Controller) {
    storage_.put(leases_, key,
                 {{"metadata", {{"name", "node-lifecycle-controller"}}},
                  {"spec",
                   {{"holderIdentity", holder},
                    {"leaseDurationSeconds", 15},
                    {"renewTime", "2012-01-01T00:00:" + std::to_string(10 + records_++) + "Z"}}}});
    (void)by(author);
  }
  /// That process changes a node.
  std::string write_by(const std::string& identity) {
    return send({.identity = identity,
                 .verb = "PATCH",
                 .resource = "nodes",
                 .what = "PATCH nodes/a",
                 .body = R"({"metadata":{"uid":"uid-a"}})"});
  }
  std::string write_after(Duration pause, const std::string& identity) {
    time_.run_for(pause);
    return write_by(identity);
  }
  void delete_lock() {
    storage_.erase(leases_, key);
    (void)by_others();
  }

 private:
  int records_ = 0;
};

/// A second more, for the record has whole ones.
TEST_F(LockRulesTest, WhoHoldsTheLockWritesForAsLongAsItsRecordLasts) {
  name("a_1");
  EXPECT_EQ(write_after(16s, "a_1"), "");
  EXPECT_EQ(write_after(1ms, "a_1"), "lock");
}

TEST_F(LockRulesTest, ItsRecordLastsAnewWithEachRenewal) {
  name("a_1");
  time_.run_for(10s);
  name("a_1");
  EXPECT_EQ(write_after(15s, "a_1"), "");
}

TEST_F(LockRulesTest, WhomTheLockNeverNamedWritesNothing) {
  name("a_1");
  EXPECT_EQ(write_by("a_2"), "lock") << "another process of the same replica";
}

TEST_F(LockRulesTest, WhoContendsForNoLockMayWrite) { EXPECT_EQ(write_by(""), ""); }

TEST_F(LockRulesTest, WhatIsReadAndWhatIsNoNodeOrPodNeedsNoLock) {
  EXPECT_EQ(send({.identity = "a_1", .verb = "GET", .resource = "nodes", .what = "GET nodes/a"}),
            "");
  EXPECT_EQ(send({.identity = "a_1", .verb = "PUT", .resource = "leases", .what = "PUT leases/l"}),
            "");
}

TEST_F(LockRulesTest, OnceAnotherIsNamedWhoWasNamedBeforeWritesNoMore) {
  name("a_1");
  time_.run_for(1s);
  name("b_1");
  EXPECT_EQ(write_by("a_1"), "") << "it may have been sent before that";
  EXPECT_EQ(write_by("b_1"), "");
  EXPECT_EQ(write_after(100ms, "b_1"), "");
  EXPECT_EQ(write_by("a_1"), "lock");
}

TEST_F(LockRulesTest, WhoGaveTheLockBackWritesNoMore) {
  name("a_1");
  time_.run_for(1s);
  name("");
  EXPECT_EQ(write_after(100ms, "a_1"), "lock");
}

/// Neither can know of the other before it writes the lock next.
TEST_F(LockRulesTest, WhoseRecordARestoreTookBackMayWriteToItsEndAlsoBesideAnother) {
  const Storage::Snapshot backup = storage_.snapshot();
  name("a_1");
  time_.run_for(1s);
  restore(backup);
  name("b_1");
  EXPECT_EQ(write_after(15s, "a_1"), "");
  EXPECT_EQ(write_after(1ms, "a_1"), "lock");
}

class TwoLeadersTest : public LockRulesTest {
 protected:
  void look_by(const std::string& identity) {
    send({.identity = identity,
          .verb = "GET",
          .resource = "leases",
          .what = "GET leases/node-lifecycle-controller"});
  }
  std::string both_lead() {
    rules_->leaders({{"a#1", "a_1", time_.now()}, {"b#1", "b_1", time_.now()}});
    return rules_->broken() ? rules_->broken()->rule : "";
  }
};

/// A lock that is free tells of nobody.
TEST_F(TwoLeadersTest, WhoHasNotSeenAClaimMayLeadBesideItToItsEndWhereARestoreFreedTheLock) {
  look_by("b_1");
  const Storage::Snapshot backup = storage_.snapshot();
  name("a_1");
  time_.run_for(1s);
  restore(backup);
  look_by("b_1");
  EXPECT_EQ(both_lead(), "");
  time_.run_for(15s + 1ms);
  EXPECT_EQ(both_lead(), "one leader");
}

TEST_F(TwoLeadersTest, WhoHasSeenAClaimMayNotLeadBesideIt) {
  const Storage::Snapshot backup = storage_.snapshot();
  name("a_1");
  time_.run_for(1s);
  look_by("b_1");
  name("a_1");
  restore(backup);
  EXPECT_EQ(both_lead(), "one leader") << "a renewal is no other claim";
}

TEST_F(TwoLeadersTest, NobodyMayLeadBesideWhoIsNamedAfterARestore) {
  name("a_1");
  restore(storage_.snapshot());
  EXPECT_EQ(both_lead(), "one leader");
}

TEST_F(LockRulesTest, WhatIsTakenAfterARestoreCountsAgainstWhoWasNamedAfterItToo) {
  restore(storage_.snapshot());
  time_.run_for(1s);
  name("a_1");
  time_.run_for(1s);
  name("b_1");
  EXPECT_EQ(write_after(100ms, "a_1"), "lock");
}

TEST_F(LockRulesTest, WhoseLockIsDeletedOrOverwrittenByAUserMayWriteToItsEnd) {
  name("a_1");
  delete_lock();
  name("b_1");
  EXPECT_EQ(write_after(100ms, "a_1"), "");
  name("a user", Rules::Author::SomebodyElse);
  EXPECT_EQ(write_after(100ms, "b_1"), "");
  EXPECT_EQ(write_after(16s, "b_1"), "lock");
}

TEST_F(LockRulesTest, OfLocksThatAreNoLeaseTheAnnotationCounts) {
  const Resource& config_maps = core_resource("configmaps");
  contend_for(config_maps);
  const Json record{{"holderIdentity", "a_1"}, {"leaseDurationSeconds", 15}};
  storage_.put(
      config_maps, key,
      {{"metadata",
        {{"name", "node-lifecycle-controller"},
         {"annotations", {{"control-plane.alpha.kubernetes.io/leader", record.dump()}}}}}});
  (void)by_controller();
  EXPECT_EQ(write_after(15s, "a_1"), "");
  EXPECT_EQ(write_after(2s, "a_1"), "lock");
}

}  // namespace
}  // namespace nlc::sim::rules

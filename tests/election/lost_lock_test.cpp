#include "tests/election/candidate.h"

/// A lock that was deleted, that is missing, or whose holder somebody erased, does not say whether
/// who led by it has heard.
namespace nlc::election::testing {
namespace {

/// bing's lease, at that version without him.
LockRecord erased_at(std::string version) {
  LockRecord record = lease("bing", std::move(version));
  record.holder.clear();
  return record;
}

TEST(LostLock, ALockThatWasDeletedIsMadeAnewWhenTheLeadershipThatItToldOfIsOver) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  EXPECT_TRUE(baz.sees_gone(lease("bing", "11")));
  baz.polls_until(start + 15s, std::nullopt);
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<Pause>()) << "bing may not have heard of it";
  baz.now += 1ns;
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<CreateLock>());
}

TEST(LostLock, ALockThatVanishedUnseenIsMadeAnewALeaseLaterForTheServerMayHaveGoneBack) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.polls_until(start + 10s, lease("bing", "10"));
  baz.now = start + 10s;
  baz.read_fails(Fault::NotFound);
  baz.polls_until(start + 25s, std::nullopt);
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<Pause>()) << "bing may have renewed it unseen";
  baz.now += 1ns;
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<CreateLock>());
}

TEST(LostLock, ADeletedLockOfAnEndlessLeadershipIsMadeAnewAfterFourLeases) {
  Candidate baz;
  LockRecord endless = lease("bing", "10");
  endless.duration_seconds = 1'000'000;
  baz.reads(endless);
  endless.version = "11";
  EXPECT_TRUE(baz.sees_gone(endless));
  baz.polls_until(start + 60s, std::nullopt);
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<Pause>()) << "bing's lease may be four of ours";
  baz.now += 1ns;
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<CreateLock>());
}

TEST(LostLock, AHolderWhomSomebodyErasedMayHaveRenewedAfterTheLastLookBegan) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  const LockRecord erased = erased_at("11");
  baz.now += 2s;
  baz.looks();
  baz.reads(erased);
  baz.finds_until(start + 2s + 15s, erased);
  EXPECT_TRUE(baz.would<Pause>());
  baz.now += 1ns;
  baz.looks();
  baz.reads(erased);
  EXPECT_TRUE(baz.would<WriteLock>());
}

TEST(LostLock, AHolderWhoSeemedDeadAndWasErasedIsWaitedForIfAWriteMetWhatHeRenewed) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.finds_until(start + 15s + 1ns, lease("bing", "10"));
  baz.write_fails(Fault::Conflict);
  const LockRecord erased = erased_at("12");
  baz.reads(erased);
  EXPECT_TRUE(baz.would<Pause>());
  baz.finds_until(start + 32s, erased);
  EXPECT_TRUE(baz.would<WriteLock>());
}

TEST(LostLock, ALockThatWasMissingAndCameBackCountsAsMissingNoMore) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.looks();
  baz.read_fails(Fault::NotFound);
  baz.polls_until(start + 25s, lease("bing", "10"));
  baz.looks();
  EXPECT_TRUE(baz.sees_gone(lease("", "12")));
  baz.read_fails(Fault::NotFound);
  ASSERT_TRUE(baz.would<CreateLock>());
  baz.writes("13");
  EXPECT_TRUE(baz.leads()) << "it was given back before it was deleted";
}

TEST(LostLock, AReleasedLockThatIsThenDeletedIsMadeAnewAtOnce) {
  Candidate baz;
  baz.reads(lease("", "10"));
  baz.write_fails(Fault::Conflict);
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<CreateLock>());
}

}  // namespace
}  // namespace nlc::election::testing

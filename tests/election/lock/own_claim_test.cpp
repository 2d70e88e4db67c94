#include "election/lock/own_claim.h"

#include "tests/election/candidate.h"

namespace nlc::election::testing {
namespace {

TEST(OwnClaim, WhoseAnswerWasLostIsKnownForAsLongAsTheVersionThatItOverwritesIsThere) {
  OwnClaim own("baz");
  own.begin(lease("bing", "10"), lease("baz", "10"));
  own.observe(lease("bing", "10"));
  EXPECT_TRUE(own.covers(lease("baz", "11")));
  own.observe(lease("bing", "11"));
  EXPECT_FALSE(own.covers(lease("baz", "12")));
}

TEST(OwnClaim, OfALockThatIsYetToBeMadeIsKnownForAsLongAsThereIsNone) {
  OwnClaim own("baz");
  own.begin(std::nullopt, lease("baz", ""));
  own.observe(std::nullopt);
  EXPECT_TRUE(own.covers(lease("baz", "1")));
  own.observe(lease("bing", "1"));
  EXPECT_FALSE(own.covers(lease("baz", "2")));
}

TEST(OwnClaim, ThatWasAcknowledgedStaysThroughItsRenewalsAndEndsWithTheLock) {
  OwnClaim own("baz");
  own.adopt(lease("baz", "11"));
  own.observe(lease("baz", "12"));
  EXPECT_TRUE(own.covers(lease("baz", "13")));
  own.observe(std::nullopt);
  EXPECT_FALSE(own.covers(lease("baz", "13")));
}

TEST(OwnClaim, CoversNothingBeforeItIsMade) {
  const OwnClaim own("baz");
  EXPECT_FALSE(own.covers(lease("baz", "11")));
  EXPECT_FALSE(own.covers_half(lease("baz", "11")));
}

TEST(OwnClaim, CoversNoRecordOfAnotherNameLockCountOrTime) {
  OwnClaim own("baz");
  own.adopt(lease("baz", "11"));
  EXPECT_FALSE(own.covers(lease("bing", "12")));
  EXPECT_FALSE(own.covers(lease("baz", "12", "another")));
  LockRecord counted = lease("baz", "12");
  ++counted.transitions;
  EXPECT_FALSE(own.covers(counted));
  LockRecord later = lease("baz", "12");
  later.acquired = noon;
  EXPECT_FALSE(own.covers(later));
  EXPECT_TRUE(own.covers_half(lease("baz", "12", "another"))) << "a half has a uid of its own";
  EXPECT_FALSE(own.covers_half(counted));
}

}  // namespace
}  // namespace nlc::election::testing

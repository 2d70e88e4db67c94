#include "informer/index.h"

#include <gmock/gmock.h>

namespace nlc::informer {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Index, ShowsTheCarriersOfAValueInTheOrderInWhichTheyCame) {
  Index index;
  for (const Slot slot : {7U, 3U, 5U}) index.add("node-a", slot);
  index.add("node-b", 1);

  EXPECT_THAT(index.with("node-a"), ElementsAre(7, 3, 5));
  index.remove("node-a", 3);
  EXPECT_THAT(index.with("node-a"), ElementsAre(7, 5));
}

TEST(Index, AValueThatNobodyCarriesAnyMoreLeavesNothingBehind) {
  Index index;
  index.add("node-a", 1);
  index.remove("node-a", 1);

  EXPECT_EQ(index.values(), 0U);
  EXPECT_THAT(index.with("node-a"), IsEmpty());
}

TEST(Index, AValueStaysWhileAnotherStillCarriesIt) {
  Index index;
  index.add("node-a", 1);
  index.add("node-a", 2);
  index.remove("node-a", 1);

  EXPECT_THAT(index.with("node-a"), ElementsAre(2));
}

TEST(Index, AnEmptyValueIsNotIndexed) {
  Index index;
  index.add("", 1);

  EXPECT_EQ(index.values(), 0U);
}

TEST(Index, RemovingWhatIsNotThereChangesNothing) {
  Index index;
  index.add("node-a", 1);
  index.remove("node-a", 9);
  index.remove("node-b", 1);

  EXPECT_THAT(index.with("node-a"), ElementsAre(1));
}

}  // namespace
}  // namespace nlc::informer

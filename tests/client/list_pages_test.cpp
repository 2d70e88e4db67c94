#include "client/list_pages.h"

#include <gtest/gtest.h>
#include <string>

namespace nlc::client {
namespace {

TEST(ListPages, GoOnUntilOneHasNoToken) {
  ListPages pages;
  EXPECT_TRUE(pages.go_on({"10", "t1", 2, "a"}));
  EXPECT_TRUE(pages.go_on({"10", "t2", 2, "c"}));
  EXPECT_TRUE(pages.go_on({"10", "", 1, "e"}));
}

TEST(ListPages, OneThatBeginsLikeAnotherBeforeItIsThatOneAgainWhateverItsToken) {
  for (const char* token : {"t3", ""}) {
    ListPages pages;
    EXPECT_TRUE(pages.go_on({"10", "t1", 2, "a"}));
    EXPECT_TRUE(pages.go_on({"10", "t2", 2, "c"}));
    EXPECT_FALSE(pages.go_on({"10", token, 2, "a"}));
  }
}

TEST(ListPages, OneThatLeadsToItselfComesToNoEnd) {
  ListPages pages;
  EXPECT_TRUE(pages.go_on({"10", "t", 1, "a"}));
  EXPECT_FALSE(pages.go_on({"10", "t", 1, "b"}));
}

TEST(ListPages, OneWithoutObjectsIsTheLastOrNone) {
  ListPages pages;
  EXPECT_TRUE(pages.go_on({"10", "", 0, ""}));
  EXPECT_FALSE(pages.go_on({"10", "t1", 0, ""}));
}

TEST(ListPages, ThoseOfWhichNobodyKnowsHowTheyBeginAreDifferentOnes) {
  ListPages pages;
  EXPECT_TRUE(pages.go_on({"10", "t1", 3, ""}));
  EXPECT_TRUE(pages.go_on({"10", "t2", 3, ""}));
}

TEST(ListPages, TenThousandAreMoreThanThereCanBe) {
  ListPages pages;
  for (int page = 1; page < 10'000; ++page) {
    const std::string name = std::to_string(page);
    EXPECT_TRUE(pages.go_on({"10", name, 1, name})) << page;
  }
  EXPECT_FALSE(pages.go_on({"10", "10000", 1, "10000"}));
  pages.begin();
  EXPECT_TRUE(pages.go_on({"10", "10000", 1, "10000"})) << "of the next list";
}

}  // namespace
}  // namespace nlc::client

#include "tests/informer/watching.h"

namespace nlc::informer::testing {
namespace {

TEST(WatchMachineList, PagesFollowTheirTokensAndTheFirstOneTellsTheVersion) {
  Watching watching({.stream_lists = false, .page_limit = 2});
  EXPECT_TRUE(watching.lists_by_pages());
  EXPECT_EQ(watching.wants<GetPage>().limit, 2);

  EXPECT_EQ(watching.page("10", "next"), ObjectUse::Gather);
  EXPECT_EQ(watching.wants<GetPage>().continue_token, "next");
  EXPECT_EQ(watching.wants<GetPage>().limit, 2);
  EXPECT_EQ(watching.page("12"), ObjectUse::Commit);

  EXPECT_TRUE(watching.resumes_at("10"));
  EXPECT_TRUE(watching.machine.synced());
}

TEST(WatchMachineList, AFailedPageBeginsTheListAnewAfterAWait) {
  for (const Fault fault : {Fault::Gone, Fault::TooLarge, Fault::Malformed}) {
    Watching watching({.stream_lists = false});
    watching.page("10", "next");

    watching.page_fails(failed(fault));

    EXPECT_FALSE(watching.machine.synced());
    EXPECT_GE(watching.wait(), 400ms);
    EXPECT_TRUE(watching.lists_by_pages());
    watching.page("30");
    EXPECT_TRUE(watching.resumes_at("30")) << "nothing of the list that failed is left";
  }
}

// --- pages that have no end ---------------------------------------------------------------------

TEST(WatchMachineList, AMillionObjectsByPagesOf500FollowEachOtherAtOnce) {
  Watching watching({.stream_lists = false});
  for (int number = 1; number < 2000; ++number) {
    EXPECT_EQ(watching.page("10", "token-" + std::to_string(number)), ObjectUse::Gather);
    ASSERT_TRUE(watching.would<GetPage>()) << number;
  }
  EXPECT_EQ(watching.page("10"), ObjectUse::Commit);
  EXPECT_TRUE(watching.resumes_at("10"));
}

/// Asks for a list and answers it with these pages; the last of them has to end it as an error.
void expect_given_up(const std::vector<client::ListedPage>& pages) {
  Watching watching({.stream_lists = false});
  Duration waited{0};
  while (watching.now < start + 5min) {
    EXPECT_TRUE(watching.lists_by_pages());
    for (const client::ListedPage& page : pages) {
      ASSERT_TRUE(watching.would<GetPage>());
      EXPECT_EQ(watching.page(page) == ObjectUse::Ignore, &page == &pages.back());
    }
    ASSERT_TRUE(watching.would<WaitUntil>());
    EXPECT_EQ(watching.machine.last_reason(), "list_endless");
    waited = watching.wait();
  }
  EXPECT_GE(waited, 15s);
  EXPECT_FALSE(watching.machine.synced());
}

TEST(WatchMachineList, APageThatLeadsToItselfIsGivenUp) {
  expect_given_up({{"10", "t", 1, "a"}, {"10", "t", 1, "b"}});
}

TEST(WatchMachineList, APageThatCameBeforeIsGivenUpWhateverItsToken) {
  expect_given_up({{"10", "t1", 2, "a"}, {"10", "t2", 2, "c"}, {"10", "t3", 2, "a"}});
  expect_given_up({{"10", "t1", 2, "a"}, {"10", "t2", 2, "c"}, {"10", "", 2, "a"}});
}

TEST(WatchMachineList, APageWithoutObjectsBeforeTheEndIsGivenUp) {
  expect_given_up({{"10", "t1", 2, "a"}, {"10", "t2", 0, ""}});
  expect_given_up({{"10", "t1", 0, ""}});
}

TEST(WatchMachineList, APageWhoseObjectsCannotBeReadIsAPageAllTheSame) {
  Watching watching({.stream_lists = false});
  watching.page({"10", "t1", 3, ""});
  watching.page({"10", "t2", 3, ""});
  EXPECT_EQ(watching.page({"10", "", 3, ""}), ObjectUse::Commit);
}

TEST(WatchMachineList, AnEmptyLastPageEndsAList) {
  Watching watching({.stream_lists = false});
  watching.page("10", "t1");
  EXPECT_EQ(watching.page({"10", "", 0, ""}), ObjectUse::Commit);
}

TEST(WatchMachineList, MorePagesThanThereCanBeAreGivenUp) {
  Watching watching({.stream_lists = false});
  int pages = 0;
  while (watching.would<GetPage>() && pages < 20'000) {
    watching.page("10", "token-" + std::to_string(++pages));
  }
  EXPECT_EQ(pages, 10'000);
  EXPECT_TRUE(watching.would<WaitUntil>());
}

TEST(WatchMachineList, EachListHasAllPagesForItself) {
  Watching watching({.stream_lists = false});
  for (int list = 0; list < 2; ++list) {
    for (int number = 1; number < 9999; ++number) {
      const std::string name = std::to_string(number);
      watching.page({"10", name, 1, name});
      ASSERT_TRUE(watching.would<GetPage>()) << number;
    }
    watching.page_fails(failed(Fault::Gone));
    watching.wait();
  }
}

}  // namespace
}  // namespace nlc::informer::testing

#include "controller/server/wait_account.h"

#include <gtest/gtest.h>

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1000s};

TEST(WaitAccount, ASecondOfRestGivesFourBackAndNoMoreThanWasSpent) {
  WaitAccount account;
  account.add(start, start + 1h, start + 20s);
  EXPECT_EQ(account.spent(), 20s);
  account.add(start + 20s, start + 23s, start + 25s);
  EXPECT_EQ(account.spent(), 15s);
  account.add(start + 25s, start, start + 28s);
  EXPECT_EQ(account.spent(), 3s);
  account.add(start + 28s, start, start + 1h);
  EXPECT_EQ(account.spent(), 0s);
}

}  // namespace
}  // namespace nlc::controller

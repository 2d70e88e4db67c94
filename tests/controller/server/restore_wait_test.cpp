#include "controller/server/restore_wait.h"

#include <gtest/gtest.h>

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1000s};

/// Three watches that go on, on which nothing happens.
class RestoreWaitTest : public ::testing::Test, protected Watches {
 protected:
  RestoreWaitTest() {
    for (WatchProgress& watch : watches) {
      watch = {.version = "1", .last_change = start, .synced = true, .open = true};
    }
    wait.follow(start);
  }

  WatchProgress progress(Watched what) const override { return at(what); }
  WatchProgress& at(Watched what) { return watches[static_cast<std::size_t>(what)]; }
  const WatchProgress& at(Watched what) const { return watches[static_cast<std::size_t>(what)]; }

  void follow() {
    wait.history_ended(now);
    wait.follow(now);
  }
  void break_off(Watched what) {
    WatchProgress& watch = at(what);
    ++watch.restarts;
    ++watch.breaks;
    watch.open = false;
    watch.broke_off = true;
    watch.left = now;
  }
  void open(Watched what) {
    at(what).open = true;
    at(what).left.reset();
  }
  void break_all_off() {
    for (const Watched what : all_watched) break_off(what);
  }
  /// A minute in which that happens every five seconds.
  template <typename Happens>
  void spend(Happens happens) {
    for (const Instant end = now + 1min; now < end; now += 5s) {
      happens();
      follow();
    }
    follow();
  }
  void end_history() { ++at(Watched::Leases).expired; }

  std::array<WatchProgress, all_watched.size()> watches;
  Instant now = start + 1min;
  RestoreWait wait{*this};
};

TEST_F(RestoreWaitTest, WhatSpentTheBudgetCountsNoMore) {
  spend([this] { end_history(); });
  EXPECT_FALSE(wait.waits(now));
  end_history();
  follow();
  EXPECT_FALSE(wait.waits(now));
  now += 15s;
  follow();
  EXPECT_FALSE(wait.waits(now)) << "nor is it waited for when others are again";
}

TEST_F(RestoreWaitTest, WhatHasNotSpentTheBudgetIsWaitedForAllTheSame) {
  spend([this] { end_history(); });
  break_all_off();
  follow();
  EXPECT_TRUE(wait.waits(now));
  now += 14s;
  follow();
  EXPECT_TRUE(wait.waits(now)) << "for the minute was spent on others";
}

TEST_F(RestoreWaitTest, WhatOneWatchHasSpentIsWaitedForOnAnother) {
  spend([this] { break_off(Watched::Pods); });
  EXPECT_FALSE(wait.waits(now));
  break_off(Watched::Nodes);
  follow();
  EXPECT_EQ(wait.ends(now), now + 15s);
}

TEST_F(RestoreWaitTest, WhatBeganBeforeTheBudgetWasSpentHasItsFifteenSeconds) {
  spend([this] {
    if (now == start + 2min - 5s) break_off(Watched::Nodes);
    break_off(Watched::Pods);
  });
  EXPECT_EQ(wait.ends(now), now + 10s);
}

TEST_F(RestoreWaitTest, TwoKindsInTurnSpendItTogether) {
  bool ends = false;
  const auto one_of_them = [&] {
    if (std::exchange(ends, !ends)) {
      end_history();
    } else {
      break_all_off();
    }
  };
  spend(one_of_them);
  one_of_them();
  follow();
  EXPECT_FALSE(wait.waits(now));
}

/// As when a server was restored, which breaks streams off first.
TEST_F(RestoreWaitTest, HistoryThatEndedBehindABreakIsNotOneThatEndsAgainAndAgain) {
  spend([this] { end_history(); });
  break_all_off();
  follow();
  const Instant broke = now;
  now += 200ms;
  for (const Watched what : all_watched) open(what);
  end_history();
  follow();
  EXPECT_EQ(wait.ends(now), broke + 15s);
}

/// One of each kind, by turns as long as the other is not waited for.
TEST_F(RestoreWaitTest, KindThatComesWhenAnotherHasSpentTheBudgetSpendsTheNext) {
  spend([this] { end_history(); });
  for (const Instant end = now + 15s; now < end; now += 5s) {
    break_all_off();
    follow();
  }
  for (const Watched what : all_watched) open(what);
  spend([this] { end_history(); });
  break_all_off();
  follow();
  EXPECT_FALSE(wait.waits(now));
}

}  // namespace
}  // namespace nlc::controller

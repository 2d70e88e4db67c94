#include "controller/server/restore_wait.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <gtest/gtest.h>
#include <utility>

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;

/// Three watches that go on, on which nothing happens.
class RestoreWaitTest : public ::testing::Test, protected Watches {
 protected:
  static constexpr Instant start{1000s};

  RestoreWaitTest() {
    for (WatchProgress& watch : watches) watch = {.version = "1", .synced = true, .open = true};
    for (; now < start + 1min; now += 5s) follow();
  }

  WatchProgress progress(Watched what) const override {
    return watches[static_cast<std::size_t>(what)];
  }
  WatchProgress& at(Watched what) { return watches[static_cast<std::size_t>(what)]; }

  void follow() {
    if (takes_writes) availability.prove(now);
    wait.follow_history(now);
    wait.follow(now);
  }
  void follow_for(Duration span) {
    for (const Instant end = now + span; now < end; follow()) now = std::min(now + 1s, end);
  }
  void lose_history() { ++at(Watched::Leases).expired; }
  void close(Watched what, bool breaks) {
    at(what).open = false;
    at(what).breaks += breaks ? 1 : 0;
    at(what).broke_off = breaks;
    at(what).left = now;
  }
  void break_off(Watched what) { close(what, true); }
  void break_all_off() {
    for (const Watched what : all_watched) break_off(what);
  }
  void open_all() {
    for (const Watched what : all_watched) {
      at(what).open = true;
      at(what).left.reset();
    }
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

  std::array<WatchProgress, all_watched.size()> watches;
  Instant now = start;
  bool takes_writes = true;
  ApiAvailability availability{10s, start};
  RestoreWait wait{*this, availability, start};
};

TEST_F(RestoreWaitTest, NodesHaveFifteenSecondsToSayHowTheyAre) {
  const std::array<std::function<void()>, 4> causes{
      [this] { wait.listed_anew(now); }, [this] { wait.policy_expired(1); },
      [this] { lose_history(); }, [this] { break_off(Watched::Pods); }};
  for (std::size_t i = 0; i < causes.size(); ++i) {
    causes[i]();
    follow();
    EXPECT_EQ(wait.ends(now), now + 15s) << i;
    EXPECT_FALSE(wait.waits(now + 15s)) << i;
    EXPECT_EQ(wait.awaits_stream(now), i == 3);
    follow_for(1min);
  }
}

TEST_F(RestoreWaitTest, StreamThatEndedInOrderIsAwaitedWhenNoneHasBeenOpenForASecond) {
  close(Watched::Nodes, false);
  follow();
  EXPECT_FALSE(wait.waits(now));
  follow_for(1s);
  EXPECT_EQ(wait.ends(now), now + 14s);
  EXPECT_TRUE(wait.awaits_stream(now));
}

TEST_F(RestoreWaitTest, StreamThatIsOpenIsNotAwaitedThoughWhatItLostIs) {
  break_off(Watched::Pods);
  follow();
  open_all();
  ++at(Watched::Pods).expired;
  follow();
  EXPECT_TRUE(wait.waits(now));
  EXPECT_FALSE(wait.awaits_stream(now));
}

TEST_F(RestoreWaitTest, StreamIsAwaitedUntilAllAreOpenAgain) {
  break_off(Watched::Leases);
  close(Watched::Nodes, false);
  follow_for(1s);
  at(Watched::Leases).left.reset();
  follow();
  EXPECT_TRUE(wait.waits(now));
  open_all();
  follow();
  EXPECT_FALSE(wait.waits(now));
}

TEST_F(RestoreWaitTest, WhatTookTheMinuteIsLetGo) {
  spend([this] { lose_history(); });
  EXPECT_FALSE(wait.waits(now));
  lose_history();
  follow();
  EXPECT_FALSE(wait.waits(now));
  follow_for(14s);
  lose_history();
  follow();
  follow_for(1s);
  EXPECT_FALSE(wait.waits(now)) << "what came meanwhile is not waited for later either";
  lose_history();
  follow();
  EXPECT_TRUE(wait.waits(now));
}

TEST_F(RestoreWaitTest, EndIsToldAsItWillBe) {
  spend([this] {
    lose_history();
    if (now == start + 2min - 5s) break_off(Watched::Nodes);
    follow();
    if (now != start + 2min - 10s) return;
    EXPECT_EQ(wait.ends(now), now + 10s) << "then it is spent";
  });
  EXPECT_EQ(wait.ends(now), now + 10s) << "the node's stream has its fifteen seconds";
}

TEST_F(RestoreWaitTest, WhatDidNotTakeTheMinuteIsWaitedForAllTheSame) {
  spend([this] { lose_history(); });
  break_all_off();
  follow();
  EXPECT_EQ(wait.ends(now), now + 15s);
}

/// Before the minute was over, which it helped to spend.
TEST_F(RestoreWaitTest, WhatCameOnceMayComeAgain) {
  break_all_off();
  follow();
  follow_for(2s);
  open_all();
  spend([this] { lose_history(); });
  break_all_off();
  follow();
  EXPECT_EQ(wait.ends(now), now + 15s);
}

TEST_F(RestoreWaitTest, WhatOneWatchHasSpentIsWaitedForOnAnother) {
  spend([this] { break_off(Watched::Pods); });
  EXPECT_FALSE(wait.waits(now));
  break_off(Watched::Nodes);
  follow();
  EXPECT_EQ(wait.ends(now), now + 15s);
}

TEST_F(RestoreWaitTest, TwoKindsInTurnSpendItTogether) {
  bool breaks = false;
  const auto one_of_them = [&] {
    std::exchange(breaks, !breaks) ? break_all_off() : lose_history();
  };
  spend(one_of_them);
  one_of_them();
  follow();
  EXPECT_FALSE(wait.waits(now));
}

/// As when a server was restored, which breaks streams off first.
TEST_F(RestoreWaitTest, HistoryThatIsLostBehindABreakIsNotOneThatIsLostAgainAndAgain) {
  spend([this] { lose_history(); });
  break_all_off();
  follow();
  const Instant broke = now;
  now += 200ms;
  open_all();
  lose_history();
  follow();
  EXPECT_EQ(wait.ends(now), broke + 15s);
}

/// Each once a minute, so none comes too often by itself; and what is left between them may be too
/// short for anything.
TEST_F(RestoreWaitTest, OfKindsThatAreRareEachFourMinutesAreWaitedForInAll) {
  std::uint64_t expired = 0;
  const std::array<std::function<void()>, 4> in_turn{
      [this] { wait.listed_anew(now); }, [&] { wait.policy_expired(++expired); },
      [this] { lose_history(); }, [this] { ++at(Watched::Pods).expired; }};
  for (const Duration between : {-5000ms, 0ms, 300ms}) {
    const Instant first = now;
    Duration free{0};
    for (std::size_t next = 0; free < 15s && now < first + 10min; ++next) {
      in_turn[next % in_turn.size()]();
      follow();
      if (now == first + 230s) {
        EXPECT_EQ(wait.ends(now), first + 4min);
      }
      for (const Instant end = now + 15s + between; now < end; now += 100ms) {
        follow();
        free = wait.waits(now) ? 0s : free + 100ms;
      }
    }
    EXPECT_GE(now - first, 4min) << between / 1ms;
    EXPECT_LT(now - first, 5min) << between / 1ms;
    lose_history();
    follow();
    EXPECT_EQ(wait.ends(now), now + 15s) << "and then others";
    follow_for(5min);
  }
}

/// Each as long as the other is not waited for.
TEST_F(RestoreWaitTest, KindsThatComeByTurnsSpendItToo) {
  const Instant first = now;
  bool waits = true;
  for (; waits && now < first + 10min; now += 5s) {
    (now - first) % 75s < 60s ? lose_history() : break_all_off();
    follow();
    waits = wait.waits(now);
  }
  EXPECT_EQ(now - 5s - first, 4min) << "without a break";
}

TEST_F(RestoreWaitTest, WaitsWithFourSecondsBetweenThemNeverTakeAMinute) {
  for (int times = 0; times < 60; ++times) {
    lose_history();
    follow();
    EXPECT_EQ(wait.ends(now), now + 15s) << times;
    follow_for(19s);
  }
}

/// While another came again and again: it has had its own fifteen seconds before.
TEST_F(RestoreWaitTest, WhatCameOnceInThatMinuteIsWaitedForWhenItComesAtItsEnd) {
  std::uint64_t expired = 0;
  const Instant first = now;
  const auto is_at = [&](Duration span) { return now == first + span; };
  spend([&] {
    wait.policy_expired(++expired);
    if (is_at(40s) || is_at(55s)) break_all_off();
    if (is_at(45s)) {
      open_all();
      for (const Watched what : all_watched) ++at(what).expired;
    }
  });
  EXPECT_EQ(wait.ends(now), now + 10s);
}

TEST_F(RestoreWaitTest, AnAbsenceIsNotSpentOnWaiting) {
  for (const Instant end = now + 10min; now < end; follow_for(1s)) {
    break_all_off();
    takes_writes = false;
  }
  takes_writes = true;
  break_all_off();
  follow();
  EXPECT_EQ(wait.ends(now), now + 15s);
}

/// As when a server crashes again and again: after each gap nodes settle.
TEST_F(RestoreWaitTest, TimeInWhichNodesSettleAfterAnAbsenceIsNotSpentOnWaiting) {
  for (const Instant first = now; now < first + 10min; follow_for(1s)) {
    takes_writes = (now - first) % 25s >= 13s;
    if (takes_writes) lose_history();
  }
  takes_writes = true;
  lose_history();
  follow();
  EXPECT_EQ(wait.ends(now), now + 15s);
}

/// Whatever came before, and however much it spent.
TEST_F(RestoreWaitTest, EndIsKeptWhereNothingComes) {
  int ahead = 0;
  for (Duration often = 2900ms; often < 15s; often += 2300ms) {
    for (Duration spent = 30700ms; spent < 2min; spent += 1700ms) {
      for (const Instant end = now + spent; now < end; follow_for(often)) {
        lose_history();
        if (end - now < 31s) break_off(Watched::Nodes);
      }
      const Instant told = wait.ends(now);
      const Instant end_of_noise = now;
      ahead += told > now ? 1 : 0;
      while (wait.waits(now)) follow_for(700ms);
      EXPECT_LE(told, now) << often / 1ms << " ms, " << spent / 1ms << " ms";
      EXPECT_TRUE(now - told < 700ms || told <= end_of_noise)
          << often / 1ms << " ms, " << spent / 1ms << " ms";
      open_all();
      follow_for(1min);
    }
  }
  EXPECT_GT(ahead, 100);
}

}  // namespace
}  // namespace nlc::controller
